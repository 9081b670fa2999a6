// The gateways' lists against our rows: payments, refunds and payouts, in both directions, a day at a time.

import type { Db } from '../../db/connect';
import { listGatewaysOf } from '../../db/reconciliation/reconciled-payments';
import { listProvidersOf } from '../../db/reconciliation/reconciled-payouts';
import type { Environment } from '../../domain/environment';
import { GatewayError } from '../../domain/gateway-error';
import { findPayoutProvider, type PayoutProvider } from '../../gateway/payout-port';
import { findGateway, type Gateway, type Gateways } from '../../gateway/port';
import { NotChecked, pieces, type CheckRun } from './check-run';
import { comparePayments, type PaymentComparisonDependencies } from './gateway-payments';
import { comparePayouts, type PayoutComparisonDependencies } from './provider-payouts';
import { compareRefunds, type RefundComparisonDependencies } from './gateway-refunds';

export interface GatewayCheckDependencies
  extends
    PaymentComparisonDependencies,
    RefundComparisonDependencies,
    PayoutComparisonDependencies {
  readonly db: Db;
  readonly gateways: Gateways;
}

/** The span whose rows of ours, and list of the gateway's, are in memory at a time. */
const PIECE_MS = 24 * 3_600_000;

/** False when the environment has no gateway or provider, and no payments of one. */
export async function checkGateways(
  dependencies: GatewayCheckDependencies,
  environment: Environment,
  run: CheckRun,
): Promise<boolean> {
  const faults = await listUnconfigured(dependencies, environment, run);
  const comparisons = [
    ...dependencies.gateways[environment].map(
      (gateway) => () => compare(dependencies, gateway, run),
    ),
    ...dependencies.payout_providers[environment].map(
      (provider) => () => compareProvider(dependencies, provider, run),
    ),
  ];
  for (const comparison of comparisons) {
    try {
      await comparison();
    } catch (error) {
      // The others are compared all the same.
      if (!(error instanceof NotChecked || error instanceof GatewayError)) throw error;
      faults.push(error.message);
    }
  }
  if (faults.length > 0) throw new NotChecked(faults.join('; '));
  return comparisons.length > 0;
}

async function compareProvider(
  dependencies: GatewayCheckDependencies,
  provider: PayoutProvider,
  run: CheckRun,
): Promise<void> {
  const payouts = comparePayouts(dependencies, provider, run);
  for (const piece of pieces(run.time, PIECE_MS)) await payouts.compare(piece);
  await payouts.compareDoubtful();
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

/** Payments and payouts of what is no longer configured cannot be compared. */
async function listUnconfigured(
  { db, gateways, payout_providers }: GatewayCheckDependencies,
  environment: Environment,
  { time }: CheckRun,
): Promise<string[]> {
  const names = await listGatewaysOf(db, environment, time);
  const others = names.filter((gateway) => !findGateway(gateways, { environment, gateway }));
  const payers = (await listProvidersOf(db, environment, time)).filter(
    (provider) => !findPayoutProvider(payout_providers, { environment, provider }),
  );
  const fault = (what: string, of: readonly string[]): string[] =>
    of.length === 0
      ? []
      : [`there are ${what} of ${of.join(', ')}, which is not configured for ${environment}`];
  return [...fault('payments', others), ...fault('payouts', payers)];
}
