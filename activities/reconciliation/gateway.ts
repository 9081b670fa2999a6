// The gateways' lists against our rows: payments and refunds, in both directions, a day at a time.

import type { Db } from '../../db/connect';
import { listGatewaysOf } from '../../db/reconciliation/reconciled-payments';
import type { Environment } from '../../domain/environment';
import { findGateway, GatewayError, type Gateway, type Gateways } from '../../gateway/port';
import { NotChecked, pieces, type CheckRun } from './check-run';
import { comparePayments, type PaymentComparisonDependencies } from './gateway-payments';
import { compareRefunds, type RefundComparisonDependencies } from './gateway-refunds';

export interface GatewayCheckDependencies
  extends PaymentComparisonDependencies, RefundComparisonDependencies {
  readonly db: Db;
  readonly gateways: Gateways;
}

/** The span whose rows of ours, and list of the gateway's, are in memory at a time. */
const PIECE_MS = 24 * 3_600_000;

/** False when the environment has no gateway, and no payments of one. */
export async function checkGateways(
  dependencies: GatewayCheckDependencies,
  environment: Environment,
  run: CheckRun,
): Promise<boolean> {
  const gateways = dependencies.gateways[environment];
  const faults = await listUnconfigured(dependencies, environment, run);
  for (const gateway of gateways) {
    try {
      await compare(dependencies, gateway, run);
    } catch (error) {
      // The others are compared all the same.
      if (!(error instanceof NotChecked || error instanceof GatewayError)) throw error;
      faults.push(error.message);
    }
  }
  if (faults.length > 0) throw new NotChecked(faults.join('; '));
  return gateways.length > 0;
}

async function compare(
  dependencies: GatewayCheckDependencies,
  gateway: Gateway,
  run: CheckRun,
): Promise<void> {
  const payments = comparePayments(dependencies, gateway, run);
  const refunds = compareRefunds(dependencies, gateway, run);
  for (const piece of pieces(run.time, PIECE_MS)) {
    await payments(piece);
    await refunds.compare(piece);
  }
  await refunds.compareDoubtful();
}

/** Payments of a gateway that is no longer configured cannot be compared. */
async function listUnconfigured(
  { db, gateways }: GatewayCheckDependencies,
  environment: Environment,
  { time }: CheckRun,
): Promise<string[]> {
  const names = await listGatewaysOf(db, environment, time);
  const others = names.filter((gateway) => !findGateway(gateways, { environment, gateway }));
  if (others.length === 0) return [];
  return [`there are payments of ${others.join(', ')}, which is not configured for ${environment}`];
}
