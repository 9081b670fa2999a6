// Disputes at the simulator: a person who knows a paid checkout's address plays the customer's bank, as one who knows
// an open checkout's address may pay.

import Router from '@koa/router';
import type { DisputeState } from '../../../domain/dispute';
import type { Currency } from '../../../domain/currency';
import type { Environment } from '../../../domain/environment';
import { renderJson } from '../../../domain/json';
import { newId } from './actions';
import type { Journal } from './journal';
import type { Notifier } from './notifier';
import { readRawBody } from './raw-body';
import { paymentStateOf, type Entry, type Notification, type Session, type Store } from './store';

/** What the bank does: `won` and `lost` are for the merchant. */
const DISPUTE_COURSES = ['open', 'won', 'lost'] as const;
export type DisputeCourse = (typeof DISPUTE_COURSES)[number];

export interface Dispute extends DisputeState {
  readonly dispute_id: string;
  readonly environment: Environment;
  readonly status: DisputeCourse;
}

export interface DisputeEntry {
  readonly entry: 'disputed';
  readonly dispute: Dispute;
  readonly notification: Notification;
}

/** What losing one costs, taken from the service's account. */
const FEES: Readonly<Record<Currency, string>> = { XOF: '1000000', EUR: '1500', USD: '1500' };
const EVIDENCE_MS = 7 * 24 * 60 * 60 * 1_000;

/** What the bank can do next. */
export function coursesAfter(latest: Dispute | undefined): readonly DisputeCourse[] {
  switch (latest?.status) {
    case undefined:
      return ['open'];
    case 'open':
      return ['won', 'lost'];
    // Another part of the payment, or an appeal.
    case 'lost':
      return ['open', 'won'];
    case 'won':
      return ['open'];
  }
}

export interface DisputeWish {
  readonly course: DisputeCourse;
  /** Minor units as text, of a part; the whole payment by default. */
  readonly amount_minor: string | null;
}

export interface Disputes {
  find(environment: Environment, dispute_id: string): Promise<Dispute | undefined>;
  /** The latest dispute of the payment that was made in the session. */
  latestOf(session: Session): Dispute | undefined;
  /** False when the session was not paid, or its dispute does not go on like this. */
  act(session_id: string, wish: DisputeWish): Promise<boolean>;
}

export interface DisputesParts {
  readonly store: Store;
  readonly journal: Journal<Entry>;
  readonly notifier: Notifier;
}

export function createDisputes({ store, journal, notifier }: DisputesParts): Disputes {
  const latestOf = (session: Session): Dispute | undefined => {
    const paid = paymentStateOf(session);
    if (paid.state !== 'paid') return undefined;
    return store.disputesOf(paid.payment.provider_payment_id).at(-1);
  };
  return {
    async find(environment, dispute_id) {
      const found = store.dispute(dispute_id);
      await journal.flushed();
      return found?.environment === environment ? found : undefined;
    },
    latestOf,
    async act(session_id, wish) {
      const session = store.session(session_id);
      const paid = session && paymentStateOf(session);
      if (paid?.state !== 'paid') return false;
      const { payment } = paid;
      const latest = latestOf(session!);
      const { course } = wish;
      if (!coursesAfter(latest).includes(course)) return false;
      const dispute: Dispute =
        course === 'open'
          ? {
              dispute_id: newId('dp'),
              environment: session!.terms.environment,
              provider_payment_id: payment.provider_payment_id,
              amount_minor: wish.amount_minor ?? payment.amount_minor,
              currency: payment.currency,
              fee_minor: FEES[payment.currency],
              status: course,
              reason: 'product_not_received',
              evidence_due_by: new Date(Date.now() + EVIDENCE_MS).toISOString(),
            }
          : { ...latest!, status: course };
      const notification = notificationOf(dispute);
      const entry: Entry = { entry: 'disputed', dispute, notification };
      store.apply(entry);
      journal.append(entry);
      await journal.flushed();
      notifier.send(notification);
      return true;
    },
  };
}

function notificationOf({ dispute_id, environment }: Dispute): Notification {
  const event_id = newId('evt');
  const body = renderJson({ event_id, type: 'dispute.updated', environment, dispute_id });
  return { event_id, environment, body, copies: 1 };
}

const MINOR = /^[1-9]\d{0,14}$/;

export function createDisputeRouter(disputes: Disputes): Router {
  const router = new Router();
  router.post('/checkout/:session_id/dispute', async (ctx) => {
    const { session_id } = ctx['params'] as { readonly session_id: string };
    const raw = await readRawBody(ctx.req);
    const form = new URLSearchParams(raw?.toString('utf8'));
    const course = DISPUTE_COURSES.find((one) => one === form.get('course'));
    const amount_minor = form.get('amount_minor');
    if (course === undefined || (amount_minor !== null && !MINOR.test(amount_minor))) {
      ctx.status = 422;
      return;
    }
    const isDone = await disputes.act(session_id, { course, amount_minor });
    ctx.status = isDone ? 303 : 409;
    ctx.set('Location', `/checkout/${encodeURIComponent(session_id)}`);
    ctx.body = '';
  });
  return router;
}
