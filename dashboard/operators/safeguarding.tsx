// Whether the money of customers is there: the report at any moment that has passed.

import type { JSX } from 'preact';
import { ENVIRONMENTS } from '../../domain/environment';
import { parseInstant } from '../../domain/instant';
import { reportSafeguarding, type SafeguardingOf } from '../../use-cases/treasury/safeguarding';
import { page } from '../context';
import { Button, Field, Select } from '../forms';
import { href, useFrame } from '../frame';
import { Money, Notice, Table, Tag, Time } from '../parts';
import { EnvironmentTag, operatorPage } from './frame';
import { TREASURY_WORDS } from './treasury-words';
import { WORDS } from './words';

const PATH = '/operators/safeguarding';

export const SAFEGUARDING_ROUTES = [
  operatorPage(PATH, async ({ operator_db }, { language, query }) => {
    const [words, shared] = [TREASURY_WORDS[language], WORDS[language]];
    const asked = (query.get('at') ?? '').trim();
    const at = asked === '' ? null : parseInstant(asked);
    const environment =
      ENVIRONMENTS.find((one) => one === query.get('environment')) ?? ENVIRONMENTS[0];
    const report =
      at === undefined ? undefined : await reportSafeguarding(operator_db, environment, at);
    return page(
      words.safeguarding,
      <>
        <p class="lead">{words.safeguarding_lead}</p>
        <form method="get" action={href(PATH)} class="card">
          <Field
            name="at"
            label={words.at}
            hint={words.at_hint}
            value={asked}
            maxLength={40}
            fault={report?.ok ? undefined : words.at_wrong}
          />
          <Select
            name="environment"
            label={shared.environment}
            value={environment}
            options={ENVIRONMENTS.map((value) => ({ value, label: shared[value] }))}
          />
          <Button look="plain">{words.show}</Button>
        </form>
        {report?.ok && (
          <>
            <p>
              {words.at} <Time at={report.at} /> <EnvironmentTag environment={environment} />
            </p>
            {report.currencies.map((one) => (
              <Report of={one} />
            ))}
          </>
        )}
      </>,
      report?.ok ? 200 : 422,
    );
  }),
];

function Report({ of }: { readonly of: SafeguardingOf }) {
  const words = TREASURY_WORDS[useFrame().language];
  const { currency, customers, own, held, unbacked, shortfall } = of;
  const money = (minor: bigint) => <Money minor={minor} currency={currency} />;
  const parts = (sums: Readonly<Record<string, bigint>>): [string, JSX.Element][] =>
    Object.entries(words.parts)
      .filter(([name]) => name in sums)
      .map(([name, label]) => [label, money(sums[name]!)]);
  const sum = (minor: bigint) => <strong>{money(minor)}</strong>;
  return (
    <>
      <h2>{currency}</h2>
      {shortfall > 0n && (
        <Notice tone="bad">
          {words.shortfall} · {money(shortfall)}
        </Notice>
      )}
      <Table
        caption={`${words.safeguarding} · ${currency}`}
        columns={[words.account, { label: words.total, as: 'number' }]}
        rows={[
          ...parts(customers),
          [<strong>{words.customers}</strong>, sum(customers.total)],
          ...parts(own),
          [<strong>{words.own}</strong>, sum(own.total)],
          ...held.banks.map(({ name, balance }) => [
            `${words.bank} · ${name}`,
            balance < 0n ? <Tag tone="bad">{money(balance)}</Tag> : money(balance),
          ]),
          ...held.in_transit.map(({ provider, balance }) => [
            `${words.provider} · ${provider}`,
            money(balance),
          ]),
          [<strong>{words.held_total}</strong>, sum(held.total)],
          [words.unbacked, money(unbacked)],
          [words.shortfall, money(shortfall)],
        ]}
      />
    </>
  );
}
