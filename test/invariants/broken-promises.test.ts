// What happens when one of our own promises is broken: a schema that is not what the code believes,
// a posting function that forgets its check. Loud for operators, opaque for callers, and no money
// moves.

import { expectBooksHold } from '../support/books';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { balanceOf } from '../support/balances';
import { request } from '../support/http';
import { buildApiKey, buildUser, type TestUser } from '../support/users';
import { startTestService, type TestService } from '../support/service';
import { waitFor } from '../support/wait';

let database: TestDatabase;
let service: TestService;
let alice: TestUser;
let bob: TestUser;
let key: string;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  alice = await buildUser(database.db, { funds: { live: { XOF: 100_000n } } });
  bob = await buildUser(database.db);
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

describe('a posting function that forgets to look at the balance', () => {
  it('is stopped by the wallet itself: 500, nothing moves, and the key stays free', async () => {
    const { rows } = await database.owner.raw(
      `select pg_get_functiondef('post_transfer_batch'::regproc) as source`,
    );
    const careful = (rows as { source: string }[])[0]!.source;
    const careless = careful.replace('balances[payer] < p.amount_minor', 'false');
    expect(careless).not.toBe(careful);
    const send = (amount: number) =>
      request(service, 'POST', '/transfers', {
        key,
        idempotency_key: 'overdraft',
        body: { to_username: bob.username, currency: 'XOF', amount },
      });
    await database.owner.raw(careless.replaceAll('?', '\\?'));
    const answer = await send(2_000);
    await database.owner.raw(careful.replaceAll('?', '\\?'));
    expect(answer).toMatchObject({ status: 500, json: { error: { code: 'internal_error' } } });
    expect(service.log).toContainEqual(
      expect.objectContaining({
        part: 'posting',
        request_id: answer.headers['x-request-id'],
        error: expect.stringContaining('ledger_accounts'),
      }),
    );
    expect(await balanceOf(database.db, alice)).toBe(100_000n);
    expect(await balanceOf(database.db, bob)).toBe(0n);
    // Until the first attempt's workflow has ended, a retry shares its fate.
    await waitFor(async () => (await send(500)).status === 200);
    expect(await balanceOf(database.db, bob)).toBe(50_000n);
  });
});
