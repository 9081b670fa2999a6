// The dependencies of orders of money, whichever door they come through.

import type { Config } from '../../config/load';
import type { Db } from '../../db/connect';
import type { Environment } from '../../domain/environment';
import type { CheckoutOutcome } from '../../domain/intent';
import type { TransferResult } from '../../domain/transfer';
import type { PayoutProviders } from '../../gateway/payout-port';
import type { Gateways } from '../../gateway/port';
import type { CircuitBreaker } from '../../temporal/circuit-breaker';
import type { LocalResults } from '../../temporal/local-results';
import type { IntentWorkflows } from '../../temporal/payment-intents';
import type { StartPayoutBatch } from '../../temporal/payout-batches';
import type { Pursue } from '../../temporal/pursuits';
import type { ReversalWorkflows } from '../../temporal/reversals';
import type { WakeBatches } from '../../temporal/transfer-batches';
import type { TransferWorkflows } from '../../temporal/transfers';
import type { Voices } from '../risk/voices';

export interface OrderDependencies {
  readonly config: Pick<
    Config,
    'max_transfer' | 'max_payment' | 'production' | 'public_url' | 'pay_url_base' | 'http'
  >;
  readonly db: Db;
  /** Failing calls in one environment do not stop the other's. */
  readonly breakers: Readonly<Record<Environment, CircuitBreaker>>;
  readonly transfer_workflows: TransferWorkflows;
  readonly reversal_workflows: ReversalWorkflows;
  readonly intent_workflows: IntentWorkflows;
  /** Results by the transfer's reference. */
  readonly local_transfers: LocalResults<TransferResult>;
  /** The outcome of opening a checkout, by the intent's id. */
  readonly pending_checkouts: LocalResults<CheckoutOutcome>;
  readonly gateways: Gateways;
  /** Called after the commit that ordered or cancelled a bulk transfer. */
  readonly wakeBatches: WakeBatches;
  readonly pursue: Pursue;
  /** Called after the commit that gave a payout batch something to do. */
  readonly wakePayoutBatches: WakeBatches;
  /** Has one batch looked at now. */
  readonly startPayoutBatch: StartPayoutBatch;
  readonly payout_providers: PayoutProviders;
  readonly voices: Voices;
  /** Tells operators what went wrong: one JSON line per entry, to which kind and time are added. */
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}
