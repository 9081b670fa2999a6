// The owners' rule of payouts. Every owner gets a mail of each change, also the one who made it
// (docs/decisions/payouts.md).

import { setPayoutSettings, type PayoutRules } from '../../db/payouts/settings';
import type { Currency } from '../../domain/currency';
import { MAIL_TEXTS } from '../mail-texts';
import { sealForOwners } from '../mails';
import type { Writing } from '../registration';

export interface RulesChange {
  readonly account: { readonly user_id: string; readonly username: string };
  readonly currency: Currency;
  readonly rules: PayoutRules;
  /** The e-mail address of the owner who changes them. */
  readonly changed_by: string;
}

/** False when the rules were these already. */
export async function changePayoutRules(
  { db, sealer, wakeMail, dashboard_url }: Writing,
  { account: { user_id, username }, currency, rules, changed_by }: RulesChange,
): Promise<boolean> {
  const page = `${dashboard_url}/payouts/settings?currency=${currency}`;
  const mails = await sealForOwners({ db, sealer }, user_id, (language) =>
    MAIL_TEXTS[language].payout_rules(username, currency, changed_by, page),
  );
  const is_changed = await setPayoutSettings(db, { user_id, currency }, rules, mails);
  if (is_changed) mails.forEach(({ id }) => wakeMail(id));
  return is_changed;
}
