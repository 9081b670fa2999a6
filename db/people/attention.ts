// Things that wait for a merchant, and the first steps of a new one, in one query.

import type { Environment } from '../../domain/environment';
import type { KycStatus } from '../../domain/identity';
import { lookUp, type Db } from '../connect';

export interface Attention {
  /** Webhook endpoints whose latest attempts failed, or that were switched off because of it. */
  readonly failing_endpoints: number;
  /** Open payment links that end within a day; counted up to COUNT_LIMIT. */
  readonly ending_links: number;
  /** Disputes that are open, or for which the wallet still lacks something; counted up to COUNT_LIMIT. */
  readonly disputes: number;
  /** Payments that an operator decides about; counted up to COUNT_LIMIT. */
  readonly held_payments: number;
  /** Payouts that wait for another owner; counted up to COUNT_LIMIT. */
  readonly payouts_to_approve: number;
  /** Payout batches that do; counted up to COUNT_LIMIT. */
  readonly payout_batches_to_approve: number;
}

/** Beyond it a page says "99+". */
export const COUNT_LIMIT = 100;

/** How many failures in a row are more than a hiccup. */
export const FAILURES = 3;

/** The owner of a new account does these first; how far each is. */
export interface FirstSteps {
  /** Links and payments of any environment count. */
  readonly has_link: boolean;
  readonly has_payment: boolean;
  readonly has_name: boolean;
  /** It has asked for real money. */
  readonly has_live: boolean;
  readonly kyc_status: KycStatus;
  /** Why the last check was not approved. */
  readonly kyc_reason: string | null;
}

/** Counts links in the order of an index that begins with the account: any other has those of all accounts. */
export const READ_TO_DO = {
  name: 'read_to_do',
  text: `select
    (select count(*)::integer from webhook_endpoints w
      where w.user_id = u.id and w.environment = $2 and w.status <> 'deleted'
        and (w.consecutive_failures >= ${FAILURES} or w.disabled_reason in ('failing', 'gone')))
      as failing_endpoints,
    (select count(*)::integer from (
       select from payment_intents p
        where (p.user_id, p.environment, p.expires_at) >= (u.id, $2, now())
          and (p.user_id, p.environment, p.expires_at) <= (u.id, $2, now() + interval '1 day')
          and p.status = 'open' and p.payment_link_id is null
        order by p.user_id, p.environment, p.expires_at limit ${COUNT_LIMIT}) p) as ending_links,
    (select count(*)::integer from (
       select from suspense_items s
        where s.user_id = u.id and s.environment = $2 and s.status in ('held', 'refunding')
        limit ${COUNT_LIMIT}) s) as held_payments,
    (select count(*)::integer from (
       select from payouts p
        where p.user_id = u.id and p.environment = $2 and p.status = 'requires_approval'
        limit ${COUNT_LIMIT}) p) as payouts_to_approve,
    (select count(*)::integer from (
       select from payout_batches b
        where b.user_id = u.id and b.environment = $2 and b.finished_at is null
          and b.status = 'requires_approval'
        limit ${COUNT_LIMIT}) b) as payout_batches_to_approve,
    (select count(*)::integer from (
       select from disputes d
        where d.user_id = u.id and d.environment = $2 and (d.status = 'open' or d.owed_minor > 0)
        limit ${COUNT_LIMIT}) d) as disputes,
    exists (select from payment_intents p where p.user_id = u.id and p.environment in ('live', 'sandbox')
      and p.status in ('open', 'processing', 'succeeded', 'failed', 'expired', 'canceled'))
      or exists (select from payment_links l where l.user_id = u.id) as has_link,
    exists (select from payment_intents p where p.user_id = u.id and p.environment in ('live', 'sandbox')
      and p.status = 'succeeded') as has_payment,
    u.display_name is not null as has_name, u.kyc_status,
    exists (select from payment_intents p where p.user_id = u.id and p.environment = 'live')
      or exists (select from payment_links l where l.user_id = u.id and l.environment = 'live') as has_live,
    (select c.reason from identity_checks c where c.user_id = u.id and c.status = u.kyc_status
      order by c.created_at desc limit 1) as kyc_reason
    from users u where u.id = $1`,
};

export async function readToDo(
  db: Db,
  user_id: string,
  environment: Environment,
): Promise<Attention & FirstSteps> {
  return (await lookUp<Attention & FirstSteps>(db, READ_TO_DO, [user_id, environment]))[0]!;
}
