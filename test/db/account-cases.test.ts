// Accounts whose names are like those of a list: what they send and receive is held until an operator has decided.

import { freezeAccount, unfreezeAccount } from '../../db/accounts/users';
import {
  findCase,
  listCases,
  listRelatedCases,
  releaseClearedCase,
  type RiskCase,
} from '../../db/risk/cases';
import { approveRequest, requestApproval } from '../../db/operators/approvals';
import { endScreening, takeDueAccounts } from '../../db/risk/lists';
import { createIntent } from '../../db/payment-intents/intents';
import { getPayout } from '../../db/payouts/payouts';
import { applyNotification, storeNotification } from '../../db/suspense/notifications';
import { decideIdentityCheck, submitIdentity } from '../../use-cases/identity-checks';
import { screenAccount } from '../../use-cases/screening/screen';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, setUp } from '../support/database';
import { answerPayout, orderedPayout } from '../support/payouts';
import { buildTransferRequest, insist, post, postOne } from '../support/postings';
import { decide, latestCase, removeRules, setRule } from '../support/risk';
import { compareAccounts, loadList, removeLists, screeningBy, SEALER } from '../support/screening';
import { buildUser, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import { buildNewIntent, notificationOf, openAtOnce } from '../workflows/intents';

const PAY_URL = 'https://pay.example.com';
const database = setUp(createTestDatabase);
const funds = { live: { XOF: 100_000_000n }, sandbox: { XOF: 100_000_000n } };
const ben = setUp(() => buildUser(database.db, { username: 'ben', funds }));

afterEach(async () => {
  await removeLists(database.operator);
  await expectBooksHold(database.db);
});

let accounts = 0;
/** An account with these names. */
async function named(first_name: string, last_name: string): Promise<TestUser> {
  accounts += 1;
  const user = await buildUser(database.db, { username: `account${accounts}`, funds });
  await database.owner.raw('update users set first_name = ?, last_name = ? where id = ?', [
    first_name,
    last_name,
    user.id,
  ]);
  return user;
}

const casesOf = async (user: TestUser): Promise<RiskCase[]> =>
  (await listCases(database.db, { user_id: user.id, limit: 50 })).filter(
    ({ subject_type }) => subject_type === 'account',
  );
/** The account with an open case. */
async function questioned(): Promise<readonly [TestUser, RiskCase]> {
  await loadList(database.operator, 'un', '7,Ousmane Coulibaly,,,,');
  const user = await named('Ousmane', 'Coulibaly');
  await compareAccounts(database.db);
  return [user, (await casesOf(user))[0]!];
}
const outcomeOf = async (from: TestUser, to: TestUser, environment: 'live' | 'sandbox' = 'live') =>
  (await post(database.db, [buildTransferRequest({ from, to, amount: 500n, environment })]))[0]!
    .outcome;

it('an account whose names change is compared, and found once', async () => {
  const [user, found] = await questioned();
  expect(found).toMatchObject({
    status: 'held',
    subject_type: 'account',
    subject: user.username,
    environment: null,
    currency: null,
    amount_minor: null,
    expires_at: null,
    reasons: [{ source: 'screening', name: 'un/7', detail: 'Ousmane Coulibaly (1.00)' }],
  });
  await database.owner.raw(`update users set display_name = 'Ousmane Coulibaly' where id = ?`, [
    user.id,
  ]);
  await compareAccounts(database.db);
  expect(await casesOf(user)).toHaveLength(1);
  expect(await takeDueAccounts(database.db, 10)).toEqual([]);
});

it('what it sends and receives is held until it is decided, in both worlds', async () => {
  const [user, found] = await questioned();
  for (const environment of ['live', 'sandbox'] as const) {
    expect(await outcomeOf(user, ben, environment)).toBe('held');
    expect(await outcomeOf(ben, user, environment)).toBe('held');
  }
  const heard = { reasons: [], asked: {} };
  const payout = await orderedPayout(database.db, user, { heard });
  expect((await getPayout(database.db, payout)).status).toBe('held');
  const intent = buildNewIntent(user, 'sandbox', { amount_minor: '200000', currency: 'XOF' });
  await createIntent(database.db, intent);
  await openAtOnce(database.db, intent.id, {
    session_id: `cs_${intent.id}`,
    checkout_url: PAY_URL,
    lapses_at: null,
  });
  const notification = notificationOf(intent);
  const { id } = await storeNotification(database.db, 'sandbox', notification, Buffer.from('{}'));
  expect((await applyNotification(database.db, id, PAY_URL)).outcome).toBe('held');

  const held = (await listCases(database.db, { status: 'held', limit: 50 })).filter(
    ({ subject_type }) => subject_type !== 'account',
  );
  expect(held).toHaveLength(6);
  for (const { reference, reasons } of held) {
    expect(reasons).toMatchObject([{ source: 'screening', name: found.reference }]);
    expect(await decide(database.operator, reference, 'release')).toBe('account_questioned');
  }
  const [first, ...others] = held;
  expect(await decide(database.operator, first!.reference, 'refuse')).toBeNull();
  expect(await decide(database.operator, found.reference, 'release')).toBeNull();
  await compareAccounts(database.db);
  const related = await listRelatedCases(database.db, found.reference);
  expect(related.map(({ reference }) => reference)).toEqual(held.map(({ reference }) => reference));
  for (const { reference } of others) {
    expect(await findCase(database.db, reference)).toMatchObject({
      status: 'released',
      decided_by: 'olivia',
      reason: `with ${found.reference}`,
    });
  }
  expect([await outcomeOf(user, ben), await outcomeOf(ben, user)]).toEqual([
    'completed',
    'completed',
  ]);
});

describe('of what was held, a release of the account', () => {
  const setLimit = (above: string | null) =>
    database.owner.raw(`update approval_limits set above_minor = ? where currency = 'XOF'`, [
      above,
    ]);
  const send = async (from: TestUser, to: TestUser, amount = 500n): Promise<string> => {
    await post(database.db, [buildTransferRequest({ from, to, amount })]);
    return (await latestCase(database.db)).reference;
  };
  const statusOf = async (reference: string) => (await findCase(database.db, reference))!.status;
  /** Two operators have released the account. */
  async function release(reference: string): Promise<void> {
    const given = { reference, pay_url_base: PAY_URL };
    const request = { action: 'risk.release', arguments: given, reason: '' } as const;
    const { approval } = await requestApproval(database.operator, request, 'olivia');
    expect(await approveRequest(database.operator, approval!, 'oscar', PAY_URL)).toBe('approved');
  }
  afterEach(async () => {
    await setLimit(null);
    await removeRules(database.owner);
  });

  it('leaves what takes two operators, or was held for more', async () => {
    const [user, found] = await questioned();
    const [small, large] = [await send(user, ben, 100_000n), await send(user, ben, 100_100n)];
    await setRule(database.operator, { above_minor: 200_000 });
    const ruled = await send(ben, user, 200_100n);
    await removeRules(database.owner);
    await setLimit('100000');
    await expect(decide(database.operator, found.reference, 'release')).rejects.toMatchObject({
      code: 'AP001',
    });
    await release(found.reference);
    await compareAccounts(database.db);
    expect(await Promise.all([small, large, ruled].map(statusOf))).toEqual([
      'released',
      'held',
      'held',
    ]);
    // The application's role alone releases none of them.
    for (const one of [large, ruled]) await releaseClearedCase(database.db, one, PAY_URL);
    expect(await statusOf(large)).toBe('held');
    await setLimit(null);
    await releaseClearedCase(database.db, ruled, PAY_URL);
    expect(await statusOf(ruled)).toBe('held');
    for (const one of [large, ruled]) await decide(database.operator, one, 'refuse');
  });

  it('leaves what is of an account of the operator’s own, or of a frozen one', async () => {
    const [user, found] = await questioned();
    const [mine, other] = [await named('Awa', 'Ba'), await named('Awa', 'Sow')];
    const [own, frozen, free] = [
      await send(user, mine),
      await send(other, user),
      await send(user, ben),
    ];
    await freezeAccount(database.operator, other.id, 'a test', 'olivia');
    expect(await decide(database.operator, found.reference, 'release', mine.email)).toBeNull();
    await compareAccounts(database.db);
    expect(await Promise.all([own, frozen, free].map(statusOf))).toEqual([
      'held',
      'held',
      'released',
    ]);
    await unfreezeAccount(database.operator, other.id, 'a test', 'olivia');
    for (const one of [own, frozen]) await decide(database.operator, one, 'refuse');
  });

  it('forgets none that is ordered at the same moment', async () => {
    const [user, found] = await questioned();
    const outcomes: string[] = [];
    const sending = [user, ben, user].map(async (from) => {
      const to = from === user ? ben : user;
      while (!outcomes.includes('completed')) {
        outcomes.push(await insist(() => outcomeOf(from, to)));
      }
    });
    await waitFor(() => outcomes.length > 4);
    await insist(() => decide(database.operator, found.reference, 'release'));
    await insist(() => compareAccounts(database.db));
    expect(await listCases(database.db, { status: 'held', user_id: user.id, limit: 5 })).toEqual(
      [],
    );
    await Promise.all(sending);
    expect(new Set(outcomes)).toEqual(new Set(['held', 'completed']));
    expect(await listCases(database.db, { status: 'held', user_id: user.id, limit: 5 })).toEqual(
      [],
    );
  });

  it('releases what waits for two accounts once both are released', async () => {
    const [user, found] = await questioned();
    const other = await named('Coulibaly', 'Ousmane');
    await compareAccounts(database.db);
    const both = await send(user, other);
    await decide(database.operator, found.reference, 'release');
    await compareAccounts(database.db);
    expect(await statusOf(both)).toBe('held');
    await decide(database.operator, (await casesOf(other))[0]!.reference, 'release');
    // Several processes at once release each order once.
    await Promise.all([1, 2, 3].map(() => releaseClearedCase(database.db, both, PAY_URL)));
    await compareAccounts(database.db);
    expect(await statusOf(both)).toBe('released');
  });
});

it('a payout that was ordered before is not sent until it is decided', async () => {
  const user = await named('Ousmane', 'Coulibaly');
  const payout = await orderedPayout(database.db, user);
  await loadList(database.operator, 'un', '7,Ousmane Coulibaly,,,,');
  await compareAccounts(database.db);
  expect(await answerPayout(database.db, payout, { status: 'sent' })).toBeUndefined();
  expect(await getPayout(database.db, payout)).toMatchObject({
    status: 'pending',
    stage: 'queued',
  });
  await decide(database.operator, (await casesOf(user))[0]!.reference, 'release');
  await answerPayout(database.db, payout, { status: 'sent' });
  expect(await getPayout(database.db, payout)).toMatchObject({ stage: 'sent' });
});

it('of transfers at the same moment those before the case are completed, and those after it held', async () => {
  await loadList(database.operator, 'un', '7,Ousmane Coulibaly,,,,');
  const user = await named('Ousmane', 'Coulibaly');
  const outcomes: string[] = [];
  const send = async (from: TestUser, to: TestUser): Promise<void> => {
    while (!outcomes.includes('held')) outcomes.push(await insist(() => outcomeOf(from, to)));
  };
  const sending = [send(user, ben), send(ben, user), send(user, ben), send(ben, user)];
  await waitFor(() => outcomes.length > 4);
  await insist(() => compareAccounts(database.db));
  await Promise.all(sending);
  expect(new Set(outcomes)).toEqual(new Set(['completed', 'held']));
  expect(await outcomeOf(user, ben)).toBe('held');
});

it('an entry that is released is never found again for this account, and another is', async () => {
  const [user, found] = await questioned();
  expect(await decide(database.operator, found.reference, 'release')).toBeNull();
  await loadList(database.operator, 'un', '7,Ousmane Coulibaly,,,,', '8,Coulibaly Ousmane,,,,');
  await compareAccounts(database.db);
  const [other, ...rest] = await casesOf(user);
  expect(rest).toHaveLength(1);
  expect(other!.reasons.map(({ name }) => name)).toEqual(['un/8']);
  expect(await decide(database.operator, other!.reference, 'release')).toBeNull();
  await loadList(database.operator, 'un', '8,Ousmane Coulibaly,,,,', '7,Coulibaly Ousmane,,,,');
  await compareAccounts(database.db);
  expect(await casesOf(user)).toHaveLength(2);
  // For another account it is found.
  const namesake = await named('Ousmane', 'Coulibaly');
  await compareAccounts(database.db);
  expect(await casesOf(namesake)).toHaveLength(1);
});

it('a refusal freezes the account, which is not found again while it is frozen', async () => {
  const [user, found] = await questioned();
  const held = buildTransferRequest({ from: user, to: ben, amount: 500n });
  await post(database.db, [held]);
  const before = await balanceOf(database.db, user);
  expect(await decide(database.operator, found.reference, 'refuse')).toBeNull();
  expect(await freezeAccount(database.operator, user.id, 'again', 'olivia')).toBe(false);
  expect(await outcomeOf(user, ben)).toBe('account_frozen');
  const waiting = (
    await listCases(database.db, { user_id: user.id, status: 'held', limit: 5 })
  )[0]!;
  expect(await decide(database.operator, waiting.reference, 'release')).toBe('account_frozen');
  expect(await decide(database.operator, waiting.reference, 'refuse')).toBeNull();
  expect(await balanceOf(database.db, user)).toBe(before + 500n);
  await loadList(database.operator, 'un', '7,Ousmane Coulibaly,,,SN,');
  await compareAccounts(database.db);
  expect(await casesOf(user)).toHaveLength(1);
  await unfreezeAccount(database.operator, user.id, 'a namesake', 'olivia');
});

it('a list that changes is compared with all accounts, in turns that go on after a stop', async () => {
  const users = [await named('Awa', 'Sissoko'), await named('Awa', 'Sissoko')];
  await compareAccounts(database.db);
  await loadList(database.operator, 'own', '1,Awa Sissoko,,,,');
  // A process takes some and stops. Their minute passes.
  const taken = await takeDueAccounts(database.db, 2);
  expect(taken).toHaveLength(2);
  expect(await takeDueAccounts(database.db, 2)).toEqual([]);
  await database.owner.raw(
    `update risk_due_accounts set taken_until = now() - interval '1 second'`,
  );
  await compareAccounts(database.db);
  for (const user of users) expect(await casesOf(user)).toHaveLength(1);
  const { rows } = await database.owner.raw('select after from risk_screening');
  expect(rows).toEqual([{ after: null }]);
  for (const user of users) {
    await decide(database.operator, (await casesOf(user))[0]!.reference, 'release');
  }
});

it('a name that changes while it is compared is compared again', async () => {
  await loadList(database.operator, 'un', '3,Lamine Traoré,,,,');
  const user = await named('Awa', 'Ba');
  const [due] = (await takeDueAccounts(database.db, 10)).filter((one) => one.user_id === user.id);
  await database.owner.raw(`update users set display_name = 'Traoré Lamine' where id = ?`, [
    user.id,
  ]);
  await endScreening(database.db, user.id, due!.since);
  await compareAccounts(database.db);
  expect(await casesOf(user)).toHaveLength(1);
});

it('the legal name is compared before an identity is approved', async () => {
  await loadList(database.operator, 'un', '3,Lamine Traoré,,,,');
  const user = await named('Awa', 'Ba');
  await compareAccounts(database.db);
  expect(await casesOf(user)).toEqual([]);
  await database.owner.raw(`update users set kyc_status = 'not_started' where id = ?`, [user.id]);
  const { rows } = await database.owner.raw('select login_id from memberships where user_id = ?', [
    user.id,
  ]);
  const times = { remind_after_seconds: [60], expires_after_seconds: 600 };
  const identity = { kind: 'person', legal_name: 'TRAORE Lamine' } as never;
  const owner = { user_id: user.id, login_id: rows[0].login_id as string };
  await submitIdentity({ db: database.db, sealer: SEALER, times }, owner, identity);
  const screen = async (user_id: string) => {
    const { rows: status } = await database.owner.raw('select kyc_status from users where id = ?', [
      user_id,
    ]);
    expect(status).toEqual([{ kyc_status: 'pending' }]);
    await screenAccount(screeningBy(database.operator), user_id);
  };
  const deciding = { db: database.operator, actor: 'olivia', screen };
  await decideIdentityCheck(deciding, user.username, { decision: 'approved' });
  const [found] = await casesOf(user);
  expect(found!.reasons).toMatchObject([{ name: 'un/3' }]);
  expect(await outcomeOf(ben, user)).toBe('held');
  await compareAccounts(database.db);
  expect(await casesOf(user)).toHaveLength(1);
});

it('without a list no account is compared', async () => {
  await named('Ousmane', 'Coulibaly');
  expect(await takeDueAccounts(database.db, 10)).toEqual([]);
  expect((await postOne(database.db, { from: ben, to: ben, amount: 1n })).outcome).toBe(
    'self_transfer',
  );
});
