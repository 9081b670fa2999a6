// Stripe Checkout behind the gateway port, through Stripe's own library.

import Stripe from 'stripe';
import { CURRENCIES } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { GatewayError } from '../../domain/gateway-error';
import type { CheckoutRequest, Gateway } from '../port';
import { MINIMUM } from './amounts';
import { findDispute } from './disputes';
import { gatewayError, isReplayed, isUnknownToStripe } from './errors';
import { findTakenPayment, listPayments, listRefunds } from './lists';
import { mayBeSignedByStripe, readStripeNotification } from './notifications';
import { findRefund, refund } from './refunds';
import { EXPANDED, expiryForms, instant, paymentState, sessionParams } from './sessions';

export interface StripeGatewayOptions {
  readonly environment: Environment;
  readonly secret_key: string;
  /** `whsec_…`; there are several while one is replaced. */
  readonly webhook_secrets: readonly string[];
  /** The deadline of one call of the port, for all its requests together. */
  readonly timeout_ms: number;
  /** A server for tests instead of Stripe's. */
  readonly api?: {
    readonly protocol: 'http' | 'https';
    readonly host: string;
    readonly port: number;
  };
}

// How many idempotency keys one session may use: see `createSession`.
const MAX_KEYS = 3;

/** @throws Error when the key is of the other mode: test money would then pay live intents. */
export function createStripeGateway(options: StripeGatewayOptions): Gateway {
  const { environment, timeout_ms } = options;
  const is_live = environment === 'live';
  const stripe = createClient(options);

  /** Gives all requests of a call one deadline, and translates errors into the port's. */
  async function calling<T>(work: (deadline: Deadline) => Promise<T>): Promise<T> {
    const end = Date.now() + timeout_ms;
    try {
      return await work(() => {
        const timeout = end - Date.now();
        // The call sends nothing more: this process may have stood still between two requests.
        if (timeout <= 0) throw new GatewayError('timeout', 'Stripe did not respond in time');
        return { timeout };
      });
    } catch (error) {
      throw gatewayError(error);
    }
  }

  function ofOurMode(session: Stripe.Checkout.Session): Stripe.Checkout.Session {
    if (session.livemode === is_live) return session;
    throw new GatewayError('refused', `Stripe's session is not of the environment ${environment}`);
  }

  return {
    name: 'stripe',
    environment,
    bounds: { currencies: CURRENCIES, minimum: MINIMUM },

    openCheckout: (request) =>
      calling(async (deadline) => {
        const session = ofOurMode(await createSession(stripe, environment, request, deadline));
        const { id, url, expires_at } = session;
        if (!url) throw new GatewayError('refused', 'Stripe opened a session without a page');
        return { session_id: id, checkout_url: url, lapses_at: instant(expires_at) };
      }),

    findPayment: (session_id) =>
      calling(async (deadline) => {
        const options = { expand: EXPANDED };
        const session = await stripe.checkout.sessions.retrieve(session_id, options, deadline());
        return paymentState(ofOurMode(session));
      }),

    closeCheckout: (session_id) =>
      calling(async (deadline) => {
        const { sessions } = stripe.checkout;
        try {
          const closed = await sessions.expire(session_id, { expand: EXPANDED }, deadline());
          return paymentState(ofOurMode(closed));
        } catch (error) {
          if (isUnknownToStripe(error)) throw unknownSession(session_id);
          if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
        }
        // Stripe refuses because the session is not open, so read what it is.
        const session = ofOurMode(
          await sessions.retrieve(session_id, { expand: EXPANDED }, deadline()),
        );
        if (session.status !== 'open') return paymentState(session);
        throw new GatewayError('unreachable', 'Stripe did not close a session that is open');
      }),

    refund: (request) => calling((deadline) => refund(stripe, request, deadline)),

    findRefund: (refund_id) => calling((deadline) => findRefund(stripe, refund_id, deadline)),

    findDispute: (dispute_id) =>
      calling((deadline) => findDispute(stripe, environment, dispute_id, deadline)),

    listPayments: (window, cursor) =>
      calling((deadline) => listPayments(stripe, environment, window, { cursor, deadline })),

    findTakenPayment: (id) =>
      calling((deadline) => findTakenPayment(stripe, environment, id, deadline)),

    listRefunds: (window, cursor) =>
      calling((deadline) => listRefunds(stripe, window, { cursor, deadline })),

    mayBeSigned: mayBeSignedByStripe,

    readNotification: (raw, headers) => readStripeNotification(options, raw, headers),
  };
}

/** Returns the options of a call's next request: what is left of the call's time. */
export type Deadline = () => { readonly timeout: number };

/**
 * We opened the session, so the key of another account is in use: only that account can say what
 * was paid in it.
 */
function unknownSession(session_id: string): GatewayError {
  const key = 'is STRIPE_SECRET_KEY of the account that opened it?';
  return new GatewayError('refused', `Stripe does not know our session ${session_id}: ${key}`, {
    is_about_access: true,
  });
}

function createClient({ environment, secret_key, api }: StripeGatewayOptions): Stripe {
  const [, mode] = /^[a-z]+_(live|test)_/.exec(secret_key) ?? [];
  if (mode !== undefined && (mode === 'live') !== (environment === 'live')) {
    throw new Error(`Stripe's secret key is a ${mode} key, and the environment is ${environment}.`);
  }
  return new Stripe(secret_key, {
    // Its timeout covers the whole response. The Node client restarts its timeout with each chunk,
    // and repeats a request by itself when a connection closes.
    httpClient: Stripe.createFetchHttpClient(),
    // The port's caller retries. Only one layer should, the one that knows for how long.
    maxNetworkRetries: 0,
    telemetry: false,
    ...api,
  });
}

/**
 * Stripe stores the response to an idempotency key for 24 hours, errors included, and refuses the key
 * with other parameters (https://docs.stripe.com/api/idempotent_requests). A repeated call therefore
 * tries the forms that the first call may have sent, and gets the first call's session.
 *
 * Two things can block a key for that day: parameters that have changed since (a deployment with
 * another return address), and an error that Stripe stored and repeats. Then the next key is used.
 * That may leave behind a session whose address no customer has: it cannot be paid, and expires.
 */
async function createSession(
  stripe: Stripe,
  environment: Environment,
  request: CheckoutRequest,
  deadline: Deadline,
): Promise<Stripe.Checkout.Session> {
  let fault: unknown = new GatewayError('refused', 'The payment intent has expired');
  const forms = expiryForms(request.expires_at, Date.now());
  for (const idempotencyKey of idempotencyKeys(request)) {
    for (const expires_at of forms) {
      try {
        const params = sessionParams(environment, request, expires_at);
        return await stripe.checkout.sessions.create(params, { idempotencyKey, ...deadline() });
      } catch (error) {
        fault = error;
        if (error instanceof Stripe.errors.StripeIdempotencyError) continue;
        if (isReplayed(error)) break;
        throw error;
      }
    }
  }
  throw fault;
}

function idempotencyKeys({ intent_id, number }: CheckoutRequest): string[] {
  const first = `checkout/${intent_id}/${number}`;
  return Array.from({ length: MAX_KEYS }, (_, at) => (at === 0 ? first : `${first}/${at + 1}`));
}
