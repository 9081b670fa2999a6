// A gateway's lists against our rows: payments and refunds, in both directions, a day at a time.

import type { Db } from '../../db/connect';
import { listGatewaysOf } from '../../db/reconciled-payments';
import type { Environment } from '../../domain/environment';
import type { Gateways } from '../../gateway/port';
import { NotChecked, pieces, type CheckRun } from './check-run';
import { comparePayments, type PaymentComparisonDependencies } from './gateway-payments';
import { compareRefunds, type RefundComparisonDependencies } from './gateway-refunds';

export interface GatewayCheckDependencies
  extends PaymentComparisonDependencies, RefundComparisonDependencies {
  readonly db: Db;
  readonly gateways: Gateways;
}

/** So many rows of ours, and so long a list of the gateway's, are in memory at a time. */
const PIECE_MS = 24 * 3_600_000;

/** False when the environment has no gateway, and no payments of one. */
export async function checkGateway(
  dependencies: GatewayCheckDependencies,
  environment: Environment,
  run: CheckRun,
): Promise<boolean> {
  const gateway = dependencies.gateways[environment];
  await refuseOtherGateways(dependencies, environment, run);
  if (!gateway) return false;
  const payments = comparePayments(dependencies, gateway, run);
  const refunds = compareRefunds(dependencies, gateway, run);
  for (const piece of pieces(run.time, PIECE_MS)) {
    await payments(piece);
    await refunds.compare(piece);
  }
  await refunds.compareDoubtful();
  return true;
}

/** Payments of a gateway that is no longer configured cannot be compared. */
async function refuseOtherGateways(
  { db, gateways }: GatewayCheckDependencies,
  environment: Environment,
  { time }: CheckRun,
): Promise<void> {
  const configured = gateways[environment]?.name;
  const others = (await listGatewaysOf(db, environment, time)).filter((one) => one !== configured);
  if (others.length === 0) return;
  throw new NotChecked(
    `there are payments of ${others.join(', ')}, which is not configured for ${environment}`,
  );
}
