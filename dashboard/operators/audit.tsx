// The audit log: filtered, with the hash of the newest seal.

import type { JSX } from 'preact';
import { listAuditRows, type AuditRow } from '../../db/operators/audit';
import { listSeals } from '../../db/ledger/ledger-seals';
import { CURRENCIES } from '../../domain/currency';
import type { Language } from '../../domain/language';
import { parseAmount } from '../../domain/money';
import { normalUsername } from '../../domain/username';
import { byNumber, pageOf } from '../../domain/page';
import { formatMoney } from '../../pages/formats';
import { page } from '../context';
import { Button, Field, Filters } from '../forms';
import { Copyable, Pager, Table, Time } from '../parts';
import { numberedPlace } from '../list-page';
import { AUDIT_WORDS } from './audit-words';
import { AccountLink, operatorPage, personOf } from './frame';
import { WORDS } from './words';

const LIMIT = 50;
const MAX_FILTER = 200;

export const AUDIT_ROUTES = [
  operatorPage('/operators/audit', async ({ operator_db }, visit) => {
    const { query, language } = visit;
    const words = WORDS[language];
    const given = (name: string): string => (query.get(name) ?? '').trim().slice(0, MAX_FILTER);
    const before = numberedPlace(query);
    if (before === null) return undefined;
    const filters = {
      username: normalUsername(given('user')) || undefined,
      action: given('action') || undefined,
      actor: given('actor') || undefined,
      subject: given('subject') || undefined,
      before,
    };
    const [[newest], found] = await Promise.all([
      listSeals(operator_db, { limit: 1 }),
      listAuditRows(operator_db, filters, LIMIT + 1),
    ]);
    const { rows, next_cursor } = pageOf(found, LIMIT, byNumber);
    return page(
      words.audit,
      <>
        <Filters action="/operators/audit">
          {(['user', 'actor', 'action', 'subject'] as const).map((name) => (
            <Field name={name} label={words[name]} value={given(name)} maxLength={MAX_FILTER} />
          ))}
          <Button look="plain">{words.filter}</Button>
        </Filters>
        <Table
          caption={words.audit}
          columns={[words.time, AUDIT_WORDS[language].entry, words.account, words.details]}
          rows={rows.map((row) => auditCells(language, row))}
        />
        <Pager path="/operators/audit" query={query} next_cursor={next_cursor} />
        <h2>{words.head}</h2>
        <p class="hint">{words.head_hint}</p>
        {newest && <Copyable value={newest.hash} label={words.head} />}
      </>,
    );
  }),
];

/** A sentence tells who did it, to whom and why; the row as it is kept and sealed stays behind it. */
export function auditCells(language: Language, row: AuditRow): JSX.Element[] {
  const words = WORDS[language];
  const own = AUDIT_WORDS[language];
  const { id, at, actor, action, subject, details } = row;
  const text = (name: string): string => {
    const value = details[name];
    return typeof value === 'string' ? value : '';
  };
  const [amount, currency] = [text('amount'), CURRENCIES.find((one) => one === text('currency'))];
  const parsed = currency && parseAmount(amount.replace(/^-/, ''), currency);
  const asked: Readonly<Record<string, string>> = words.actions;
  const person = actor === 'service' ? own.service : personOf(language, actor);
  const more = [
    asked[text('action')],
    currency && parsed?.ok && formatMoney(language, parsed.amount, currency),
    text('requested_by') && own.asked_by(personOf(language, text('requested_by'))),
  ].filter(Boolean);
  const username = text('username');
  const shown = { id: Number(id), action, subject, ...details };
  return [
    <Time at={at} />,
    <>
      {[`${person} ${own.deeds[action] ?? action}`, ...more].join(' · ')}
      {text('reason') && (
        <p class="hint">
          <bdi>{text('reason')}</bdi>
        </p>
      )}
    </>,
    username === '' ? <>–</> : <AccountLink username={username} />,
    <details>
      <summary>{words.details}</summary>
      <pre>{JSON.stringify(shown, null, 1)}</pre>
    </details>,
  ];
}
