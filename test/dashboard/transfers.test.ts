// Sending money from the dashboard: what is shown before, once and only once, and every refusal.

import { listWallets } from '../../db/ledger/wallets';
import type { Environment } from '../../domain/environment';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { buildUser, type TestUser } from '../support/users';
import { newName, signInOwner, type Member } from './accounts';
import type { VisitedPage, Visitor } from './visitor';

let database: TestDatabase;
let service: TestService;
let owner: Member;
let visitor: Visitor;
let recipient: TestUser;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  owner = await signInOwner(service, database, {
    funds: { sandbox: { XOF: 500_000n }, live: { XOF: 1_000_000n, EUR: 10_000n } },
  });
  ({ visitor } = owner);
  recipient = await buildUser(database.db);
  await visitor.submit('/environment', { environment: 'live' });
});

const balance = async (user: Pick<TestUser, 'id'>, environment: Environment = 'live') =>
  (await listWallets(database.db, user.id, environment))[0]!.balance_minor;

const preview = async (
  fields: Readonly<Record<string, string>> = {},
  by: Visitor = visitor,
): Promise<VisitedPage> => {
  await by.open('/transfers/new');
  return by.submit('/transfers/preview', {
    to_username: recipient.username,
    amount: '1000',
    currency: 'XOF',
    ...fields,
  });
};

const faultsOf = ({ document }: VisitedPage): string[] =>
  document.querySelectorAll('.fault').map((fault) => fault.textContent);

/** The body of the page's form, as a browser would send it. */
const bodyOf = ({ document }: VisitedPage): string =>
  new URLSearchParams(
    document
      .querySelectorAll('form[action="/dashboard/transfers"] input')
      .map((input) => [input.getAttribute('name')!, input.getAttribute('value')!]),
  ).toString();

const post = (body: string): Promise<Response> =>
  visitor.request('/dashboard/transfers', {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body,
  });

describe('a transfer', () => {
  it('is shown before it is sent, and then has a page with its reference', async () => {
    await database.owner.raw(
      `update fee_policies set basis_points = 100 where kind = 'transfer' and currency = 'EUR'`,
    );
    const shown = await preview({ amount: '12,50', currency: 'EUR' });
    expect(shown.heading).toBe('Check and send');
    for (const text of [recipient.username, '€12.50', '€0.13', '€12.37', '€100.00', '€87.50']) {
      expect(shown.text).toContain(text);
    }
    const sent = await visitor.submit('/transfers');
    expect(sent.heading).toBe('Transfer');
    expect(sent.path).toMatch(/^\/dashboard\/transfers\/TRF-/);
    expect(sent.text).toContain('The transfer was carried out.');
    expect(sent.text).toContain('€12.50');
    expect((await visitor.open('/transactions')).text).toContain('−€12.50');
  });

  it('is sent once, however often and at the same time its form is posted', async () => {
    const before = await balance(owner.user);
    const body = bodyOf(await preview());
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(body)));
    answers.push(await post(body));
    const led = answers.map((answer) => answer.headers.get('location'));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 303));
    expect(new Set(led).size).toBe(1);
    expect(await balance(owner.user)).toBe(before - 100_000n);
  });

  it('is simulated in the sandbox, and says so before and after', async () => {
    await visitor.open('/transfers/new');
    await visitor.submit('/environment', { environment: 'sandbox' });
    const before = await balance(owner.user, 'sandbox');
    const shown = await preview();
    expect(shown.text).toContain('unchanged: simulated');
    const sent = await visitor.submit('/transfers');
    expect(sent.text).toContain('The transfer was simulated.');
    expect(await balance(owner.user, 'sandbox')).toBe(before);
    // The other environment does not know the transfer.
    await visitor.submit('/environment', { environment: 'live' });
    expect((await visitor.open(sent.path)).status).toBe(404);
  });

  it('can be corrected: the values come back', async () => {
    await preview({ amount: '1 500' });
    const link = visitor.page.document
      .querySelectorAll('main a')
      .find((a) => a.textContent === 'Change')!
      .getAttribute('href')!
      .replaceAll('&amp;', '&');
    const page = await visitor.open(link);
    expect(page.document.querySelector('#amount')!.getAttribute('value')).toBe('1 500');
    expect(page.document.querySelector('#to_username')!.getAttribute('value')).toBe(
      recipient.username,
    );
  });
});

it('of more than the wallet holds is refused beside its field', async () => {
  const page = await preview({ amount: '999999' });
  expect([page.status, faultsOf(page)]).toEqual([
    422,
    [expect.stringContaining('Your wallet holds only')],
  ]);
});

describe('finding out names', () => {
  it('counts in the preview as it does in the API, and known recipients can still be paid', async () => {
    const member = await signInOwner(service, database, { funds: { live: { XOF: 1_000_000n } } });
    await database.owner.raw('update users set unknown_recipients_per_hour = 3 where id = ?', [
      member.user.id,
    ]);
    await member.visitor.submit('/environment', { environment: 'live' });
    await preview({}, member.visitor);
    await member.visitor.submit('/transfers');
    const tried: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const to_username = newName();
      const page = await preview({ to_username }, member.visitor);
      expect([page.status, faultsOf(page)]).toEqual([422, ['No account has this username.']]);
      tried.push(to_username);
    }
    // A name that was counted is told again, a new one is not, whether anyone has it or not.
    expect((await preview({ to_username: tried[0]! }, member.visitor)).status).toBe(422);
    const somebody = await buildUser(database.db);
    for (const to_username of [newName(), somebody.username]) {
      const page = await preview({ to_username }, member.visitor);
      expect([page.status, page.headers.get('retry-after')]).toEqual([
        429,
        expect.stringMatching(/^\d+$/),
      ]);
      expect(page.text).not.toContain('No account has this username.');
    }
    expect((await preview({}, member.visitor)).heading).toBe('Check and send');
  });
});
