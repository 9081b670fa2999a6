// The audit log: filtered, with the hash of the newest seal.

import { listAuditRows } from '../../db/operators/audit';
import { listSeals } from '../../db/ledger/ledger-seals';
import { normalUsername } from '../../domain/username';
import { byNumber, pageOf } from '../../domain/page';
import { page } from '../context';
import { Button, Field, Filters } from '../forms';
import { Copyable, Pager, Table, Time } from '../parts';
import { numberedPlace } from '../list-page';
import { WORDS } from './words';
import { operatorPage } from './frame';

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
        <Pager path="/operators/audit" query={query} next_cursor={next_cursor} />
        <h2>{words.head}</h2>
        <p class="hint">{words.head_hint}</p>
        {newest && <Copyable value={newest.hash} label={words.head} />}
      </>,
    );
  }),
];
