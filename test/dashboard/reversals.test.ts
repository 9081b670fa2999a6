// Giving a received transfer back in the dashboard: amount, confirmation, once however often the form is sent.

import { startTestService, type TestService } from '../support/service';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { postOne } from '../support/postings';
import { buildUser, type TestUser } from '../support/users';
import { findTransfer } from '../../db/transfers/transfers';
import { signInColleague, signInOwner, type Member } from './accounts';
import type { VisitedPage, Visitor } from './visitor';

let service: TestService;
let database: TestDatabase;
let owner: Member;
let visitor: Visitor;
let friend: TestUser;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  const funds = { live: { XOF: 5_000_000n } };
  owner = await signInOwner(service, database, { funds });
  ({ visitor } = owner);
  friend = await buildUser(database.db, { funds });
  await visitor.open('/');
  await visitor.submit('/environment', { environment: 'live' });
});

afterEach(async () => {
  await expectBooksHold(database.db);
});

async function receive(): Promise<string> {
  const { reference } = await postOne(database.db, {
    from: friend,
    to: owner.user,
    amount: 500_000n,
  });
  return reference!;
}

async function reversedOf(reference: string): Promise<bigint> {
  return (await findTransfer(database.db, friend.id, 'live', reference))!.reversed_minor;
}

const post = (path: string, body: string): Promise<Response> =>
  visitor.request(`/dashboard${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body,
  });

const formOf = ({ document }: VisitedPage): string => {
  const fields = document
    .querySelectorAll('main form')
    .find((form) => form.getAttribute('method') === 'post')!
    .querySelectorAll('input')
    .map((input) => [input.getAttribute('name')!, input.getAttribute('value') ?? '']);
  return new URLSearchParams(fields).toString();
};

describe('giving a transfer back', () => {
  it('asks for the amount, then for a confirmation, and is shown on its page', async () => {
    const reference = await receive();
    const path = `/transfers/${reference}/reversal`;
    expect((await visitor.open(`/transfers/${reference}`)).text).toContain('Give it back');
    const form = await visitor.open(path);
    expect(form.document.querySelector('input[name=amount]')!.getAttribute('value')).toBe('5000');
    const fields = { amount: '1 500', reason: 'Too much' };
    expect((await visitor.submit('/reversal/check', fields)).text).toContain('Give 1,500');
    expect(await reversedOf(reference)).toBe(0n);
    const done = await visitor.submit('/reversal');
    expect(done.text).toContain('The money was given back.');
    expect(done.text).toContain('Too much');
    expect(await reversedOf(reference)).toBe(150_000n);
    await visitor.open(path);
    const more = await visitor.submit('/reversal/check', { amount: '3501' });
    expect([more.status, more.text]).toEqual([422, expect.stringContaining('At most 3,500')]);
    await visitor.submit('/reversal/check', { amount: '3500' });
    const whole = await visitor.submit('/reversal');
    expect(whole.text).toContain('Reversed');
    expect(whole.text).not.toContain('Give it back');
    expect((await visitor.open(path)).text).toContain('All of this transfer was given back.');
  });

  it('happens once however often the form is sent', async () => {
    const reference = await receive();
    const path = `/transfers/${reference}/reversal`;
    await visitor.open(path);
    const form = formOf(await visitor.submit('/reversal/check'));
    for (let n = 0; n < 3; n += 1) expect((await post(path, form)).status).toBe(303);
    expect(await reversedOf(reference)).toBe(500_000n);
  });

  it('is not for the sender, nor for who may not move money', async () => {
    const { reference } = await postOne(database.db, {
      from: owner.user,
      to: friend,
      amount: 100n,
      currency: 'XOF',
    });
    expect((await visitor.open(`/transfers/${reference}`)).text).not.toContain('Give it back');
    expect((await visitor.open(`/transfers/${reference}/reversal`)).text).toContain(
      'Only the recipient of a transfer can give it back.',
    );
    const received = await receive();
    const viewer = await signInColleague(service, database, owner.user, 'viewer');
    await viewer.open('/');
    await viewer.submit('/environment', { environment: 'live' });
    expect((await viewer.open(`/transfers/${received}`)).text).not.toContain('Give it back');
    expect((await viewer.open(`/transfers/${received}/reversal`)).status).toBe(403);
  });
});
