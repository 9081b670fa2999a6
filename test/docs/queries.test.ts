// An operator pastes these into psql and into Temporal's UI: they must be valid for the schema and the
// search attributes of today.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { createTestDatabase, setUp } from '../support/database';
import { connectTestTemporal } from '../support/temporal';

const OPERATIONS = readFileSync(join(__dirname, '..', '..', 'docs', 'operations.md'), 'utf8');

function blocksOf(language: string): string[] {
  const fenced = new RegExp(`^\`\`\`${language}\\n([^\`]*)^\`\`\``, 'gm');
  return Array.from(OPERATIONS.matchAll(fenced), ([, block]) => block!);
}

describe('the SQL in docs/operations.md', () => {
  const database = setUp(createTestDatabase);

  const queries = blocksOf('sql')
    .flatMap((block) => block.split(';'))
    .map((query) => query.trim())
    .filter((query) => query !== '');

  it.each(queries)("runs as the application's role: %s", async (query) => {
    expect((await database.db.raw(query)).rows).toEqual([]);
  });
});

describe('the searches in docs/operations.md', () => {
  let temporal: Client;

  beforeAll(async () => {
    temporal = await connectTestTemporal();
  });

  const searches = blocksOf('text')
    .flatMap((block) => block.trim().split('\n'))
    // A moment to be filled in, such as "<a minute ago>".
    .map((search) => search.replaceAll(/<[^>"]+>/g, '2026-11-21T00:00:00Z'));

  it.each(searches)('is understood by Temporal: %s', async (search) => {
    const { count } = await temporal.workflow.count(search);
    expect(count).toBeGreaterThanOrEqual(0);
  });
});
