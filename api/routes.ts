// The route table, gathered from the routes beside their handlers. Path, method, authentication,
// rate class, schemas and errors are stated there and nowhere else: the router, the validation and
// the OpenAPI document are made from this table.

import { disputeRoutes } from './disputes/routes';
import { eventRoutes } from './events/routes';
import { feeRoutes } from './fees/routes';
import { idempotencyKeyRoutes } from './idempotency-keys/routes';
import { limitRoutes } from './limits/routes';
import { paymentAttemptRoutes } from './payment-attempts/routes';
import { paymentIntentRoutes } from './payment-intents/routes';
import { paymentLinkRoutes } from './payment-links/routes';
import { profileRoutes } from './profile/routes';
import { payoutBatchRoutes } from './payout-batches/routes';
import { payoutRoutes } from './payouts/routes';
import { refundRoutes } from './refunds/routes';
import { SANDBOX_CLOCK_ROUTES } from './sandbox/clock';
import { sandboxFaultRoutes } from './sandbox/faults';
import { sandboxValueRoutes } from './sandbox/fund';
import { SANDBOX_WEBHOOK_FAULT_ROUTES } from './sandbox/webhook-faults';
import { statementRoutes } from './statements/routes';
import { statusRoutes } from './status/routes';
import { transferBatchRoutes } from './transfer-batches/routes';
import { transactionRoutes } from './transactions/routes';
import { transferRoutes } from './transfers/routes';
import { walletRoutes } from './wallets/routes';
import { webhookDeliveryRoutes } from './webhook-deliveries/routes';
import { webhookEndpointRoutes } from './webhook-endpoints/routes';
import { webhookResendRoutes } from './webhook-resends/routes';
import type { FaultyOperations } from '../domain/fault';
import { operationOf, type Route } from './route';

const OPERATIONS: readonly Route[] = [
  ...statusRoutes,
  ...profileRoutes,
  ...idempotencyKeyRoutes,
  ...walletRoutes,
  ...limitRoutes,
  ...transactionRoutes,
  ...statementRoutes,
  ...transferRoutes,
  ...transferBatchRoutes,
  ...paymentIntentRoutes,
  ...paymentAttemptRoutes,
  ...paymentLinkRoutes,
  ...refundRoutes,
  ...disputeRoutes,
  ...payoutRoutes,
  ...payoutBatchRoutes,
  ...feeRoutes,
  ...webhookEndpointRoutes,
  ...webhookResendRoutes,
  ...eventRoutes,
  ...webhookDeliveryRoutes,
];

/** Those of the sandbox itself are left out: a caller who orders a fault must be able to take it back. */
export const FAULTY_OPERATIONS: FaultyOperations = new Map(
  OPERATIONS.filter(({ rate }) => rate !== null).map((one) => [operationOf(one), one]),
);

export const ROUTES: readonly Route[] = [
  ...OPERATIONS,
  ...SANDBOX_CLOCK_ROUTES,
  ...sandboxFaultRoutes(FAULTY_OPERATIONS),
  ...SANDBOX_WEBHOOK_FAULT_ROUTES,
  ...sandboxValueRoutes,
];
