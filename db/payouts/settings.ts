// The rule that an account sets for its payouts, and what an order would meet.

import type { Currency } from '../../domain/currency';
import type { WalletHold } from '../../domain/wallet-hold';
import { columns, type RowOf } from '../columns';
import { callValue, execute, lookUp, type Db } from '../connect';
import type { NewMail } from '../people/mails';
import { mailsJson } from '../people/news';
import type { NewPayout, PayoutLimitName } from './payouts';

const RULES = columns(`payout_settings s:
  approval_above_minor new_destination_above_minor single_minor daily_minor monthly_minor`);

/** Amounts are in minor units; null: no such rule. */
export interface PayoutRules extends RowOf<typeof RULES> {
  readonly approvers: 1 | 2;
}

export async function readPayoutSettings(
  db: Db,
  user_id: string,
  currency: Currency,
): Promise<PayoutRules> {
  const text = `select ${RULES}, coalesce(s.approvers, 1) as approvers
     from (values (1)) one left join payout_settings s on s.user_id = $1 and s.currency = $2`;
  const statement = { name: 'read_payout_settings', text };
  return (await lookUp<PayoutRules>(db, statement, [user_id, currency]))[0]!;
}

/** False when nothing was changed; then no mail leaves. */
export async function setPayoutSettings(
  db: Db,
  { user_id, currency }: { readonly user_id: string; readonly currency: Currency },
  rules: PayoutRules,
  mails: readonly NewMail[],
): Promise<boolean> {
  const settings = JSON.stringify(rules, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  const values = [user_id, currency, settings, mailsJson(mails)];
  return callValue<boolean>(db, 'set_payout_settings', values);
}

export interface PayoutPreview {
  readonly balance_minor: bigint;
  readonly fee_minor: bigint;
  /** The part of the fee that is tax. */
  readonly tax_minor: bigint;
  readonly held_by: WalletHold | null;
  readonly approvals_needed: number;
  /** The limit that it would exceed. */
  readonly limit_name: PayoutLimitName | null;
  readonly maximum_minor: bigint | null;
  readonly used_minor: bigint | null;
  /** The same amount to the same destination, a short time ago. */
  readonly same_reference: string | null;
  readonly same_at: string | null;
}

const PREVIEW = {
  name: 'preview_payout',
  text: `select balance_minor, fee_minor, tax_minor, held_by, approvals_needed, limit_name, maximum_minor, used_minor,
                same.reference as same_reference, same.created_at as same_at
           from preview_payout($1::jsonb)
           left join lateral (
             select p.reference, p.created_at
               from jsonb_populate_record(null::payouts, $1::jsonb) q
               join payouts p on p.user_id = q.user_id and p.environment = q.environment
                and p.currency = q.currency and p.amount_minor = q.amount_minor
                and (p.phone = q.phone or p.account = q.account)
              where p.created_at > clock_timestamp() - interval '10 minutes'
                and p.status not in ('failed', 'canceled')
              order by p.created_at desc limit 1) same on true`,
};

export async function previewPayout(
  db: Db,
  payout: Pick<
    NewPayout,
    | 'user_id'
    | 'environment'
    | 'currency'
    | 'amount_minor'
    | 'phone'
    | 'operator'
    | 'account'
    | 'bank_code'
  >,
): Promise<PayoutPreview> {
  return (await execute<PayoutPreview>(db, PREVIEW, [JSON.stringify(payout)]))[0]!;
}
