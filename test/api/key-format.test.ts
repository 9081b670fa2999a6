// A1: the form of a key is published, and a key that was mistyped costs no query.

import { buildOpenApi } from '../../api/openapi';
import { makeApiKey } from '../../secrets/api-key';
import { createTestDatabase, openSession, type TestDatabase } from '../support/database';
import { request } from '../support/http';
import { startTestService, type TestService } from '../support/service';
import { buildApiKey, buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import { refusal } from './support/contract';

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
});

describe('the form of API keys', () => {
  it('A1 is published in the OpenAPI document, and 10,000 keys have it', () => {
    const document = JSON.stringify(buildOpenApi(''));
    const published = new RegExp(/An API key[^"]*`(\^[^`]+\$)`/.exec(document)![1]!);
    for (let i = 0; i < 10_000; i += 1) {
      const prefix = i % 3 === 0 ? 'sk' : 'pay';
      expect(makeApiKey(prefix, i % 2 === 0 ? 'live' : 'sandbox').key).toMatch(published);
    }
  });

  it('A1 refuses a key with any one character changed, without a query to the table of keys', async () => {
    const user = await buildUser(database.db);
    const { key } = await buildApiKey(database.db, { user });
    const flipped = Array.from(key, (character, at) => {
      const changed = character === 'a' ? 'b' : 'a';
      return key.slice(0, at) + changed + key.slice(at + 1);
    });
    // Whoever reads the table now waits.
    const session = await openSession(database.owner_url);
    await session.query('begin');
    await session.query('lock table api_keys in access exclusive mode');
    const waiting = request(service, 'GET', '/me', { key });
    await waitFor(async () => {
      const { rows } = await database.owner.raw(
        `select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return (rows as unknown[]).length > 0;
    });
    const responses = await Promise.all(
      flipped.map((changed) => request(service, 'GET', '/me', { key: changed })),
    );
    for (const response of responses) expect(response).toMatchObject(refusal('unauthorized'));
    await session.query('rollback');
    await waiting;
  });
});
