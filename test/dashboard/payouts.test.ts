// Payouts on the dashboard: what the operator says before the button that sends, once and only once, approvals by
// other owners, and the owners' rule.

import { listWallets } from '../../db/ledger/wallets';
import type { TestApi } from '../support/api';
import { setFaults } from '../support/sandbox-gateway';
import type { TestDatabase } from '../support/database';
import { listPayouts as listAtOperator } from '../support/sandbox-payouts';
import type { TestService } from '../support/service';
import type { TestUser } from '../support/users';
import { signInColleague, signInOwner, type Member } from './accounts';
import { mailsTo } from './mails';
import { checkPayout, payoutPage, PHONE, sendPayout, startPayoutApi } from './payouts';
import type { VisitedPage, Visitor } from './visitor';

let api: TestApi;
let database: TestDatabase;
let service: TestService;
let owner: Member;
let visitor: Visitor;

beforeAll(async () => {
  api = await startPayoutApi();
  ({ database, service } = api);
});

beforeEach(async () => {
  owner = await signInOwner(service, database, {
    funds: { sandbox: { XOF: 10_000_000n }, live: { XOF: 10_000_000n } },
  });
  ({ visitor } = owner);
});

const balance = async (user: Pick<TestUser, 'id'> = owner.user): Promise<bigint> =>
  (await listWallets(database.db, user.id, 'sandbox')).find(({ currency }) => currency === 'XOF')!
    .balance_minor;

const faultsOf = ({ document }: VisitedPage): string[] =>
  document
    .querySelectorAll('.fault')
    .map((fault) => fault.textContent.replace(/[\u00a0\u202f]/g, ' '));

const buttonsOf = ({ document }: VisitedPage): string[] =>
  document
    .querySelectorAll('main button[type=submit], main a.button')
    .map((one) => one.textContent.replace(/[\u00a0\u202f]/g, ' '));

const hasSendButton = ({ document }: VisitedPage): boolean =>
  document.querySelector('form[action="/dashboard/payouts"]') !== null;

async function setRules(
  fields: Readonly<Record<string, string>>,
  by = visitor,
): Promise<VisitedPage> {
  await by.open('/payouts/settings');
  return by.submit('/payouts/settings', fields);
}

async function sentByOperator(amount: string): Promise<number> {
  const all = await listAtOperator(api.gateway, 'sandbox');
  return all.filter((one) => one.amount === amount).length;
}

describe('a payout', () => {
  it('is checked first: the operator, the name, the fee, the total and the bounds; then sent and followed', async () => {
    await database.owner.raw(
      `update fee_policies set basis_points = 100 where kind = 'payout' and currency = 'XOF'`,
    );
    const before = await balance();
    const shown = await checkPayout(visitor, { name: 'Awa Diop', amount: '15.000 F' });
    expect(shown.heading).toBe('Check and send');
    for (const text of [
      '+221771234567',
      'Orange, Senegal',
      'Awa Diop',
      'The name is the one that you gave.',
      '15,000 FCFA',
      '150 FCFA',
      '15,150 FCFA',
      '84,850 FCFA',
      '100 FCFA to 2,000,000 FCFA',
    ]) {
      expect(shown.text).toContain(text);
    }
    expect(await balance()).toBe(before);
    const ordered = await visitor.submit('/payouts');
    expect(ordered.heading).toBe('Payout');
    expect(ordered.path).toMatch(/^\/dashboard\/payouts\/PYT-/);
    expect(ordered.text).toContain('The payout is ordered.');
    const page = await payoutPage(visitor, ordered.path, 'The recipient has the money.');
    expect(page.text).toContain('The same name');
    expect(buttonsOf(page)).toEqual([]);
    expect(await balance()).toBe(before - 1_515_000n);
    const list = await visitor.open('/payouts');
    expect(list.document.querySelectorAll('tbody tr').map((row) => row.text)).toEqual([
      expect.stringMatching(/\+221771234567.*Succeeded/s),
    ]);
    await database.owner.raw(`update fee_policies set basis_points = 0 where kind = 'payout'`);
  });

  it('goes to a bank account, of which the page shows the last four', async () => {
    const shown = await checkPayout(visitor, {
      type: 'bank',
      account: 'SN08 SN01 0000 1234 5678',
      name: 'Moussa Sow',
      amount: '20 000',
    });
    expect([shown.heading, shown.text]).toEqual([
      'Check and send',
      expect.stringContaining('Moussa Sow'),
    ]);
    const page = await visitor.submit('/payouts');
    expect(page.text).toContain('…5678');
    expect(page.text).not.toContain('SN0100001234');
  });

  it('is sent once, however often its form is posted', async () => {
    await checkPayout(visitor, { amount: '1 111' });
    const body = new URLSearchParams(
      visitor.page.document
        .querySelectorAll('form[action="/dashboard/payouts"] input')
        .map((input): [string, string] => [
          input.getAttribute('name')!,
          input.getAttribute('value')!,
        ]),
    );
    const post = (sent: URLSearchParams) =>
      visitor.request('/dashboard/payouts', { method: 'POST', body: sent });
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(body)));
    expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1);
    await payoutPage(visitor, answers[0]!.headers.get('location')!, 'The recipient has the money.');
    expect(await sentByOperator('1111')).toBe(1);
    expect(await balance()).toBe(10_000_000n - 111_100n);
  });

  it('to an operator that was chosen is ordered, though its provider has not answered since', async () => {
    await checkPayout(visitor, { operator: 'orange_sn' });
    await setFaults(api.gateway, 'sandbox', { fail: '5xx', only: 'check_payout' });
    const { path, heading } = await visitor.submit('/payouts');
    await setFaults(api.gateway, 'sandbox', {});
    expect([path, heading]).toEqual([expect.stringContaining('/payouts/PYT-'), 'Payout']);
    await payoutPage(visitor, path, 'The recipient has the money.');
  });

  it.each([
    [
      'close',
      '+221 77 000 00 05',
      'similar to the one that you gave',
      'Send 15,000 FCFA all the same',
    ],
    ['another', '+221 77 000 00 04', 'another name than the one', 'Send 15,000 FCFA all the same'],
  ])('to %s name says so before the button', async (_what, phone, says, button) => {
    const page = await checkPayout(visitor, { phone, name: 'Awa Diop' });
    expect(page.text).toContain(says);
    expect(buttonsOf(page)).toEqual([button]);
    expect(page.text).not.toContain('Moussa');
  });

  it('to an operator that is closed says so, waits, and can be canceled', async () => {
    const checked = await checkPayout(visitor, { phone: '+221 77 000 00 07' });
    expect(checked.text).toContain('The operator is closed at the moment.');
    const { path } = await visitor.submit('/payouts');
    await payoutPage(visitor, path, 'It waits at the operator');
    expect(await balance()).toBe(8_500_000n);
    await visitor.open(`${path}/cancel`);
    const page = await visitor.submit('/cancel');
    expect(page.text).toContain('The payout is canceled, and the money is back in the wallet.');
    expect(page.text).toContain('The operator was asked to cancel it');
    const asked = database.owner('payout_timeline').where({ kind: 'cancel_requested' });
    expect(await asked.select('detail')).toEqual([
      { detail: { login_id: expect.any(String) as string } },
    ]);
    expect(buttonsOf(page)).toEqual([]);
    expect(await balance()).toBe(10_000_000n);
  });

  it('that fails says why in plain words, and gives the money back', async () => {
    const { path } = await sendPayout(visitor, { phone: '+221 77 000 00 03' });
    const page = await payoutPage(visitor, path, 'Failed');
    expect(page.text).toContain('The recipient may not receive so much now.');
    expect(await balance()).toBe(10_000_000n);
  });

  it('can be corrected: the values come back', async () => {
    const page = await checkPayout(visitor, { name: 'Awa Diop' });
    const link = page.document
      .querySelectorAll('main a')
      .find((a) => a.textContent === 'Change')!
      .getAttribute('href')!
      .replaceAll('&amp;', '&');
    const form = await visitor.open(link);
    const value = (id: string) => form.document.querySelector(id)!.getAttribute('value');
    expect([value('#phone'), value('#amount'), value('#name')]).toEqual([
      PHONE,
      '15 000',
      'Awa Diop',
    ]);
  });
});

describe('a refusal', () => {
  it.each([
    ['a number without its country', { phone: '12 ext 3' }, 'with its country code'],
    ['a number that is too short', { phone: '77 123 45' }, 'Two digits are missing.'],
    ['a number of a spreadsheet', { phone: '+221771234567.0' }, 'made a decimal of this number'],
    [
      'an IBAN with a wrong digit',
      { type: 'bank', account: 'FR76 3000 6000 0112 3456 7890 188', name: 'Awa Diop' },
      'its check digits do not fit',
    ],
    ['euros to a phone', { currency: 'EUR' }, 'No operator pays this destination'],
    ['a number that nobody has', { phone: '+221770000001' }, 'The operator cannot pay'],
    ['too little for the operator', { amount: '99' }, 'between 100 FCFA and 2,000,000 FCFA'],
    ['more than the wallet holds', { amount: '100 001' }, 'your wallet holds only 100,000 FCFA'],
    ['no holder', { type: 'bank', account: 'SN0812345678' }, 'name of the account holder'],
  ])('of %s stands beside its field, with no button that sends', async (_what, fields, text) => {
    const page = await checkPayout(visitor, fields as Record<string, string>);
    expect([page.status, faultsOf(page)]).toEqual([422, [expect.stringContaining(text)]]);
    expect(hasSendButton(page)).toBe(false);
    expect(await balance()).toBe(10_000_000n);
  });

  it('of a limit that the owner has set names it and what is used', async () => {
    await setRules({ daily: '20 000' });
    await sendPayout(visitor);
    const page = await checkPayout(visitor, { amount: '6 000' });
    expect(faultsOf(page)).toEqual([
      'Above the limit of a day: 20,000 FCFA, of which 15,000 FCFA are used.',
    ]);
  });
});

describe('approval', () => {
  let second: Visitor;

  beforeEach(async () => {
    second = await signInColleague(service, database, owner.user, 'owner');
    await setRules({ approval_above: '10 000' });
  });

  it('by another owner is said before the button, waits on the overview, and sends the payout', async () => {
    const checked = await checkPayout(visitor);
    expect(checked.text).toContain('It is sent only after 1 other owner has approved it.');
    expect(buttonsOf(checked)).toEqual(['Ask for approval of 15,000 FCFA']);
    const own = await visitor.submit('/payouts');
    expect(own.text).toContain('You have ordered this payout: another owner approves it.');
    expect(buttonsOf(own)).toEqual(['Cancel it']);

    expect((await second.open('/')).text).toContain('1 payout waits for approval.');
    expect((await second.open('/payouts')).text).toContain('1 payout waits for approval.');
    await second.open('/payouts?status=requires_approval');
    const to = second.page.document.querySelector('tbody a')!.getAttribute('href')!;
    expect(buttonsOf(await second.open(to))).toEqual(['Approve', 'Reject']);
    expect(buttonsOf(await second.open(`${to}/approve`))).toEqual(['Approve 15,000 FCFA']);
    await second.submit('/approve');
    const page = await payoutPage(second, own.path, 'The recipient has the money.');
    expect(page.text).toContain('1 of 1');
    expect((await visitor.open('/payouts')).text).not.toContain('waits for approval');
    const log = (await visitor.open('/activity')).document.querySelectorAll('tbody tr');
    expect(log[0]!.text).toContain('Approved a payout');
    expect(log[0]!.querySelector('a')!.getAttribute('href')).toBe(own.path);
  });

  it('is never the creator’s own, whatever form is posted', async () => {
    const own = await sendPayout(visitor);
    const form_token = own.document.querySelector('[name=form_token]')!.getAttribute('value')!;
    const body = new URLSearchParams({ form_token });
    const response = await visitor.request(`${own.path}/approve`, { method: 'POST', body });
    expect(response.status).toBe(303);
    const page = await visitor.open(own.path);
    expect([page.text, page.text]).toEqual([
      expect.stringContaining('You have ordered this payout: another owner approves it.'),
      expect.stringContaining('Needs approval'),
    ]);
  });

  it('can be refused, with a reason that the timeline tells', async () => {
    const { path } = await sendPayout(visitor);
    await second.open(`${path}/reject`);
    await second.submit('/reject', { reason: 'Paid in cash already' });
    const page = await visitor.open(path);
    expect(page.text).toContain('Rejected: Paid in cash already');
    expect(page.text).toContain('Canceled');
    expect(await balance()).toBe(10_000_000n);
  });

  it('is not needed for a destination that is known, below the amount of all', async () => {
    await setRules({ approval_above: '50 000', new_destination_above: '0' });
    const first = await checkPayout(visitor);
    expect(first.text).toContain('It is sent only after 1 other owner has approved it.');
    const { path } = await visitor.submit('/payouts');
    await second.open(`${path}/approve`);
    await second.submit('/approve');
    await payoutPage(visitor, path, 'The recipient has the money.');
    expect((await checkPayout(visitor)).text).not.toContain('has approved it');
  });
});

describe('the owners’ rule', () => {
  it('keeps what was written, tells every owner by mail, and shows in the log', async () => {
    const fields = {
      approval_above: '100 000',
      approvers: '2',
      new_destination_above: '0',
      single: '1.000.000',
      daily: '2 000 000 F',
      monthly: '',
    };
    const page = await setRules(fields);
    expect(page.text).toContain('The rule is changed');
    const value = (name: string) => page.document.querySelector(`#${name}`)!.getAttribute('value');
    expect(
      ['approval_above', 'new_destination_above', 'single', 'daily', 'monthly'].map(value),
    ).toEqual(['100000', '0', '1000000', '2000000', '']);
    expect(page.text).toContain('This account has 1 owner');
    const [mail] = await mailsTo(database, owner.user.email);
    expect(mail!.text).toContain(`${owner.user.email} has changed which payouts`);
    const [latest] = (await visitor.open('/activity')).document.querySelectorAll('tbody tr');
    expect(latest!.text).toContain('Changed the rule of payouts');
    // The same rule again sends no mail.
    const mails = (await mailsTo(database, owner.user.email)).length;
    expect((await setRules({})).text).toContain('Nothing was changed.');
    expect(await mailsTo(database, owner.user.email)).toHaveLength(mails);
  });

  it('shows what operators allow, and a fault beside its field', async () => {
    await database.owner('payout_settings').insert({
      user_id: owner.user.id,
      currency: 'XOF',
      most_daily_minor: 500_000_000,
    });
    const page = await setRules({ daily: '0', single: 'much' });
    expect(faultsOf(page)).toEqual([
      'Write an amount such as 15,000 or 12.50.',
      'The amount must be more than zero.',
    ]);
    expect(page.text).toContain('The operator of this service allows 5,000,000 FCFA at most.');
    expect(page.document.querySelector('#single')!.getAttribute('value')).toBe('much');
    await setRules({ daily: '10 000' });
    const { rows } = await database.owner.raw(
      'select daily_minor, most_daily_minor from payout_settings where user_id = ?',
      [owner.user.id],
    );
    expect(rows).toEqual([{ daily_minor: 1_000_000n, most_daily_minor: 500_000_000n }]);
  });

  it('is the owners’: others neither see the page nor the buttons', async () => {
    const developer = await signInColleague(service, database, owner.user, 'developer');
    expect((await developer.open('/payouts/settings')).status).toBe(403);
    const accountant = await signInColleague(service, database, owner.user, 'accountant');
    const { path } = await sendPayout(visitor, { phone: '+221 77 000 00 07' });
    expect(buttonsOf(await accountant.open('/payouts'))).toEqual(['Filter']);
    const page = await accountant.open(path);
    expect([page.status, buttonsOf(page)]).toEqual([200, []]);
    expect((await accountant.open('/payouts/new')).status).toBe(403);
  });
});

it('downloads what matches, as a file', async () => {
  await sendPayout(visitor, { amount: '3 333' });
  const file = await visitor.request('/dashboard/payouts.csv?form=plain');
  const [header, ...lines] = (await file.text()).trim().split('\n');
  expect(header).toContain('destination_phone');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('3333.00');
  const none = await visitor.request('/dashboard/payouts.csv?form=plain&to=2020-01-01');
  expect((await none.text()).trim().split('\n')).toHaveLength(1);
  expect((await visitor.open('/payouts?from=yesterday')).status).toBe(422);
});
