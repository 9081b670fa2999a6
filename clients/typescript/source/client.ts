import { Core, type ClientOptions } from './core.js';
import { Resources } from './generated/resources.js';
import { signWebhook, verifyWebhook } from './webhooks.js';

/**
 * The API of one service, with one key.
 *
 *     const client = new PaymentsClient('pay_test_…', { baseUrl: 'https://pay.example/api/public/v1' });
 */
export class PaymentsClient extends Resources {
  /** Proves that a webhook is the service's, and signs one in tests. */
  readonly webhooks = { verify: verifyWebhook, sign: signWebhook };

  constructor(apiKey: string, options: ClientOptions) {
    super(new Core(apiKey, options));
  }
}
