// Sending money from the dashboard, and giving it back: what is shown before and after. That it happens once: drafts.test.ts.

import { findTransfer } from '../../db/transfers/transfers';
import { expectBooksHold } from '../support/books';
import { postOne } from '../support/postings';
import { buildUser, type TestUser } from '../support/users';
import { newName } from './accounts';
import { expectPage, type VisitedPage } from './visitor';
import { useWorld } from './world';
import { setFees } from '../support/fees';

const funds = { sandbox: { XOF: 500_000n }, live: { XOF: 1_000_000n, EUR: 10_000n } };
const w = useWorld({ funds });
let friend: TestUser;

beforeAll(async () => {
  friend = await buildUser(w.database.db, { funds });
  await w.show('live');
});

afterEach(() => expectBooksHold(w.database.db));

const preview = (
  fields: Readonly<Record<string, string>> = {},
  by = w.visitor,
): Promise<VisitedPage> => {
  const usual = { to_username: friend.username, amount: '1000', currency: 'XOF' };
  return by.fill('/transfers/new', { ...usual, ...fields }, '/transfers/preview');
};

describe('a transfer', () => {
  it('is shown before it is sent, and then has a page with its reference', async () => {
    await setFees(w.database.owner, { kinds: ['transfer'], currency: 'EUR', percent: 1 });
    const shown = await preview({ amount: '12,50', currency: 'EUR' });
    expectPage(shown, 200, 'Check and send', friend.username, '€12.50', '€0.13', '€12.37');
    expectPage(shown, 200, '€100.00', '€87.50');
    const sent = await w.visitor.submit('/transfers');
    expect(sent.path).toMatch(/^\/dashboard\/transfers\/TRF-/);
    expectPage(sent, 200, 'The transfer was carried out.', '€12.50');
    expectPage(await w.visitor.open('/transactions'), 200, '−€12.50');
  });

  it('is simulated in the sandbox, and says so before and after', async () => {
    await w.show('sandbox');
    const before = await w.balance('sandbox');
    expectPage(await preview(), 200, 'unchanged: simulated');
    const sent = await w.visitor.submit('/transfers');
    expectPage(sent, 200, 'The transfer was simulated.');
    expect(await w.balance('sandbox')).toBe(before);
    // The other environment does not know the transfer.
    await w.show('live');
    expect((await w.visitor.open(sent.path)).status).toBe(404);
  });

  it('of more than the wallet holds is refused beside its field', async () => {
    const { status, faults } = await preview({ amount: '999999' });
    expect([status, faults]).toEqual([422, { amount: expect.stringContaining('holds only') }]);
  });
});

it('finding out names counts in the preview as it does in the API, and known recipients can still be paid', async () => {
  const { user, visitor } = await w.signIn({ funds: { live: { XOF: 1_000_000n } } });
  await w.sql('update users set unknown_recipients_per_hour = 3 where id = ?', [user.id]);
  await w.show('live', visitor);
  await preview({}, visitor);
  await visitor.submit('/transfers');
  const tried = [newName(), newName(), newName()];
  // A name that was counted is told again, a new one is not, whether anyone has it or not.
  for (const to_username of [...tried, tried[0]!]) {
    expectPage(await preview({ to_username }, visitor), 422, 'No account has this username.');
  }
  const somebody = await buildUser(w.database.db);
  for (const to_username of [newName(), somebody.username]) {
    const page = await preview({ to_username }, visitor);
    expect([page.status, page.headers.get('retry-after')]).toEqual([
      429,
      expect.stringMatching(/^\d+$/),
    ]);
    expect(page.text).not.toContain('No account has this username.');
  }
  expect((await preview({}, visitor)).heading).toBe('Check and send');
});

describe('giving a transfer back', () => {
  const receive = async (from = friend, to: TestUser = w.user): Promise<string> =>
    (await postOne(w.database.db, { from, to, amount: 100_000n })).reference!;
  const reversedOf = async (reference: string): Promise<bigint> =>
    (await findTransfer(w.database.db, friend.id, 'live', reference))!.reversed_minor;

  it('asks for the amount, then for a confirmation, and is shown on its page', async () => {
    const reference = await receive();
    const path = `/transfers/${reference}/reversal`;
    expectPage(await w.visitor.open(`/transfers/${reference}`), 200, 'Give it back');
    expect((await w.visitor.open(path)).value('amount')).toBe('1000');
    const fields = { amount: '300', reason: 'Too much' };
    expectPage(await w.visitor.submit('/reversal/check', fields), 200, 'Give 300');
    expect(await reversedOf(reference)).toBe(0n);
    expectPage(await w.visitor.submit('/reversal'), 200, 'The money was given back.', 'Too much');
    expect(await reversedOf(reference)).toBe(30_000n);
    expectPage(await w.visitor.fill(path, { amount: '701' }), 422, 'At most 700');
    await w.visitor.submit('/reversal/check', { amount: '700' });
    const whole = await w.visitor.submit('/reversal');
    expectPage(whole, 200, 'Reversed');
    expect(whole.text).not.toContain('Give it back');
    expectPage(await w.visitor.open(path), 200, 'All of this transfer was given back.');
  });

  it('is not for the sender', async () => {
    const reference = await receive(w.user as TestUser, friend);
    const shown = await w.visitor.open(`/transfers/${reference}`);
    expect(shown.text).not.toContain('Give it back');
    const page = await w.visitor.open(`/transfers/${reference}/reversal`);
    expectPage(page, 200, 'Only the recipient of a transfer can give it back.');
  });
});
