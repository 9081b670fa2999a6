// Payment links that any number of customers may pay.

import type { KeyedOrder } from '../../domain/idempotency';
import type { PaymentLinkChanges, PaymentLinkStatus } from '../../domain/payment-link';
import type { WalletHold } from '../../domain/wallet-hold';
import { MERCHANT_COLUMNS, type Merchant } from '../accounts/public-profiles';
import { columns, type RowOf } from '../columns';
import { call, lookUp, type Db, type Tx } from '../connect';
import { filterSql, type AccountPage } from '../list-filters';
import { order, type Ordered } from '../requests/orders';
import {
  shownIntentColumns,
  type IntentScope,
  type IntentView,
} from '../payment-intents/intent-views';

const DECIDED = columns(`payment_links p:
  title currency quantity_minimum quantity_maximum max_payments active_until collect description
  return_url metadata`);
const SHOWN = columns(`payment_links p:
  id code environment amount_minor minimum_minor maximum_minor payments paid_minor created_at updated_at`);
/** Columns of payment_links as `p`. */
const COLUMNS = `${DECIDED}, ${SHOWN}, p.suggestions_minor::text[], payment_link_status(p) as status`;

/** The columns that a merchant decides on. Minor units are text. */
export interface PaymentLinkFields extends RowOf<typeof DECIDED> {
  /** The price of one; null when the customer chooses the amount. */
  readonly amount_minor: string | null;
  readonly minimum_minor: string | null;
  readonly maximum_minor: string | null;
  readonly suggestions_minor: readonly string[];
}

export interface NewPaymentLink extends PaymentLinkFields, KeyedOrder {
  readonly id: string;
  readonly code: string;
}

/** The row that pages show. */
export interface PaymentLinkView extends RowOf<typeof DECIDED>, RowOf<typeof SHOWN> {
  readonly suggestions_minor: readonly string[];
  readonly status: PaymentLinkStatus;
  /** The JSON text of what GET /payment-links/{id} returns (payment_link_json in SQL). */
  readonly json: string;
}

const shownColumns = (base: string): string =>
  `${COLUMNS}, (select s.body::text from payment_link_json(p, ${base}) s) as json`;

/** Creates one link per idempotency key. */
export const createPaymentLink = (
  db: Db,
  link: NewPaymentLink,
  pay_url_base: string,
): Promise<Ordered<'created', { readonly outcome: WalletHold }>> =>
  order(db, 'create_payment_link', link, pay_url_base);

/** A link that there is. */
export async function updatePaymentLink(
  db: Db | Tx,
  id: string,
  changes: PaymentLinkChanges,
): Promise<void> {
  await call(db, 'update_payment_link', [id, JSON.stringify(changes)]);
}

export type PaymentLinkName = { readonly id: string } | { readonly code: string };

/** The caller's own. */
export async function findPaymentLink(
  db: Db,
  { user_id, environment, pay_url_base }: IntentScope,
  name: PaymentLinkName,
): Promise<PaymentLinkView | undefined> {
  const column = 'id' in name ? 'id' : 'code';
  const text = `select ${shownColumns('$4')} from payment_links p
                 where p.${column} = $3 and p.user_id = $1 and p.environment = $2`;
  const values = [user_id, environment, 'id' in name ? name.id : name.code, pay_url_base];
  const statement = { name: `find_payment_link_by_${column}`, text };
  return (await lookUp<PaymentLinkView>(db, statement, values))[0];
}

export interface PaymentLinkQuery extends IntentScope, AccountPage {
  readonly filters: { readonly status?: PaymentLinkStatus | undefined };
}

/** Newest first. */
export async function listPaymentLinks(
  db: Db,
  { user_id, environment, pay_url_base, before = 'infinity', limit, filters }: PaymentLinkQuery,
): Promise<PaymentLinkView[]> {
  const values: unknown[] = [user_id, environment, before, pay_url_base];
  const { given, conditions } = filterSql(
    { status: 'payment_link_status(p) = ?' },
    { status: filters.status },
    values,
  );
  values.push(limit);
  const text = `select ${shownColumns('$4')} from payment_links p
                 where p.user_id = $1 and p.environment = $2 and p.created_at < $3::timestamptz${conditions}
                 order by p.created_at desc limit $${values.length}`;
  return lookUp<PaymentLinkView>(db, { name: `list_payment_links_${given}`, text }, values);
}

const LIST_PAYMENTS = {
  name: 'list_payments_of_link',
  text: `select ${shownIntentColumns('$4')} from payment_intents v
          where v.payment_link_id = $1 and v.created_at < $2::timestamptz
            and v.status not in ('creating', 'abandoned')
          order by v.created_at desc limit $3`,
};

export interface LinkPaymentsQuery {
  readonly link_id: string;
  readonly before: string | undefined;
  readonly limit: number;
  readonly pay_url_base: string;
}

/** Those that have begun, the newest first. */
export function listPaymentsOfLink(
  db: Db,
  { link_id, before = 'infinity', limit, pay_url_base }: LinkPaymentsQuery,
): Promise<IntentView[]> {
  return lookUp<IntentView>(db, LIST_PAYMENTS, [link_id, before, limit, pay_url_base]);
}

/** A customer's page needs this of a link and of the account that is paid. */
export interface PayableLink extends Omit<PaymentLinkView, 'json'>, Merchant {
  readonly user_id: string;
  readonly username: string;
  /** Why no money may be asked for now; null when it may. */
  readonly held_by: WalletHold | null;
}

/** Finds the link for everyone who has the code. */
export async function findPayableLink(db: Db, code: string): Promise<PayableLink | undefined> {
  const text = `select ${COLUMNS}, p.user_id, u.username, a.held_by, ${MERCHANT_COLUMNS}
                  from payment_links p join users u on u.id = p.user_id
                  join ledger_accounts a on a.user_id = p.user_id and a.environment = p.environment
                   and a.currency = p.currency and a.kind = 'wallet'
                  left join merchant_logos l on l.user_id = u.id
                 where p.code = $1`;
  return (await lookUp<PayableLink>(db, { name: 'find_payable_link', text }, [code]))[0];
}
