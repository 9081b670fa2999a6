export { PaymentsClient } from './client.js';
export {
  ApiError,
  ConnectionError,
  InvalidArgument,
  OutcomeUnknown,
  PaymentsError,
  SignatureError,
} from './errors.js';
export { fromMinor, toMinor } from './json.js';
export { signWebhook, verifyWebhook } from './webhooks.js';
export { VERSION } from './generated/version.js';
export type {
  CallOptions,
  ClientOptions,
  LastResponse,
  List,
  LogEntry,
  Responded,
} from './core.js';
export type { ApiErrorFields, SignatureFault } from './errors.js';
export type { VerifyOptions, WebhookHeaders } from './webhooks.js';
export type * from './generated/models.js';
