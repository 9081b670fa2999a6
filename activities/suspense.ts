// Refunds money that no payment intent could take. No workflow decides about a fault of the gateway
// here: the activity throws and is retried, until the gateway refunds or refuses.

import { ApplicationFailure } from '@temporalio/activity';
import type { Db } from '../db/connect';
import { beginSuspenseRefund, findSuspense, finishSuspenseRefund } from '../db/suspense';
import type { Minor } from '../domain/money';
import { GatewayError, type Gateways } from '../gateway/port';
import { gatewayOf } from './checkouts';
import { withHeartbeats } from './heartbeats';

/** The type of the failure that ends a refund. */
const GATEWAY_REFUSED = 'gateway_refused';

export interface SuspenseActivityDependencies {
  readonly db: Db;
  readonly gateways: Gateways;
}

export function createSuspenseActivities(dependencies: SuspenseActivityDependencies) {
  const { db } = dependencies;
  return withHeartbeats({
    /** First the gateway, then the ledger. A refusal leaves the item `refunding`. */
    async refundSuspense(item_id: string): Promise<string> {
      const item = await findSuspense(db, item_id);
      if (!item) throw new Error(`there is no suspense item ${item_id}`);
      const status = await beginSuspenseRefund(db, item_id);
      if (status !== 'refunding') return status;
      const gateway = gatewayOf(dependencies, item);
      const { refund_id } = await orEndIfRefused(() =>
        gateway.refund({
          provider_payment_id: item.provider_payment_id,
          amount: item.amount_minor as Minor,
          currency: item.currency,
          idempotency_key: `refund/${item.id}`,
        }),
      );
      return finishSuspenseRefund(db, item_id, refund_id);
    },
  });
}

export type SuspenseActivities = ReturnType<typeof createSuspenseActivities>;

/** A gateway that refuses would refuse again: an operator has to read why, no retry helps. */
async function orEndIfRefused<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof GatewayError) || error.fault !== 'refused') throw error;
    throw ApplicationFailure.nonRetryable(error.message, GATEWAY_REFUSED);
  }
}
