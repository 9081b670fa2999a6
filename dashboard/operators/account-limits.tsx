// Tier and limits on the operators' page of an account, with the forms that set them.

import type { AccountLimits as Limits } from '../../db/limits/limits';
import { CURRENCIES } from '../../domain/currency';
import { ENVIRONMENTS } from '../../domain/environment';
import { LIMITS, TIERS } from '../../domain/limits';
import { CURRENCY_LABELS } from '../../pages/formats';
import { Button, Field, Select } from '../forms';
import { useFrame } from '../frame';
import { limitText } from '../limits/bars';
import { LIMIT_WORDS } from '../limits/words';
import { Details, Table } from '../parts';
import { SETTING_LABELS } from './approval-words';
import { EnvironmentTag, ReasonForm } from './frame';
import { WORDS } from './words';

/** Longer than any amount. */
const MAX_AMOUNT = 20;

export function AccountLimits({
  username,
  limits: { tier, set_by, limits },
}: {
  readonly username: string;
  readonly limits: Limits;
}) {
  const { language } = useFrame();
  const [words, shared] = [LIMIT_WORDS[language], WORDS[language]];
  const path = `/operators/accounts/${username}`;
  const by = set_by === 'identity' ? words.tier_by_identity : words.tier_by_operator;
  return (
    <>
      <h2>{words.limits}</h2>
      <Details rows={[[words.tier, `${words.tiers[tier]}, ${by}`]]} />
      {limits.length === 0 ? (
        <p>{words.no_limits}</p>
      ) : (
        <Table
          caption={words.limits}
          columns={[shared.environment, shared.currency, words.limit, words.use, words.origin]}
          rows={limits.map((limit) => [
            <EnvironmentTag environment={limit.environment} />,
            CURRENCY_LABELS[limit.currency],
            words.names[limit.limit_name],
            limitText(language, limit),
            limit.from_account ? words.own : words.of_tier,
          ])}
        />
      )}
      <details>
        <summary>{words.set_tier}</summary>
        <ReasonForm action={`${path}/tier`} hint={shared.reason_hint}>
          <Select
            name="tier"
            label={words.tier}
            value={set_by === 'identity' ? 'auto' : tier}
            options={[
              { value: 'auto', label: words.auto },
              ...TIERS.map((value) => ({ value, label: words.tiers[value] })),
            ]}
          />
          <Button look="plain">{words.set_tier}</Button>
        </ReasonForm>
      </details>
      <details>
        <summary>{words.set_limits}</summary>
        <p class="hint">{words.set_limits_hint}</p>
        <ReasonForm action={`${path}/limits`} hint={shared.reason_hint}>
          <Select
            name="environment"
            label={shared.environment}
            options={ENVIRONMENTS.map((value) => ({ value, label: shared[value] }))}
          />
          <Select
            name="currency"
            label={shared.currency}
            options={CURRENCIES.map((value) => ({ value, label: CURRENCY_LABELS[value] }))}
          />
          {LIMITS.map((name) => (
            <Field name={name} label={SETTING_LABELS[language][name]!} maxLength={MAX_AMOUNT} />
          ))}
          <Button look="plain">{words.set_limits}</Button>
        </ReasonForm>
      </details>
    </>
  );
}
