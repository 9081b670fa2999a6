// News of accounts that were not told by mail yet, who is told, and that they were. Postings know
// nothing of it: what they have committed is read afterwards.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { MEMBER_ROLES, USUAL_MAILS, type MailKind } from '../../domain/members';
import type { Addressee } from '../accounts/identity-checks';
import { columns, type RowOf } from '../columns';
import { callValue, calls, execute, type Db } from '../connect';
import { FAILURES } from './attention';
import type { NewMail } from './mails';

/** Older news surprise more than they help, as after days without a server for mails. */
const NEWS = "interval '1 day'";
/** An endpoint that fails for less may just be restarting. */
const HICCUP = "interval '15 minutes'";

const WANTED = `coalesce(m.mails, case m.role ${MEMBER_ROLES.map(
  (role) => `when '${role}' then '{${USUAL_MAILS[role].join(',')}}'::text[]`,
).join(' ')} end)`;

export interface MovedWallet {
  /** The id of the wallet. */
  readonly account_id: string;
  readonly user_id: string;
  readonly username: string;
  readonly currency: Currency;
  /** The moment until which it was told; null: nothing was. */
  readonly told_until: string | null;
  readonly from: string;
  readonly until: string;
  /** Mails of today. */
  readonly mails: number;
}

/**
 * Live wallets that were posted to since they were told of, those that wait for longest first. All
 * that is earlier than `until` is committed: a posting takes its moment under the wallet's lock.
 */
export async function listMovedWallets(db: Db, limit: number): Promise<MovedWallet[]> {
  const text = `select a.id::text as account_id, a.user_id, u.username, a.currency, n.told_until,
       greatest(n.told_until, clock_timestamp() - ${NEWS}) as from, a.last_posted_at as until,
       case when n.told_on = (clock_timestamp() at time zone 'UTC')::date then n.mails else 0 end as mails
     from ledger_accounts a
     join users u on u.id = a.user_id
     left join wallet_news n on n.account_id = a.id
    where a.kind = 'wallet' and a.environment = 'live'
      and a.last_posted_at > clock_timestamp() - ${NEWS}
      and (n.told_until is null or a.last_posted_at > n.told_until)
    order by a.last_posted_at limit $1`;
  return execute<MovedWallet>(db, { name: 'list_moved_wallets', text }, [limit]);
}

const RECEIVED = columns(`transactions t:
  amount_minor reference counterparty description created_at`);

export interface ReceivedRow extends RowOf<typeof RECEIVED> {
  readonly type: 'deposit' | 'transfer_in';
}

/** Lists what the wallet received later than `from` and no later than `until`, the oldest first. */
export async function listReceived(
  db: Db,
  { user_id, currency, from, until }: MovedWallet,
  limit: number,
): Promise<ReceivedRow[]> {
  const text = `select r.* from unnest(array['deposit', 'transfer_in']) kind
     cross join lateral (
       select t.type, ${RECEIVED}
         from transactions t
        where t.user_id = $1 and t.environment = 'live' and t.type = kind and t.direction = 'in'
          and t.currency = $2 and t.created_at > $3 and t.created_at <= $4 and t.status = 'completed'
        order by t.created_at limit $5) r
    order by r.created_at limit $5`;
  const values = [user_id, currency, from, until, limit];
  return execute<ReceivedRow>(db, { name: 'list_received', text }, values);
}

/** Lists who gets such mails of the account; an address that is not confirmed gets none. */
export async function listReaders(
  db: Db,
  user_id: string,
  kind: MailKind | 'owner',
): Promise<Addressee[]> {
  const text = `select l.email, l.language from memberships m join logins l on l.id = m.login_id
    where m.user_id = $1 and l.email_verified_at is not null
      and case when $2 = 'owner' then m.role = 'owner' else $2 = any (${WANTED}) end`;
  return execute<Addressee>(db, { name: 'list_readers', text }, [user_id, kind]);
}

/** False when another process was first. */
export async function tellReceived(
  db: Db,
  { account_id, told_until, until }: MovedWallet,
  mails: readonly NewMail[],
  most_a_day: number,
): Promise<boolean> {
  const values = [account_id, told_until, until, mailsJson(mails), most_a_day];
  return callValue<boolean>(db, 'tell_received', values);
}

export interface Happening {
  /** The kind under which it is told, too. */
  readonly kind: 'users.freeze' | 'users.unfreeze' | 'endpoint_failing' | 'endpoint_disabled';
  readonly subject: string;
  readonly at: string;
  readonly user_id: string;
  readonly username: string;
  readonly environment: Environment | null;
  readonly url: string | null;
}

/** Freezes of accounts, and endpoints that fail or were disabled for it, that were not told yet. */
export async function listHappenings(db: Db, limit: number): Promise<Happening[]> {
  const text = `select h.kind, h.subject, h.at, u.id as user_id, u.username, h.environment, h.url
     from (
       select a.action as kind, u.id as subject, a.at, u.id as user_id, null as environment, null as url
         from audit_log a join users u on u.username = a.details ->> 'username'
        where a.action in ('users.freeze', 'users.unfreeze') and a.at > clock_timestamp() - ${NEWS}
       union all
       select case when w.status = 'enabled' then 'endpoint_failing' else 'endpoint_disabled' end,
              w.id, w.failing_since, w.user_id, w.environment, w.url
         from webhook_endpoints w
        where w.failing_since is not null and w.status <> 'deleted'
          and (w.disabled_reason in ('failing', 'gone')
               or w.status = 'enabled' and w.environment = 'live' and w.consecutive_failures >= ${FAILURES}
                  and w.failing_since < clock_timestamp() - ${HICCUP})
     ) h join users u on u.id = h.user_id
    where not exists (select from told t where t.kind = h.kind and t.subject = h.subject and t.at = h.at)
    order by h.at limit $1`;
  return execute<Happening>(db, { name: 'list_happenings', text }, [limit]);
}

const APPROVAL = columns(
  'approvals a: id username currency amount_minor requested_by requested_at',
);
export type WaitingApproval = RowOf<typeof APPROVAL>;

export async function listUntoldApprovals(db: Db, limit: number): Promise<WaitingApproval[]> {
  const text = `select ${APPROVAL}
     from approvals a
    where a.status = 'waiting' and a.expires_at > clock_timestamp()
      and not exists (select from told t
            where t.kind = 'approval' and t.subject = a.id and t.at = a.requested_at)
    order by a.requested_at limit $1`;
  return execute<WaitingApproval>(db, { name: 'list_untold_approvals', text }, [limit]);
}

/** Operators; who has requested something need not be told that it waits. */
export async function listOtherOperators(db: Db, requested_by: string): Promise<Addressee[]> {
  const text = `select l.email, l.language from logins l
    where l.is_operator and lower($1) <> lower(l.email)
      and not exists (select from users u where u.username = lower($1) and account_owner(u.id) = l.id)`;
  return execute<Addressee>(db, { name: 'list_other_operators', text }, [requested_by]);
}

/** A payout, or a batch of them, which has no reference and no amount of its own. */
export interface WaitingPayout {
  readonly id: string;
  readonly ordered_by: string | null;
  readonly created_at: string;
  readonly reference: string | null;
  readonly currency: Currency;
  readonly amount_minor: bigint;
}

/** Payouts and batches that wait for the owners of an account and were not told. */
export interface WaitingPayouts {
  readonly user_id: string;
  readonly username: string;
  readonly items: readonly WaitingPayout[];
}

/**
 * Live payouts and batches, of accounts whose owners were not told of others a moment ago. One that waits again after
 * its confirmation, because an approver has left, is told again.
 */
export async function listUntoldPayouts(db: Db, limit: number): Promise<WaitingPayouts[]> {
  const text = `select w.*, u.username
     from (select p.user_id, p.id, p.ordered_by, coalesce(p.confirmed_at, p.created_at) as created_at, p.reference, p.currency, p.amount_minor from payouts p
            where p.environment = 'live' and p.status = 'requires_approval' and p.expires_at > clock_timestamp()
           union all
           select b.user_id, b.id, b.ordered_by, coalesce(b.confirmed_at, b.created_at), null, null, null from payout_batches b
            where b.environment = 'live' and b.status = 'requires_approval' and b.expires_at > clock_timestamp()) w
     join users u on u.id = w.user_id
    where not exists (select from told t where t.kind = 'payout' and t.subject = w.id and t.at = w.created_at)
      and not exists (select from told t where t.kind = 'payout' and t.subject = w.user_id
                        and t.at > clock_timestamp() - interval '15 minutes')
    order by w.user_id, w.created_at limit $1`;
  type Row = WaitingPayout & Pick<WaitingPayouts, 'user_id' | 'username'>;
  const rows = await execute<Row>(db, { name: 'list_untold_payouts', text }, [limit]);
  const accounts = new Map(rows.map(({ user_id, username }) => [user_id, username]));
  return [...accounts].map(([user_id, username]) => {
    return { user_id, username, items: rows.filter((row) => row.user_id === user_id) };
  });
}

/** The owners. */
export async function listPayoutApprovers(
  db: Db,
  user_id: string,
): Promise<(Addressee & { readonly login_id: string })[]> {
  const text = `select l.id as login_id, l.email, l.language from memberships m join logins l on l.id = m.login_id
    where m.user_id = $1 and m.role = 'owner' and l.email_verified_at is not null`;
  const statement = { name: 'list_payout_approvers', text };
  return execute<Addressee & { login_id: string }>(db, statement, [user_id]);
}

/** False when it is too soon, or another process was first. */
export async function tellWaitingPayouts(
  db: Db,
  { user_id, items }: WaitingPayouts,
  mails: readonly NewMail[],
): Promise<boolean> {
  const told = JSON.stringify(items.map(({ id, created_at }) => ({ id, created_at })));
  return callValue<boolean>(db, 'tell_waiting_payouts', [user_id, told, mailsJson(mails)]);
}

const KEY = columns('api_keys k: id user_id environment name key_prefix last_four');

export interface ExpiringKey extends RowOf<typeof KEY> {
  readonly username: string;
  readonly expires_at: string;
  /** Days before it expires, of EXPIRY_DAYS. */
  readonly days: number;
  /** The moment that lies so many days before. */
  readonly at: string;
}

/** How many days before a key expires people are told. */
const EXPIRY_DAYS = [14, 3, 0];
/** A key that has expired for longer is missed already, or by nobody. */
const EXPIRY = "interval '15 days'";

/**
 * Keys that expire soon or have just expired, of which the last mail that was due is not told. One that was made
 * later than that is not told of either.
 */
export async function listExpiringKeys(db: Db, limit: number): Promise<ExpiringKey[]> {
  const text = `select ${KEY}, u.username, k.expires_at, d.days, d.at
     from api_keys k
     join users u on u.id = k.user_id
    cross join lateral (
      select days, k.expires_at - make_interval(days => days) as at from unnest($2::integer[]) days
       where k.expires_at - make_interval(days => days) <= now() order by days limit 1) d
    where k.expires_at between now() - ${EXPIRY} and now() + ${EXPIRY}
      and k.revoked_at is null and k.created_at < d.at
      and not exists (select from told t where t.kind = 'key_expiry' and t.subject = k.id and t.at = d.at)
    order by k.expires_at limit $1`;
  const statement = { name: 'list_expiring_keys', text };
  return execute<ExpiringKey>(db, statement, [limit, EXPIRY_DAYS]);
}

export interface DueRegular {
  readonly kind: 'digest' | 'statement';
  readonly user_id: string;
  readonly username: string;
  /** The beginning of the day or month. */
  readonly at: string;
  /** Whether the day had more to tell than its mails. */
  readonly is_full: boolean;
}

/**
 * Yesterday and last month of the accounts of which a member wants to know, and full days; from the
 * given hour on, UTC.
 */
export async function listDueRegular(
  db: Db,
  limit: number,
  from_hour: number,
): Promise<DueRegular[]> {
  const text = `with today as (select date_trunc('day', clock_timestamp(), 'UTC') as began),
       due as (
         select 'digest' as kind, m.user_id, began - interval '1 day' as at
           from today, memberships m where m.mails && array['digest', 'statements'] and 'digest' = any (m.mails)
         union
         select 'digest', t.subject, t.at from today join told t on t.at = began - interval '1 day'
          where t.kind = 'full_day'
         union
         select 'statement', m.user_id, date_trunc('month', began - interval '1 month', 'UTC')
           from today, memberships m
          where m.mails && array['digest', 'statements'] and 'statements' = any (m.mails)
       )
     select d.kind, d.user_id, u.username, d.at,
            exists (select from told f where f.kind = 'full_day' and f.subject = d.user_id and f.at = d.at)
              as is_full
       from due d join users u on u.id = d.user_id
      where clock_timestamp() >= (select began + make_interval(hours => $2) from today)
        and u.created_at < d.at + case d.kind when 'digest' then interval '1 day' else interval '1 month' end
        and not exists (select from told t where t.kind = d.kind and t.subject = d.user_id and t.at = d.at)
      limit $1`;
  return execute<DueRegular>(db, { name: 'list_due_regular', text }, [limit, from_hour]);
}

export interface ReceivedSum {
  readonly currency: Currency;
  readonly count: number;
  readonly amount_minor: bigint;
}

/** Sums up what the account's live wallets received on the day that begins at `at`. */
export async function sumReceivedOn(db: Db, user_id: string, at: string): Promise<ReceivedSum[]> {
  const text = `select t.currency, count(*)::integer as count, sum(t.amount_minor)::bigint as amount_minor
     from transactions t
    where t.user_id = $1 and t.environment = 'live' and t.type in ('deposit', 'transfer_in')
      and t.direction = 'in' and t.status = 'completed'
      and t.created_at >= $2 and t.created_at < $2::timestamptz + interval '1 day'
    group by t.currency order by t.currency`;
  return execute<ReceivedSum>(db, { name: 'sum_received_on', text }, [user_id, at]);
}

/** False when another process was first. */
export async function tellOnce(
  db: Db,
  { kind, subject, at }: { readonly kind: string; readonly subject: string; readonly at: string },
  mails: readonly NewMail[],
  many_of: string | null = null,
): Promise<boolean> {
  return callValue<boolean>(db, 'tell_once', [kind, subject, at, mailsJson(mails), many_of]);
}

export function mailsJson(mails: readonly NewMail[]): string {
  return JSON.stringify(
    mails.map((mail) => ({ ...mail, sealed_text: mail.sealed_text.toString('base64') })),
  );
}

export async function forgetTold(db: Db, older_than_days: number): Promise<void> {
  await callValue(db, 'forget_told', [older_than_days]);
}

/** The mails that the member gets of the account. */
export async function findMemberMails(
  db: Db,
  login_id: string,
  user_id: string,
): Promise<readonly MailKind[]> {
  const text = `select ${WANTED} as mails from memberships m where m.login_id = $1 and m.user_id = $2`;
  const statement = { name: 'find_member_mails', text };
  const [row] = await execute<{ mails: MailKind[] }>(db, statement, [login_id, user_id]);
  return row?.mails ?? [];
}

export const setMemberMails =
  calls<(login_id: string, user_id: string, mails: readonly MailKind[]) => void>(
    'set_member_mails',
  );
