// Errors of Postgres reach logs and workflow histories; the values of statements do not.

import { randomUUID } from 'node:crypto';
import { execute, lookUp } from '../../db/connect';
import { createTestDatabase, setUp } from '../support/database';

const database = setUp(createTestDatabase);

const CANARY = `canary-${randomUUID()}`;

/** The owner may try everything. */
const WAYS: readonly [string, (text: string) => Promise<unknown>][] = [
  ['knex', (text) => database.owner.raw(text.replace('$1', '?'), [CANARY])],
  [
    'a transaction',
    (text) => database.owner.transaction((tx) => tx.raw(text.replace('$1', '?'), [CANARY])),
  ],
  ['a prepared statement', (text) => execute(database.owner, { name: `a${text}`, text }, [CANARY])],
  ['a look-up', (text) => lookUp(database.owner, { name: `b${text}`, text }, [CANARY])],
];

const FAULTS: readonly [string, string, string][] = [
  ['a value that is no uuid', 'select $1::text::uuid', '22P02'],
  ['a value that is no number', 'select $1::text::bigint', '22P02'],
  ['a value that is no time', 'select $1::text::timestamptz', '22007'],
  ['a value that is no JSON', 'select $1::text::jsonb', '22P02'],
  [
    'a row that a check refuses',
    "insert into users values (default, $1, '', '', '', '', '')",
    '23514',
  ],
  ['a table that does not exist', 'select $1::text from nowhere', '42P01'],
];

describe.each(WAYS)('an error of %s', (_way, run) => {
  it.each(FAULTS)('names no value: %s', async (_kind, text, code) => {
    const error = await run(text).then(
      () => undefined,
      (thrown: unknown) => thrown as Error & { code?: string },
    );
    expect(error).toMatchObject({ code });
    const printed = `${String(error)} ${error!.stack} ${error!.message}`;
    expect(printed).not.toContain(CANARY);
    expect(printed).not.toContain(CANARY.slice(0, 20));
    expect(printed).toContain(
      code.startsWith('22') ? code : code === '42P01' ? 'nowhere' : 'users',
    );
  });
});
