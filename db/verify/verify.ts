// Checks what must always hold, from the rows alone: I1 to I3 and I5 here, I6 and I7 of payment
// intents in verify-intents.ts, I14 of references between tables in verify-references.ts, I15 of seals
// in verify-seals.ts, I16 of bulk transfers in verify-batches.ts, I17 of refunds in verify-refunds.ts, I18
// of reversals in verify-reversals.ts, I19 of payouts in verify-payouts.ts and
// verify-payout-batches.ts, I20 of disputes in verify-disputes.ts, I21 of limits in verify-limits.ts, I22 of cases in
// verify-risk.ts, I23 of the treasury in verify-treasury.ts, I24 of fees and taxes in verify-fees.ts. Run by operators and
// tests.

import type { Db } from '../connect';
import { checks, type Check, type Violation } from './checks';
import { BATCH_CHECKS } from './verify-batches';
import { DISPUTE_CHECKS } from './verify-disputes';
import { FEE_CHECKS } from './verify-fees';
import { INTENT_CHECKS } from './verify-intents';
import { LIMIT_CHECKS } from './verify-limits';
import { PAYOUT_BATCH_CHECKS } from './verify-payout-batches';
import { PAYOUT_CHECKS } from './verify-payouts';
import { REFUND_CHECKS } from './verify-refunds';
import { REFERENCE_CHECKS } from './verify-references';
import { RISK_CHECKS } from './verify-risk';
import { REVERSAL_CHECKS } from './verify-reversals';
import { SEAL_CHECKS, verifySeals } from './verify-seals';
import { TREASURY_CHECKS } from './verify-treasury';

export type { Violation };

/** The accounts that each kind of posting debits and credits. */
const LEGS = `('transfer', 'wallet', 'wallet'), ('transfer', 'wallet', 'fees wallet'),
  ('transfer', 'wallet', 'taxes wallet'), ('transfer', 'wallet', 'fees taxes wallet'),
  ('hold', 'wallet', 'holds'), ('hold', 'gateway_clearing', 'holds'), ('hold_returned', 'holds', 'wallet'),
  ('transfer', 'holds', 'wallet'), ('transfer', 'holds', 'fees wallet'),
  ('transfer', 'holds', 'taxes wallet'), ('transfer', 'holds', 'fees taxes wallet'),
  ('payment', 'holds', 'wallet'), ('payment', 'holds', 'fees wallet'), ('suspense', 'holds', 'suspense'),
  ('payment', 'holds', 'taxes wallet'), ('payment', 'holds', 'fees taxes wallet'),
  ('reversal', 'wallet', 'wallet'),
  ('adjustment', 'operator', 'wallet'), ('adjustment', 'sandbox_source', 'wallet'),
  ('payment', 'gateway_clearing', 'wallet'), ('payment', 'gateway_clearing', 'fees wallet'),
  ('payment', 'gateway_clearing', 'taxes wallet'), ('payment', 'gateway_clearing', 'fees taxes wallet'),
  ('refund_reserved', 'wallet', 'refunds'), ('refund_made', 'refunds', 'gateway_clearing'),
  ('refund_returned', 'refunds', 'wallet'), ('refund_returned', 'gateway_clearing', 'wallet'),
  ('dispute_taken', 'wallet', 'disputes'), ('dispute_taken', 'wallet', 'gateway_clearing'),
  ('dispute_won', 'disputes', 'wallet'), ('dispute_won', 'gateway_clearing', 'wallet'),
  ('dispute_lost', 'disputes', 'gateway_clearing'),
  ('settlement', 'bank', 'gateway_clearing'), ('provider_fee', 'provider_fees', 'gateway_clearing'),
  ('provider_fee', 'gateway_clearing', 'provider_fees'), ('bank_fee', 'provider_fees', 'bank'),
  ('fees_withdrawn', 'fees', 'bank'), ('taxes_paid', 'taxes', 'bank'),
  ('float_topped_up', 'gateway_clearing', 'bank'), ('credit_funded', 'bank', 'operator'),
  ('break_adjusted', 'gateway_clearing', 'provider_fees'), ('break_adjusted', 'provider_fees', 'gateway_clearing'),
  ('break_adjusted', 'bank', 'provider_fees'), ('break_adjusted', 'provider_fees', 'bank'),
  ('payout', 'wallet', 'payouts'), ('payout_made', 'payouts', 'gateway_clearing'),
  ('payout_made', 'payouts', 'fees gateway_clearing'),
  ('payout_made', 'payouts', 'gateway_clearing taxes'), ('payout_made', 'payouts', 'fees gateway_clearing taxes'),
  ('payout_given_back', 'payouts', 'wallet'),
  ('payout_returned', 'gateway_clearing', 'wallet'),
  ('suspense', 'gateway_clearing', 'suspense'), ('suspense_accepted', 'suspense', 'wallet'),
  ('refund', 'suspense', 'gateway_clearing'), ('refund', 'gateway_clearing', 'suspense'),
  ('refund', 'suspense', 'operator'),
  ('loss', 'operator', 'gateway_clearing'), ('loss', 'gateway_clearing', 'operator')`;

const legs = (sign: '<' | '>'): string =>
  `string_agg(a.kind, ' ' order by a.kind) filter (where e.amount_minor ${sign} 0)`;

const BALANCES = {
  'balance is not the sum of its entries': 'whole',
  'entry does not continue the balance before it': 'time',
  'wallet was below zero': 'time',
} as const;

export const CHECKS: readonly Check[] = [
  ...checks('I1', 'time', {
    'entries of an environment and currency do not sum to zero': `
      select environment || '/' || currency as reference from ledger_entries
       group by environment, currency having sum(amount_minor) <> 0`,
  }),
  ...checks('I2', 'time', {
    'journal transaction is empty, half-written, does not balance, or moved money between other accounts than its kind does': `
      select t.reference from ledger_transactions t
        left join ledger_entries e on e.transaction_id = t.id
        left join ledger_accounts a on a.id = e.account_id
       group by t.id, t.reference, t.kind
      having sum(e.amount_minor) <> 0 or min(e.currency) <> max(e.currency)
          or coalesce((t.kind, ${legs('<')}, ${legs('>')}) not in (${LEGS}), true)`,
  }),
  ...checks('I3', BALANCES, {
    'balance is not the sum of its entries': `
      select a.public_id::text as reference from ledger_accounts a
        left join ledger_entries e on e.account_id = a.id
       group by a.id
      having a.balance_minor <> coalesce(sum(e.amount_minor), 0)
          or a.version <> count(e.account_id)`,
    // Where each entry continues the one before it, this says the same, and reads one entry of an account.
    'balance is not that of its last entry': `
      select a.public_id::text as reference from ledger_accounts a
        left join lateral (
          select x.balance_after_minor, x.account_version from public.ledger_entries x
           where x.account_id = a.id order by x.account_version desc limit 1) e on true
       where a.balance_minor <> coalesce(e.balance_after_minor, 0)
          or a.version <> coalesce(e.account_version, 0)`,
    'entry does not continue the balance before it': `
      select t.reference from (
        select e.transaction_id, e.account_id, e.amount_minor, e.balance_after_minor, e.account_version,
               lag(e.account_version, 1, 0::bigint) over w as version_before,
               lag(e.balance_after_minor, 1, 0::bigint) over w as before
          from ledger_entries e
        window w as (partition by e.account_id order by e.account_version)) e
        join ledger_transactions t on t.id = e.transaction_id
       where case when e.account_version = e.version_before + 1
                  then e.before + e.amount_minor <> e.balance_after_minor
                  -- A piece of time may lack the one before.
                  else not exists (
                    select from public.ledger_entries x
                     where x.account_id = e.account_id and x.account_version = e.account_version - 1
                       and x.balance_after_minor + e.amount_minor = e.balance_after_minor) end`,
    'wallet was below zero': `
      select a.public_id::text as reference
        from ledger_accounts a
        -- Read once: a look-up for each wallet may read all entries to find none.
        left join (select distinct account_id from ledger_entries
                    where balance_after_minor < 0) e on e.account_id = a.id
       where a.kind = 'wallet' and (a.balance_minor < 0 or e.account_id is not null)`,
  }),
  ...checks('I5', 'time', {
    'completed transfer without its one journal transaction, or the reverse': `
      select coalesce(t.reference, j.reference) as reference from transfers t
        full join (select * from ledger_transactions where kind = 'transfer') j
          on j.reference = t.reference and j.environment = t.environment
       where t.reference is null or (t.status in ('simulated', 'held', 'refused')) <> (j.reference is null)`,
    'transfer without the answer stored for its key, or the reverse': `
      select coalesce(t.reference, k.reference) as reference
        -- A bulk item without a key of its own has no answer.
        from (select * from transfers where idempotency_key is not null) t
        full join (select * from idempotency_keys
                    where operation = 'transfer' and status in (200, 202)) k
          on k.reference = t.reference and k.user_id = t.sender_id
             and k.environment = t.environment and k.key = t.idempotency_key
       where t.reference is null or k.reference is null`,
    'transfer is not shown exactly once to each side with its figures': `
      select t.reference from (select * from transfers where created_at >= (select shown_since())) t
        left join transactions h on h.reference = t.reference
             and h.environment = t.environment and h.currency = t.currency
             and (h.type = 'transfer_out' and h.user_id = t.sender_id
                  or h.type = 'transfer_in' and h.user_id = t.recipient_id)
             -- A fee of the sender's is on top of the amount, and no fee of the recipient.
             and (h.amount_minor, h.fee_minor, h.tax_minor) = (
                  t.amount_minor + case when t.fee_bearer = 'payer' and h.direction = 'out' then t.fee_minor else 0 end,
                  case when t.fee_bearer = 'payer' and h.direction = 'in' then 0 else t.fee_minor end,
                  case when t.fee_bearer = 'payer' and h.direction = 'in' then 0 else t.tax_minor end)
       group by t.reference, t.status
      having count(*) filter (where h.type = 'transfer_out') <> 1
          or count(*) filter (where h.type = 'transfer_in')
             <> case when t.status in ('held', 'refused') then 0 else 1 end`,
    // The history has no foreign keys. With the legs of each kind and what follows for transfers, payments, refunds and
    // reversals, this also says that each posting moved what it is about, and nothing else.
    'entry of a wallet is not what its history shows, or the reverse': `
      select distinct coalesce(e.reference, h.reference) as reference
        from (select x.*, a.id as account_id,
                     case x.direction when 'in' then x.amount_minor - x.fee_minor
                                      else -x.amount_minor end as moved_minor
                from transactions x
                left join ledger_accounts a on a.user_id = x.user_id and a.kind = 'wallet'
                     and a.environment = x.environment and a.currency = x.currency
               -- One that was held in the sandbox moved nothing either.
               where x.status <> 'simulated' and not (x.type = 'transfer_out' and x.environment = 'sandbox')
                 and coalesce(x.ledger_transaction_id >= (select first_id(shown_since())), true)) h
        full join (
          select x.*, j.kind,
                 -- Money that was given back has in the history the reference of what it was given back of.
                 case when j.kind in ('hold', 'hold_returned', 'refund_returned', 'payout_given_back', 'payout_returned',
                                  'dispute_taken', 'dispute_won')
                      then j.description else j.reference end as reference
            from ledger_entries x
            join ledger_accounts a on a.id = x.account_id and a.kind = 'wallet'
            left join ledger_transactions j on j.id = x.transaction_id
                 and j.environment = x.environment
           where x.transaction_id >= (select first_id(shown_since()))) e
          on e.transaction_id = h.ledger_transaction_id and e.account_id = h.account_id
             and e.amount_minor = h.moved_minor and e.balance_after_minor = h.balance_after_minor
             and e.reference = h.reference
             and h.type = case e.kind
               when 'transfer' then case when e.amount_minor > 0 then 'transfer_in' else 'transfer_out' end
               when 'payment' then 'deposit' when 'suspense_accepted' then 'deposit'
               when 'dispute_taken' then 'dispute' when 'dispute_won' then 'reversal'
               when 'hold' then 'transfer_out' when 'hold_returned' then 'reversal'
               when 'refund_reserved' then 'refund' when 'refund_returned' then 'reversal'
               when 'payout' then 'withdrawal'
               when 'payout_given_back' then 'reversal' when 'payout_returned' then 'reversal'
               else e.kind end
       where e.transaction_id is null or h.id is null`,
    'credit by an operator is shown twice': `
      select j.reference from ledger_transactions j
        join transactions h on h.ledger_transaction_id = j.id
       where j.kind in ('adjustment', 'suspense_accepted')
       group by j.id, j.reference having count(*) > 1`,
    'history shows a simulated transfer that was never made': `
      select h.reference from transactions h
       where h.status = 'simulated' and h.type in ('transfer_in', 'transfer_out')
         and not exists (select from transfers t
                          where t.reference = h.reference and t.environment = h.environment
                            and h.user_id = case h.type when 'transfer_in' then t.recipient_id
                                                        else t.sender_id end)`,
    'history has another JSON text than its row': `
      select t.reference from transactions t where t.json <> transaction_json(t)`,
  }),
  ...INTENT_CHECKS,
  ...REFUND_CHECKS,
  ...REVERSAL_CHECKS,
  ...DISPUTE_CHECKS,
  ...LIMIT_CHECKS,
  ...PAYOUT_CHECKS,
  ...PAYOUT_BATCH_CHECKS,
  ...RISK_CHECKS,
  ...TREASURY_CHECKS,
  ...FEE_CHECKS,
  ...REFERENCE_CHECKS,
  ...SEAL_CHECKS,
  ...BATCH_CHECKS,
];

/** Limits of a verification beside the traffic, for which no operator waits. */
export interface VerifyLimits {
  /** The limit of one check. Without it a check may take as long as it takes. */
  readonly statement_timeout_ms?: number;
  /** No check uses more than one of the server's processors. */
  readonly is_modest?: boolean;
  /** Called before each check: it may throw, to give up. */
  readonly onCheck?: () => void;
}

/**
 * Each check is one statement and reads a snapshot of its own, which has each posting under way whole or not at all: one
 * snapshot for all of them would keep old row versions from being removed for as long as everything takes.
 * `known_seal` is the hash of a seal, noted elsewhere: without one, newest seals that were removed are not missed.
 */
export async function verifyLedger(
  db: Db,
  known_seal?: string,
  { statement_timeout_ms = 0, is_modest = false, onCheck = () => undefined }: VerifyLimits = {},
): Promise<Violation[]> {
  return db.transaction(
    async (tx) => {
      // A whole-ledger scan may outlast the limits meant for requests.
      await tx.raw(`set local statement_timeout = ${statement_timeout_ms}`);
      await tx.raw("set local idle_in_transaction_session_timeout = '1min'");
      if (is_modest) await tx.raw('set local max_parallel_workers_per_gather = 0');
      // Whole tables are compared. A plan made while there are no statistics yet, as in a new database, would
      // look at each row of one for each row of the other.
      await tx.raw('set local enable_nestloop = off');
      const found: Violation[] = [];
      for (const { sql, pieces: _, ...check } of CHECKS) {
        onCheck();
        const { rows } = (await tx.raw(sql)) as { rows: { reference: string }[] };
        found.push(...rows.map(({ reference }) => ({ ...check, reference })));
      }
      onCheck();
      found.push(...(await verifySeals(tx, known_seal)));
      return found;
    },
    { readOnly: true },
  );
}
