// Every workflow type, by the name that Temporal's UI shows.

export { transfer, transfers } from './transfers';
export {
  lateNotification,
  paymentIntent,
  suspenseRefund,
  sweepNotifications,
} from './payment-intent';
export { webhookEndpoint, webhookResend } from './webhook-endpoint';
