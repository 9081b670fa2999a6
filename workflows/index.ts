// Every workflow type, by the name that Temporal's UI shows.

export { mail } from './mail';
export { transfers } from './transfers';
export { transferBatch } from './transfer-batch';
export { identityCheck } from './identity-check';
export { paymentIntent } from './payment-intent';
export { paymentAttempt } from './payment-attempt';
export { lateNotification, sweepNotifications } from './notifications';
export { payout } from './payout';
export { payoutBatch } from './payout-batch';
export { refund } from './refund';
export { reconciliation, scheduledReconciliation } from './reconciliation';
export { reversal } from './reversal';
export { suspenseRefund } from './suspense-refund';
export { webhookEndpoint, webhookResend } from './webhook-endpoint';
