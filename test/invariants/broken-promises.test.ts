// One of our own promises is broken: a schema that is not what the code believes, a posting function that forgets its
// check. Loud for operators, opaque for callers, and no money moves.

import { expectBooksHold } from '../support/books';
import { createTestDatabase, setUp } from '../support/database';
import { request } from '../support/http';
import { buildApiKey, buildUser } from '../support/users';
import { startTestService } from '../support/service';

const database = setUp(createTestDatabase);
const service = setUp(() => startTestService({ database }));
const alice = setUp(() => buildUser(database.db, { funds: { live: { XOF: 100_000n } } }));
let key: string;

beforeAll(async () => {
  ({ key } = await buildApiKey(database.db, { user: alice }));
});

afterEach(async () => {
  await expectBooksHold(database.db);
});

describe('a schema that is not what the code believes', () => {
  it('is internal_error to the caller, without a word of SQL, and logged with the request', async () => {
    await database.owner.raw('alter table users rename column first_name to given_name');
    const answer = await request(service, 'GET', '/me', { key });
    await database.owner.raw('alter table users rename column given_name to first_name');
    expect(answer.status).toBe(500);
    expect(answer.json).toMatchObject({
      ok: false,
      error: { code: 'internal_error', message: 'Something went wrong on our side.' },
    });
    expect(answer.text).not.toMatch(/column|select|first_name|\bat\b.*\.ts/);
    expect(service.log).toContainEqual(
      expect.objectContaining({
        request_id: answer.headers['x-request-id'],
        error: expect.stringContaining('first_name'),
      }),
    );
    expect((await request(service, 'GET', '/me', { key })).status).toBe(200);
  });
});
