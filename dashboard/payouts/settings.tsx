// The owners' rule of payouts: which of them need an approval, and how much may leave. One form a currency.

import { requestAmount } from '../../api/schemas';
import { countOwners } from '../../db/people/team';
import { readPayoutSettings } from '../../db/payouts/settings';
import { CURRENCIES, isCurrency } from '../../domain/currency';
import { MAX_MINOR, type Minor } from '../../domain/money';
import { typedAmount } from '../../pages/amounts';
import { CURRENCY_LABELS } from '../../pages/formats';
import { changePayoutRules } from '../../use-cases/payouts/settings';
import { writingOf } from '../browser';
import { seeOther } from '../context';
import type { Shape } from '../form-fields';
import { formRoutes } from '../form-page';
import { Link, Notice } from '../parts';
import { LIST_WORDS } from '../list-words';
import { RULE_WORDS } from './words';

const PATH = '/payouts/settings';

/** Without an amount the rule holds for no payout, above 0 for all. */
const above = { type: 'number', minimum: 0 } as const;

const RULES = {
  type: 'object',
  required: ['currency', 'approvers'],
  properties: {
    currency: { type: 'string', enum: CURRENCIES },
    approval_above: above,
    new_destination_above: above,
    approvers: { type: 'string', enum: ['1', '2'] },
    single: requestAmount,
    daily: requestAmount,
    monthly: requestAmount,
  },
} as const;

type AmountName = 'approval_above' | 'new_destination_above' | 'single' | 'daily' | 'monthly';

export const SETTINGS_ROUTES = formRoutes({
  path: PATH,
  access: 'profile',
  action: 'payouts.settings',
  confirmed: 'always',
  find: async ({ db }, { ctx, form, query, account: { user_id } }) => {
    const named = (ctx.method === 'POST' ? form : query).get('currency') ?? '';
    const currency = isCurrency(named) ? named : 'XOF';
    const [settings, owners] = await Promise.all([
      readPayoutSettings(db, user_id, currency),
      countOwners(db, user_id),
    ]);
    return { currency, settings, owners };
  },
  words: (language) => {
    const { title, lead, save } = RULE_WORDS[language];
    return { title, lead, button: save };
  },
  above: ({ language }, { currency, settings, owners }) => {
    const { approval_above_minor, new_destination_above_minor, approvers } = settings;
    const isOn = approval_above_minor !== null || new_destination_above_minor !== null;
    return (
      <>
        <nav class="tabs" aria-label={LIST_WORDS[language].currency}>
          {CURRENCIES.map((one) => (
            <Link to={`${PATH}?currency=${one}`} current={one === currency}>
              {CURRENCY_LABELS[one]}
            </Link>
          ))}
        </nav>
        {isOn && owners <= approvers && (
          <Notice tone="warn">{RULE_WORDS[language].too_few_owners(owners)}</Notice>
        )}
      </>
    );
  },
  body: RULES,
  fields: (_, { language }, { currency, settings }) => {
    const words = RULE_WORDS[language];
    const amount = (name: AmountName, hint?: string): Shape => {
      const minor = settings[`${name}_minor`];
      const value = minor === null ? '' : typedAmount(minor as Minor, currency);
      return { label: words[name], hint, value, currency, most: MAX_MINOR };
    };
    return {
      currency: { label: '', type: 'hidden', value: currency },
      approval_above: {
        ...amount('approval_above', words.approval_above_hint),
        before: <h2>{words.approval}</h2>,
      },
      new_destination_above: amount('new_destination_above', words.new_destination_above_hint),
      approvers: {
        label: words.approvers,
        options: (['1', '2'] as const).map((value) => ({
          value,
          label: words.approvers_options[value],
        })),
        value: String(settings.approvers),
      },
      single: {
        ...amount('single'),
        before: (
          <>
            <h2>{words.limits}</h2>
            <p class="hint">{words.limits_hint}</p>
          </>
        ),
      },
      daily: amount('daily'),
      monthly: amount('monthly'),
    };
  },
  send: async (dependencies, { account, session, language }, { found, body, amounts }) => {
    const words = RULE_WORDS[language];
    const { currency } = found;
    const minor = (name: AmountName): bigint | null => amounts[name] ?? null;
    const is_changed = await changePayoutRules(writingOf(dependencies), {
      account,
      currency,
      rules: {
        approval_above_minor: minor('approval_above'),
        approvers: body.approvers === '2' ? 2 : 1,
        new_destination_above_minor: minor('new_destination_above'),
        single_minor: minor('single'),
        daily_minor: minor('daily'),
        monthly_minor: minor('monthly'),
      },
      changed_by: session.email,
    });
    return seeOther(`${PATH}?currency=${currency}`, {
      flash: is_changed ? { notice: words.saved } : { notice: words.same, tone: 'quiet' },
      subject: `payout_settings/${currency}`,
    });
  },
});
