// The audit log: filtered, with its newest hash, and whether the chain holds for the rows shown.

import { findAuditHead, listCheckedAuditRows } from '../../db/audit';
import { pageRoute, type Answer, type SignedInVisit } from '../context';
import { Button, Field, Filters } from '../forms';
import { Copyable, Notice, Pager, Table, Tag, Time } from '../parts';
import { troublePage } from '../trouble';
import { operatorPage, type OperatorDependencies } from './frame';
import { WORDS } from './words';

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
    username: given('user').toLowerCase() || undefined,
    action: given('action') || undefined,
    actor: given('actor') || undefined,
    subject: given('subject') || undefined,
    before: cursor === '' ? undefined : BigInt(cursor),
  };
  const [head, found] = await Promise.all([
    findAuditHead(operator_db),
    listCheckedAuditRows(operator_db, filters, LIMIT + 1),
  ]);
  const rows = found.slice(0, LIMIT);
  const isWhole = rows.every(({ faults }) => faults.length === 0);
  return operatorPage(
    visit,
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
      <Notice tone={isWhole ? 'good' : 'bad'}>
        <p>{isWhole ? words.chain_holds : words.chain_broken}</p>
      </Notice>
      <Table
        caption={words.audit}
        columns={['#', words.time, words.actor, words.action, words.subject, words.details]}
        rows={rows.map((row) => [
          <span class="money">{String(row.id)}</span>,
          <Time at={row.at} />,
          row.actor,
          <span class="money">{row.action}</span>,
          row.subject,
          <>
            <code>{row.details}</code>
            {row.faults.map((fault) => (
              <p>
                <Tag tone="bad">{words.fault}</Tag> {fault}
              </p>
            ))}
          </>,
        ])}
      />
      <Pager
        path="/operators/audit"
        query={query}
        next_cursor={found.length > LIMIT ? String(rows.at(-1)!.id) : null}
      />
      <h2>{words.head}</h2>
      <p class="hint">{words.head_hint}</p>
      <Copyable value={head.hash} label={words.head} />
    </>,
  );
}

export const AUDIT_ROUTES = [pageRoute('/operators/audit', 'operator', showAudit)];
