// Finds the outcome of a payment whose customer has just come back from the gateway. The notification is mostly faster
// than they are; when it is not, the gateway is asked.

import { setTimeout as delay } from 'node:timers/promises';
import { storeNotification } from '../../db/suspense/notifications';
import { findIntentByCode } from '../../db/payment-intents/intents';
import { polledNotification } from '../../domain/payment';
import { findGateway } from '../../gateway/port';
import type { ApiDependencies } from '../context';
import type { PayPageView } from './view';

/**
 * How long a customer who comes back waits for a page, and how often the database is asked
 * meanwhile.
 */
const NEWS_WITHIN_MS = 1_500;
const NEWS_POLL_MS = 150;
/**
 * A visitor with the link can come back any number of times: a gateway is asked once in this time.
 */
const ASK_COOL_DOWN_MS = 5_000;
/** Links whose last question is remembered. */
const MAX_REMEMBERED = 10_000;

export interface News {
  readonly view: PayPageView;
  /** The gateway says that nothing was paid, and nothing is under way. */
  readonly is_unpaid: boolean;
}

type Find = (short_code: string) => Promise<PayPageView | undefined>;

export function createNews(
  dependencies: Pick<ApiDependencies, 'db' | 'gateways' | 'deliverNotification' | 'log'>,
  find: Find,
): (view: PayPageView) => Promise<News> {
  /** Requests by short code: visitors who come back at the same time share one. */
  const awaited = new Map<string, Promise<News>>();
  const asked_at = new Map<string, number>();
  return (view) => {
    const { short_code } = view;
    const waiting = awaited.get(short_code);
    if (waiting) return waiting;
    const is_asking = takeQuestion(asked_at, short_code);
    const asking = is_asking ? askGateway(dependencies, short_code) : Promise.resolve('unknown');
    const news = awaitNews(view, find, asking).finally(() => awaited.delete(short_code));
    awaited.set(short_code, news);
    return news;
  };
}

function takeQuestion(asked_at: Map<string, number>, short_code: string): boolean {
  const now = Date.now();
  if (now - (asked_at.get(short_code) ?? 0) < ASK_COOL_DOWN_MS) return false;
  asked_at.delete(short_code);
  asked_at.set(short_code, now);
  // The oldest comes first.
  for (const oldest of asked_at.keys()) {
    if (asked_at.size <= MAX_REMEMBERED) break;
    asked_at.delete(oldest);
  }
  return true;
}

async function awaitNews(view: PayPageView, find: Find, asking: Promise<string>): Promise<News> {
  const deadline = Date.now() + NEWS_WITHIN_MS;
  let answer: string | undefined;
  void asking.then((said) => {
    answer = said;
  });
  while (Date.now() < deadline) {
    await delay(NEWS_POLL_MS);
    const latest = await find(view.short_code);
    if (latest && latest.updated_at !== view.updated_at) return { view: latest, is_unpaid: false };
    if (answer === 'none') break;
  }
  // A failure that is not on the page yet is about to come.
  const is_known = answer === 'failed' && view.last_payment_error !== null;
  return { view, is_unpaid: answer === 'none' || is_known };
}

/** Never rejects. What the gateway has taken takes the same way as its notification. */
async function askGateway(
  { db, gateways, deliverNotification, log }: Parameters<typeof createNews>[0],
  short_code: string,
): Promise<'none' | 'failed' | 'told' | 'unknown'> {
  try {
    const intent = await findIntentByCode(db, short_code);
    if (intent === undefined || intent.session_id === null) return 'unknown';
    const { session_id, environment } = intent;
    const gateway = findGateway(gateways, intent);
    if (!gateway) return 'unknown';
    const state = await gateway.findPayment(session_id);
    if (state.state === 'none') return 'none';
    const notification = polledNotification({ intent, session_id, now: new Date() }, state);
    const raw = Buffer.from(JSON.stringify(state));
    const stored = await storeNotification(db, gateway.name, notification, raw);
    // Stored: the sweeper delivers it when Temporal is back.
    if (stored.outcome === null) {
      await deliverNotification({ ...stored, gateway: gateway.name, environment });
    }
    return state.state === 'failed' ? 'failed' : 'told';
  } catch (error) {
    log({ part: 'pay', error: String(error) });
    return 'unknown';
  }
}
