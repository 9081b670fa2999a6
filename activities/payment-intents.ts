// What a payment intent does to the world: its checkout at the gateway, its row, its money. Each may
// be asked again at any time. A gateway's fault is a result, because the workflow decides what then;
// only a database that cannot be asked throws. A refund of suspense has no workflow that decides: it
// throws, and ends when the gateway says no.

import { ApplicationFailure } from '@temporalio/activity';
import {
  abandonIntent,
  applyNotification,
  endIntent,
  getIntent,
  listOverdueIntents,
  openIntent,
  renewCheckout,
  type IntentRow,
  type IntentToRun,
  type StoredIntent,
} from '../db/intents';
import { listWaitingNotifications, storeNotification } from '../db/notifications';
import { beginSuspenseRefund, findSuspense, finishSuspenseRefund } from '../db/suspense';
import type { Db } from '../db/connect';
import { whileAlive } from './heartbeats';
import type { DeliverNotification } from '../temporal/notifications';
import type { EndpointWaker } from '../temporal/webhook-endpoints';
import type { Environment } from '../domain/environment';
import {
  isTerminal,
  payUrl,
  presentIntent,
  type IntentView,
  type StoredIntentStatus,
} from '../domain/intent';
import { renderJson } from '../domain/json';
import type { Minor } from '../domain/money';
import type { PaymentNotification, PaymentState } from '../domain/payment';
import type { StoredResponse } from '../domain/idempotency';
import { GatewayError, type Checkout, type Gateway, type GatewayFault } from '../gateway/port';

export type Gateways = Readonly<Record<Environment, Gateway | undefined>>;

/** What an opening came to; the answer's bytes stay out of the workflow. */
export type OpeningOutcome = StoredResponse | { readonly fault: GatewayFault };

export interface IntentActivityDependencies {
  readonly db: Db;
  readonly gateways: Gateways;
  readonly pay_url_base: string;
  /** Tells a waiting request of this very process. */
  readonly openings: { publish(intent_id: string, outcome: OpeningOutcome): void };
  /** Rows that a request of this very process has just written, for the first try to open them. */
  readonly just_created: Map<string, IntentRow>;
  readonly deliverNotification: DeliverNotification;
  /** Starts an intent's workflow unless it runs; true when it did not. */
  readonly runIntent: (intent: IntentToRun) => Promise<boolean>;
  /** Called after the commit that made an event. */
  readonly waker: EndpointWaker;
}

export interface IntentStep {
  readonly status: StoredIntentStatus;
  /** Why the gateway could not do its part; the status is then what it was. */
  readonly fault?: GatewayFault;
  /** How much too early it is to expire, by the database's clock. */
  readonly early_ms?: number;
}

/** The type of the failure that ends a refund. */
export const GATEWAY_REFUSED = 'gateway_refused';

/** A signal is given this long before the sweeper thinks that it was lost. */
const SIGNAL_WITHIN_MS = 5_000;
/** An intent whose gateway answers has expired by then. */
const EXPIRED_WITHIN_MS = 60_000;
const SWEEP_BATCH = 500;

export function createIntentActivities(dependencies: IntentActivityDependencies) {
  const { db, pay_url_base, openings, just_created } = dependencies;
  return whileAlive({
    async openCheckout(id: string): Promise<IntentStep> {
      const intent = just_created.get(id) ?? (await getIntent(db, id));
      just_created.delete(id);
      if (intent.status !== 'creating') return { status: intent.status };
      const opened = await tryGateway(() => openSession(dependencies, intent, 1));
      if ('fault' in opened) {
        openings.publish(id, { fault: opened.fault });
        return { status: 'creating', fault: opened.fault };
      }
      const view: IntentView = {
        ...intent,
        status: 'open',
        checkout_url: opened.result.checkout_url,
      };
      const body = renderJson({ ok: true, ...presentIntent(view, pay_url_base) });
      const status = await openIntent(db, id, opened.result, body);
      // Whoever repeats this finds the kept answer; only the first publishes its own bytes.
      if (status === 'open') {
        openings.publish(id, { status: 201, body, fingerprint: intent.fingerprint });
      }
      return { status };
    },

    async abandonIntent(id: string): Promise<IntentStep> {
      return { status: await abandonIntent(db, id) };
    },

    async applyNotification(notification_id: string): Promise<StoredIntentStatus | null> {
      const { status, wake } = await applyNotification(db, notification_id, pay_url_base);
      dependencies.waker.wake(wake);
      return status;
    },

    /** Closes the checkout first: whoever paid before that has paid. */
    async expireIntent(id: string): Promise<IntentStep> {
      const intent = await getIntent(db, id);
      if (isTerminal(intent.status)) return { status: intent.status };
      if (intent.remaining_ms > 0) return { status: intent.status, early_ms: intent.remaining_ms };
      return closeAndEnd(dependencies, intent, 'expired');
    },

    async cancelIntent(id: string): Promise<IntentStep> {
      const intent = await getIntent(db, id);
      if (intent.status !== 'open') return { status: intent.status };
      return closeAndEnd(dependencies, intent, 'canceled');
    },

    /** A new session when the gateway's own has ended; the same one while it lives. */
    async renewCheckout(id: string): Promise<IntentStep> {
      const intent = await getIntent(db, id);
      const { status, has_lapsed, remaining_ms } = intent;
      // Past its own end none is opened, or a customer could pay in it after all.
      if (status !== 'open' || !has_lapsed || remaining_ms <= 0) return { status };
      const closed = await closeSession(dependencies, intent);
      if ('fault' in closed) return closed;
      if (closed.status !== 'open') return { status: closed.status };
      const number = intent.session_number + 1;
      const opened = await tryGateway(() => openSession(dependencies, intent, number));
      if ('fault' in opened) return { status: intent.status, fault: opened.fault };
      return { status: await renewCheckout(db, id, number, opened.result) };
    },

    /**
     * Hands over again what was stored and not applied, and starts workflows again that were lost with
     * Temporal's data; answers how many there were of both.
     */
    async sweepNotifications(): Promise<number> {
      const waiting = await listWaitingNotifications(db, SIGNAL_WITHIN_MS, SWEEP_BATCH);
      for (const notification of waiting) await dependencies.deliverNotification(notification);
      const overdue = await listOverdueIntents(db, EXPIRED_WITHIN_MS, SWEEP_BATCH);
      const started = await Promise.all(overdue.map(dependencies.runIntent));
      return waiting.length + started.filter(Boolean).length;
    },

    /** The gateway gives the money back, then the ledger says so. A refusal leaves it `refunding`. */
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

export type IntentActivities = ReturnType<typeof createIntentActivities>;

/** The gateway that it began with: another one's answer about its session would mean nothing. */
function gatewayOf(
  { gateways }: IntentActivityDependencies,
  of: { readonly environment: Environment; readonly gateway: string },
): Gateway {
  const gateway = gateways[of.environment];
  if (gateway?.name !== of.gateway) {
    throw new GatewayError('unreachable', `${of.environment} has no gateway ${of.gateway}`);
  }
  return gateway;
}

async function openSession(
  dependencies: IntentActivityDependencies,
  intent: IntentRow,
  number: number,
): Promise<Checkout> {
  return gatewayOf(dependencies, intent).openCheckout({
    intent_id: intent.id,
    number,
    reference: intent.reference,
    amount: intent.amount_minor as Minor,
    currency: intent.currency,
    description: intent.description,
    customer_email: intent.customer_email,
    return_url: `${payUrl(dependencies.pay_url_base, intent.short_code)}?back=1`,
    expires_at: intent.expires_at,
  });
}

async function closeAndEnd(
  dependencies: IntentActivityDependencies,
  intent: StoredIntent,
  final: 'expired' | 'canceled',
): Promise<IntentStep> {
  const closed = await closeSession(dependencies, intent);
  if ('fault' in closed || closed.is_paying || isTerminal(closed.status)) {
    return { status: closed.status, ...('fault' in closed ? { fault: closed.fault } : {}) };
  }
  const { db, pay_url_base, waker } = dependencies;
  const { status, early_ms, wake } = await endIntent(db, intent.id, final, pay_url_base);
  waker.wake(wake);
  return { status, ...(early_ms === null ? {} : { early_ms }) };
}

type Closed =
  | { readonly status: StoredIntentStatus; readonly is_paying: boolean }
  | { readonly status: StoredIntentStatus; readonly fault: GatewayFault };

/** What the gateway then says of a payment is applied as if it had notified us. */
async function closeSession(
  dependencies: IntentActivityDependencies,
  intent: StoredIntent,
): Promise<Closed> {
  const { session_id } = intent;
  if (session_id === null) return { status: intent.status, is_paying: false };
  const closed = await tryGateway(() => gatewayOf(dependencies, intent).closeCheckout(session_id));
  if ('fault' in closed) return { status: intent.status, fault: closed.fault };
  const state = closed.result;
  if (state.state === 'none') return { status: intent.status, is_paying: false };
  const notification = notificationOf(intent, session_id, state);
  const raw = Buffer.from(JSON.stringify(state));
  const { db } = dependencies;
  const { id } = await storeNotification(db, intent.gateway, notification, raw);
  const applied = await applyNotification(db, id, dependencies.pay_url_base);
  dependencies.waker.wake(applied.wake);
  return { status: applied.status ?? intent.status, is_paying: state.state === 'pending' };
}

/** An answer of the gateway in the form of a notification, one per session and state. */
function notificationOf(
  intent: StoredIntent,
  session_id: string,
  state: Exclude<PaymentState, { readonly state: 'none' }>,
): PaymentNotification {
  const common = {
    environment: intent.environment,
    intent_id: intent.id,
    reference: intent.reference,
    final: true,
  };
  const asked = {
    provider_payment_id: session_id,
    amount_minor: intent.amount_minor.toString(),
    currency: intent.currency,
    failure: null,
    occurred_at: new Date().toISOString(),
  };
  switch (state.state) {
    case 'paid':
      return {
        ...common,
        ...state.payment,
        event_id: `asked/${session_id}/paid/${state.payment.provider_payment_id}`,
        type: 'payment.succeeded',
        failure: null,
      };
    case 'failed':
      return {
        ...common,
        ...asked,
        event_id: `asked/${session_id}/failed`,
        type: 'payment.failed',
        failure: state.failure,
      };
    case 'pending':
      return {
        ...common,
        ...asked,
        event_id: `asked/${session_id}/pending`,
        type: 'payment.pending',
      };
  }
}

async function tryGateway<T>(
  call: () => Promise<T>,
): Promise<{ readonly result: T } | { readonly fault: GatewayFault }> {
  try {
    return { result: await call() };
  } catch (error) {
    if (error instanceof GatewayError) return { fault: error.fault };
    throw error;
  }
}

/** What a gateway refuses it would refuse again: for an operator to read, not to repeat by itself. */
async function orEndIfRefused<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof GatewayError) || error.fault !== 'refused') throw error;
    throw ApplicationFailure.nonRetryable(error.message, GATEWAY_REFUSED);
  }
}
