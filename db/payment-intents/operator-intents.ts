// Payment intents as operators see them: of every merchant and in every status, with the gateway's
// names and the caller's.

import type { Environment } from '../../domain/environment';
import { isShortCode, isUuid, NIL_UUID } from '../../domain/ids';
import type { StoredIntentStatus } from '../../domain/intent';
import { columns, type RowOf } from '../columns';
import { execute, type Db } from '../connect';
import { shownIntentColumns, type IntentColumns } from './intent-views';

const ONLY = columns('payment_intents v: user_id gateway idempotency_key request_id');

export interface OperatorIntent extends IntentColumns, RowOf<typeof ONLY> {
  readonly username: string;
  readonly json: string;
}

const select = (base: string): string => `select ${shownIntentColumns(base)}, ${ONLY}, u.username
  from payment_intents v join users u on u.id = v.user_id`;

/** Finds an intent by id, short code or reference: their forms do not overlap. */
export async function findOperatorIntent(
  db: Db,
  name: string,
  pay_url_base: string,
): Promise<OperatorIntent | undefined> {
  const column = isUuid(name) ? 'id' : isShortCode(name) ? 'short_code' : 'reference';
  const text = `${select('$2')} where v.${column} = $1`;
  const statement = { name: `find_operator_intent_by_${column}`, text };
  return (await execute<OperatorIntent>(db, statement, [name, pay_url_base]))[0];
}

/** Chosen by the index of addresses before accounts are joined: one account after the other, each newest first. */
export const INTENTS_OF_CUSTOMER = {
  name: 'list_intents_of_customer',
  text: `${select('$3').replace(
    'from payment_intents v',
    `from (
      select * from payment_intents x where x.customer_email = $1
       order by x.user_id desc, x.environment desc, x.created_at desc limit $2) v`,
  )}
    order by v.user_id desc, v.environment desc, v.created_at desc`,
};

/** `email` in the form of domain/email.ts. */
export async function listIntentsOfCustomer(
  db: Db,
  email: string,
  { limit, pay_url_base }: Pick<OperatorIntentQuery, 'limit' | 'pay_url_base'>,
): Promise<OperatorIntent[]> {
  return execute<OperatorIntent>(db, INTENTS_OF_CUSTOMER, [email, limit, pay_url_base]);
}

export interface OperatorIntentQuery {
  readonly user_id: string | undefined;
  readonly environment: Environment | undefined;
  readonly status: StoredIntentStatus | undefined;
  /** Rows strictly before this one, by id too: `created_at` is unique per merchant only. */
  readonly before: { readonly created_at: string; readonly id: string } | undefined;
  readonly limit: number;
  readonly pay_url_base: string;
}

/**
 * No index has this order without a merchant: Postgres reads the whole table, which may take long.
 */
const LIST_TIMEOUT_MS = 60_000;

/** Newest first. */
export async function listOperatorIntents(
  db: Db,
  { user_id, environment, status, before, limit, pay_url_base }: OperatorIntentQuery,
): Promise<OperatorIntent[]> {
  const { created_at = 'infinity', id = NIL_UUID } = before ?? {};
  const values: unknown[] = [created_at, id, limit, pay_url_base];
  const conditions = Object.entries({ user_id, environment, status })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` and v.${name} = $${values.push(value)}`);
  const text = `${select('$4')}
     where (v.created_at, v.id) < ($1::timestamptz, $2::uuid)${conditions.join('')}
     order by v.created_at desc, v.id desc limit $3`;
  return db.transaction(async (tx) => {
    await tx.raw(`set local statement_timeout = ${LIST_TIMEOUT_MS}`);
    return execute<OperatorIntent>(tx, { name: '', text }, values);
  });
}

const SESSION = columns('checkout_sessions s: number session_id checkout_url opened_at lapses_at');
export type CheckoutSession = RowOf<typeof SESSION>;

/** The last one is the live one. */
export async function listSessions(db: Db, intent_id: string): Promise<CheckoutSession[]> {
  const text = `select ${SESSION} from checkout_sessions s where s.intent_id = $1 order by s.number`;
  return execute(db, { name: 'list_checkout_sessions', text }, [intent_id]);
}

export interface UnappliedNotification {
  readonly id: string;
  readonly event_id: string;
  readonly type: string;
  readonly received_at: string;
  /** How often the sweep has taken it. */
  readonly tries: number;
  /** Why it could not be applied; null before the first try. */
  readonly last_error: string | null;
}

/** Stored in the inbox, but not applied yet, so not in the timeline. */
export async function listUnappliedNotifications(
  db: Db,
  { id, reference, gateway, environment }: OperatorIntent,
): Promise<UnappliedNotification[]> {
  const text = `select n.id::text, n.event_id, n.notification ->> 'type' as type, n.received_at,
                       n.tries, n.last_error
                  from gateway_notifications n
                 where n.outcome is null and n.gateway = $3 and n.environment = $4
                   and (n.notification ->> 'intent_id' = $1 or n.notification ->> 'reference' = $2)
                 order by n.received_at, n.id`;
  return execute(db, { name: 'list_unapplied_notifications', text }, [
    id,
    reference,
    gateway,
    environment,
  ]);
}
