// Every workflow type, by the name that Temporal's UI shows.

export { mail } from './mail';
export { transfers } from './transfers';
export { transferBatch } from './transfer-batch';
export { identityCheck } from './identity-check';
export { paymentIntent } from './payment-intent';
export { lateNotification, sweepNotifications } from './notifications';
export { payoutBatch } from './payout-batch';
export { pursue } from './pursue';
export { reconciliation, scheduledReconciliation } from './reconciliation';
export { reversal } from './reversal';
