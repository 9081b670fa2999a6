// The audit log: filtered, with the hash of the newest seal.

import { listAuditRows } from '../../db/operators/audit';
import { listSeals } from '../../db/ledger/ledger-seals';
import { page, pageRoute, type Answer, type SignedInVisit } from '../context';
import { Button, Field, Filters } from '../forms';
import { Copyable, Pager, Table, Time } from '../parts';
import { troublePage } from '../trouble';
import { type OperatorDependencies } from './frame';
import { WORDS } from './words';
import { normalUsername } from '../../domain/username';

const LIMIT = 50;
const MAX_FILTER = 200;

async function showAudit(
  { operator_db }: OperatorDependencies,
  visit: SignedInVisit,
): Promise<Answer> {
  const { query, language } = visit;
  const words = WORDS[language];
  const given = (name: string): string => (query.get(name) ?? '').trim().slice(0, MAX_FILTER);
  const cursor = given('cursor');
  if (!/^\d{0,18}$/.test(cursor)) return troublePage(language, { kind: 'unknown' });
  const filters = {
    username: normalUsername(given('user')) || undefined,
    action: given('action') || undefined,
    actor: given('actor') || undefined,
    subject: given('subject') || undefined,
    before: cursor === '' ? undefined : BigInt(cursor),
  };
  const [[newest], found] = await Promise.all([
    listSeals(operator_db, { limit: 1 }),
    listAuditRows(operator_db, filters, LIMIT + 1),
  ]);
  const rows = found.slice(0, LIMIT);
  return page(
    words.audit,
    <>
      <Filters action="/operators/audit">
        <Field name="user" label={words.user} value={given('user')} maxLength={MAX_FILTER} />
        <Field name="actor" label={words.actor} value={given('actor')} maxLength={MAX_FILTER} />
        <Field name="action" label={words.action} value={given('action')} maxLength={MAX_FILTER} />
        <Field
          name="subject"
          label={words.subject}
          value={given('subject')}
          maxLength={MAX_FILTER}
        />
        <Button look="plain">{words.filter}</Button>
      </Filters>
      <Table
        caption={words.audit}
        columns={['#', words.time, words.actor, words.action, words.subject, words.details]}
        rows={rows.map((row) => [
          <span class="money">{String(row.id)}</span>,
          <Time at={row.at} />,
          row.actor,
          <span class="money">{row.action}</span>,
          row.subject,
          <code>{JSON.stringify(row.details)}</code>,
        ])}
      />
      <Pager
        path="/operators/audit"
        query={query}
        next_cursor={found.length > LIMIT ? String(rows.at(-1)!.id) : null}
      />
      <h2>{words.head}</h2>
      <p class="hint">{words.head_hint}</p>
      {newest && <Copyable value={newest.hash} label={words.head} />}
    </>,
  );
}

export const AUDIT_ROUTES = [pageRoute('/operators/audit', 'operator', showAudit)];
