// What the simulator has taken and given back, in pages, oldest first.

import type { Environment } from '../../../domain/environment';
import type { ListedPayment, ListedRefund } from '../../../domain/payment';
import { showRefund } from './refunds';
import type { PaymentAttempt, Refund, Store } from './store';

export interface ListTerms {
  /** The window begins at `from` and ends before `to` (ISO 8601). */
  readonly from: string;
  readonly to: string;
  readonly limit: number;
  /** The `next` of the page before; null for the first. */
  readonly after: string | null;
}

export interface TakenPage {
  readonly payments: readonly ListedPayment[];
  readonly next: string | null;
}

export interface RefundPage {
  readonly refunds: readonly (ListedRefund & { readonly detail: string | null })[];
  readonly next: string | null;
}

export function listTaken(store: Store, environment: Environment, terms: ListTerms): TakenPage {
  const taken = store.attempts(environment).filter(({ status }) => status === 'succeeded');
  const { page, next } = pageOf(taken, terms, (one) => ({
    at: one.occurred_at,
    id: one.provider_payment_id,
  }));
  return { payments: page.map((one) => showTaken(store, one)), next };
}

export function findTaken(
  store: Store,
  environment: Environment,
  id: string,
): { readonly payment: ListedPayment | null } {
  const attempt = store.attempt(id);
  const is_ours =
    attempt?.status === 'succeeded' &&
    store.session(attempt.session_id)!.terms.environment === environment;
  return { payment: is_ours ? showTaken(store, attempt) : null };
}

export function listRefunds(store: Store, environment: Environment, terms: ListTerms): RefundPage {
  const key = ({ at, refund_id }: Refund): Key => ({ at, id: refund_id });
  const { page, next } = pageOf(store.refunds(environment), terms, key);
  const refunds = page.map((refund) => ({
    ...showRefund(refund),
    provider_payment_id: refund.provider_payment_id,
    amount_minor: refund.amount_minor,
    currency: termsOf(store, refund.provider_payment_id).currency,
    created_at: refund.at,
  }));
  return { refunds, next };
}

function showTaken(store: Store, attempt: PaymentAttempt): ListedPayment {
  const { provider_payment_id, occurred_at } = attempt;
  const { intent_id, reference, amount_minor, currency } = termsOf(store, provider_payment_id);
  return { provider_payment_id, amount_minor, currency, occurred_at, intent_id, reference };
}

function termsOf(store: Store, provider_payment_id: string) {
  return store.session(store.attempt(provider_payment_id)!.session_id)!.terms;
}

interface Key {
  readonly at: string;
  readonly id: string;
}

/** Cuts a page. All instants have one form, so that they compare as text. */
export function pageOf<Item>(
  items: readonly Item[],
  { from, to, limit, after }: ListTerms,
  keyOf: (item: Item) => Key,
): { readonly page: readonly Item[]; readonly next: string | null } {
  const text = (item: Item): string => `${keyOf(item).at} ${keyOf(item).id}`;
  const [begin, end] = [new Date(from).toISOString(), new Date(to).toISOString()];
  const rest = items
    .filter((item) => keyOf(item).at >= begin && keyOf(item).at < end)
    .filter((item) => after === null || text(item) > after)
    .sort((one, other) => (text(one) < text(other) ? -1 : 1));
  const page = rest.slice(0, limit);
  return { page, next: rest.length > limit ? text(page.at(-1)!) : null };
}
