// The forms for the tier and the limits of an account: each sets, or asks for a second operator.

import { findUserByName } from '../../db/accounts/users';
import { CURRENCIES } from '../../domain/currency';
import { ENVIRONMENTS } from '../../domain/environment';
import { LIMITS, TIERS } from '../../domain/limits';
import { formatAmount, parseAmount } from '../../domain/money';
import { setAccountLimits, setAccountTier } from '../../use-cases/tiers';
import type { SettingChange } from '../../use-cases/settings';
import { seeOther, type Answer, type SignedInVisit } from '../context';
import { LIMIT_WORDS } from '../limits/words';
import { accountPage } from './accounts';
import { asOperator, operatorForm, readReason, type OperatorDependencies } from './frame';
import { WORDS } from './words';

type Change = (
  asking: ReturnType<typeof asOperator>,
  username: string,
  reason: string,
) => Promise<SettingChange<unknown, never>>;

/** A refusal is shown on the page of the account. */
async function decide(
  dependencies: OperatorDependencies,
  visit: SignedInVisit,
  faults: Readonly<Record<string, string>>,
  change: Change,
): Promise<Answer | undefined> {
  const { language } = visit;
  const [words, shared] = [LIMIT_WORDS[language], WORDS[language]];
  const user = await findUserByName(dependencies.operator_db, visit.params['username'] ?? '');
  if (!user) return undefined;
  const reason = readReason(visit);
  const missing = reason === undefined ? { reason: shared.reason_missing } : {};
  if (reason === undefined || Object.keys(faults).length > 0) {
    return accountPage(dependencies, visit, { ...faults, ...missing });
  }
  const done = await change(asOperator(dependencies, visit), user.username, reason);
  if (!done.ok) {
    if (done.error === 'refused') return undefined;
    return seeOther(`/operators/approvals/${done.approval}`, {
      flash: {
        notice: done.error === 'approval_required' ? shared.awaits : shared.other_awaits,
        tone: 'quiet',
      },
    });
  }
  const notice = done.changed ? words.is_set(words.limits) : words.unchanged;
  return seeOther(`/operators/accounts/${user.username}`, { flash: { notice } });
}

const oneOf = <Word extends string>(words: readonly Word[], word: string | null) =>
  words.find((one) => one === word);

export const ACCOUNT_LIMIT_ROUTES = [
  operatorForm('/operators/accounts/:username/tier', async (dependencies, visit) => {
    const tier = oneOf([...TIERS, 'auto'] as const, visit.form.get('tier'));
    if (tier === undefined) return undefined;
    return decide(dependencies, visit, {}, (asking, username, reason) =>
      setAccountTier(asking, username, tier, reason),
    );
  }),
  operatorForm('/operators/accounts/:username/limits', async (dependencies, visit) => {
    const { form, language } = visit;
    const environment = oneOf(ENVIRONMENTS, form.get('environment'));
    const currency = oneOf(CURRENCIES, form.get('currency'));
    if (environment === undefined || currency === undefined) return undefined;
    const faults: Record<string, string> = {};
    const limits: Record<string, string> = {};
    for (const name of LIMITS) {
      const text = (form.get(name) ?? '').replace(/\s/g, '').replace(',', '.');
      if (text === 'off' || text === 'tier') limits[name] = text;
      else if (text !== '') {
        const parsed = parseAmount(text, currency);
        if (parsed.ok) limits[name] = formatAmount(parsed.amount);
        else faults[name] = LIMIT_WORDS[language].bad_amount;
      }
    }
    return decide(dependencies, visit, faults, (asking, username, reason) =>
      setAccountLimits(asking, { username, environment, currency }, limits, reason),
    );
  }),
];
