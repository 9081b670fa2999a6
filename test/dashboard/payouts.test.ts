// Payouts on the dashboard: what the operator says before the button that sends, approvals by other owners, and the owners'
// rule. That one is sent once: drafts.test.ts; what is refused beside its field: forms.test.ts.

import { setFaults } from '../support/sandbox-gateway';
import { mailsTo } from './mails';
import { checkPayout, payoutPage, sendPayout } from './payouts';
import { expectPage, type GivenFields, type VisitedPage, type Visitor } from './visitor';
import { PAYS_AT_ONCE, useWorld } from './world';
import { setFees } from '../support/fees';

const w = useWorld({
  gateway: PAYS_AT_ONCE,
  of_each: 'test',
  funds: { sandbox: { XOF: 10_000_000n } },
});

const PAID = 'The recipient has the money.';
const setRules = (fields: GivenFields): Promise<VisitedPage> =>
  w.visitor.fill('/payouts/settings', fields);

describe('a payout', () => {
  it('is checked first: the operator, the name, the fee, the total and the bounds; then sent and followed', async () => {
    await setFees(w.database.owner, { kinds: ['payout'], percent: 1 });
    const fields = { name: 'Awa Diop', amount: '15.000 F', description: 'Wage of May' };
    const shown = await checkPayout(w.visitor, fields);
    expectPage(shown, 200, 'Check and send', '77 123 45 67', 'Wage of May');
    expectPage(shown, 200, 'Orange, Senegal', 'Awa Diop');
    expectPage(shown, 200, 'The name is the one that you gave.', '15,000 FCFA', '150 FCFA');
    expectPage(shown, 200, '15,150 FCFA', '84,850 FCFA', '100 FCFA to 2,000,000 FCFA');
    expect(await w.balance()).toBe(10_000_000n);
    const ordered = await w.visitor.submit('/payouts');
    expect(ordered.path).toMatch(/^\/dashboard\/payouts\/PYT-/);
    expectPage(ordered, 200, 'The payout is ordered.');
    const page = await payoutPage(w.visitor, ordered.path, PAID);
    expectPage(page, 200, 'The same name');
    expect(page.buttons).toEqual([]);
    expect(await w.balance()).toBe(10_000_000n - 1_515_000n);
    // Ten wages of one amount are told apart by the person.
    expect((await w.visitor.open('/transactions')).rows[0]).toMatch(/Payout Awa Diop/);
    await setFees(w.database.owner, { kinds: ['payout'] });
  });

  it('takes a number of the account’s country, and asks whose it is where the prefix does not say', async () => {
    const form = await w.visitor.open('/payouts/new');
    const labels = form.document.querySelectorAll('#operator option').map((one) => one.text);
    expect(labels.slice(0, 6)).toEqual([
      'Found by the number',
      'Wave',
      'Orange',
      'Mixx by Yas',
      'Expresso',
      'Orange, Mali',
    ]);
    const asked = await checkPayout(w.visitor, { phone: '77 555 01 00', operator: '' });
    expect(asked.faults).toEqual({
      operator: 'This number may be Orange’s or Wave’s. Choose who pays it out.',
    });
    expect(asked.value('phone')).toBe('77 555 01 00');
    const chosen = await checkPayout(w.visitor, { phone: '77 555 01 00', operator: 'wave_sn' });
    expectPage(chosen, 200, 'Check and send', 'Wave, Senegal', '77 555 01 00');
    // No operator of Benin is on the numbers of others.
    const benin = await checkPayout(w.visitor, { phone: '+229 01 97 00 01 00', operator: '' });
    expectPage(benin, 200, 'Check and send', '+229 01 97 00 01 00');
  });

  it('goes to a bank account, of which the page shows the last four', async () => {
    const account = 'SN08 SN01 0000 1234 5678';
    const fields = { type: 'bank', account, name: 'Moussa Sow', amount: '20 000' };
    expectPage(await checkPayout(w.visitor, fields), 200, 'Check and send', 'Moussa Sow');
    const page = await w.visitor.submit('/payouts');
    expectPage(page, 200, '…5678');
    expect(page.text).not.toContain('SN0100001234');
  });

  it('to an operator that was chosen is ordered, though its provider has not answered since', async () => {
    await checkPayout(w.visitor, { operator: 'orange_sn' });
    await setFaults(w.api.gateway, 'sandbox', { fail: '5xx', only: 'check_payout' });
    const { path, heading } = await w.visitor.submit('/payouts');
    await setFaults(w.api.gateway, 'sandbox', {});
    expect([path, heading]).toEqual([expect.stringContaining('/payouts/PYT-'), 'Payout']);
    await payoutPage(w.visitor, path, PAID);
  });

  it.each([
    ['close', '+221 77 000 00 05', 'similar to the one that you gave'],
    ['another', '+221 77 000 00 04', 'another name than the one'],
  ])('to %s name says so before the button', async (_what, phone, says) => {
    const page = await checkPayout(w.visitor, { phone, name: 'Awa Diop' });
    expectPage(page, 200, says);
    expect(page.buttons).toEqual(['Send 15,000 FCFA all the same']);
    expect(page.text).not.toContain('Moussa');
  });

  it('to an operator that is closed says so, waits, and can be canceled', async () => {
    const checked = await checkPayout(w.visitor, { phone: '+221 77 000 00 07' });
    expectPage(checked, 200, 'The operator is closed at the moment.');
    const { path } = await w.visitor.submit('/payouts');
    await payoutPage(w.visitor, path, 'It waits at the operator');
    expect(await w.balance()).toBe(8_500_000n);
    const page = await w.visitor.fill(`${path}/cancel`);
    expectPage(page, 200, 'The payout is canceled, and the money is back in the wallet.');
    expectPage(page, 200, 'The operator was asked to cancel it');
    const asked = w.database.owner('payout_timeline').where({ kind: 'cancel_requested' });
    const login_id = expect.any(String) as string;
    expect(await asked.select('detail')).toEqual([{ detail: { login_id } }]);
    expect([page.buttons, await w.balance()]).toEqual([[], 10_000_000n]);
  });

  it('that fails says why in plain words, and gives the money back', async () => {
    const { path } = await sendPayout(w.visitor, { phone: '+221 77 000 00 03' });
    const page = await payoutPage(w.visitor, path, 'Failed');
    expectPage(page, 200, 'The recipient may not receive so much now.');
    expect(await w.balance()).toBe(10_000_000n);
  });

  it('above a limit that the owner has set is refused, which names it and what is used', async () => {
    await setRules({ daily: '20 000' });
    await sendPayout(w.visitor);
    expect((await checkPayout(w.visitor, { amount: '6 000' })).faults).toEqual({
      amount: 'Above the limit of a day: 20,000 FCFA, of which 15,000 FCFA are used.',
    });
  });
});

describe('a list of wages', () => {
  const TYPED = '/payout-batches/typed';
  const faultsOf = ({ document }: VisitedPage): string[] =>
    document.querySelectorAll('.person .fault').map((one) => one.text);
  const valuesOf = ({ document }: VisitedPage, name: string): string[] =>
    document.querySelectorAll(`input[name=${name}]`).map((one) => one.getAttribute('value') ?? '');

  it('is typed in rows, is asked whose each number is, and begins with the people of an earlier one', async () => {
    const people = {
      name: ['Moussa Ndiaye', 'Fatou Ba', ''],
      phone: ['77 555 01 00', '76 555 01', ''],
      amount: ['5 000', '5 000 F', ''],
      operator: ['', '', ''],
      description: 'Wage of May',
    };
    const wrong = await w.visitor.fill('/payout-batches/new', people, TYPED);
    expectPage(wrong, 422, '2 people need a correction. Nothing was stored.');
    expect(faultsOf(wrong)).toEqual([
      'This number may be Wave’s or another operator’s. Choose the operator.',
      'Two digits are missing.',
    ]);
    expect(valuesOf(wrong, 'phone')).toEqual(['77 555 01 00', '76 555 01']);
    const more = await w.visitor.submit(TYPED, { more: '1' });
    expect(valuesOf(more, 'name')).toEqual(['Moussa Ndiaye', 'Fatou Ba', '', '', '', '', '']);
    const right = {
      ...people,
      phone: ['77 555 01 00', '76 555 01 01', ''],
      operator: ['wave_sn', 'free_sn', ''],
    };
    const { path } = await w.visitor.submit(TYPED, right);
    const shown = await payoutPage(w.visitor, path, 'Pay 10,000');
    expectPage(shown, 200, 'Pay 10,000 FCFA to 2 people', '77 555 01 00 · Wave, Senegal', 'Ready');
    const id = path.split('/').at(-1)!;
    expectPage(await w.visitor.open('/payout-batches/new'), 200, 'Start from the list of');
    const again = await w.visitor.open(`/payout-batches/new?again=${id}`);
    expect(['name', 'phone', 'amount', 'description'].map((one) => valuesOf(again, one))).toEqual([
      ['Moussa Ndiaye', 'Fatou Ba'],
      ['77 555 01 00', '76 555 01 01'].map((one) => one.replaceAll(' ', '\u00a0')),
      ['5000', '5000'],
      ['Wage of May'],
    ]);
    expect(again.value('operator')).toBe('wave_sn');
    const { visitor: stranger } = await w.signIn();
    expect(valuesOf(await stranger.open(`/payout-batches/new?again=${id}`), 'name')).toHaveLength(
      5,
    );
  });

  it('is pasted as lines, which become rows', async () => {
    const lines = 'Awa Diop, 77 123 45 67, 5,000\nMoussa Sow; +229 01 97 00 01 00; 7 000\n';
    const page = await w.visitor.fill('/payout-batches/new', { lines }, TYPED);
    expect([page.status, valuesOf(page, 'name')]).toEqual([422, ['Awa Diop', 'Moussa Sow']]);
    expect(valuesOf(page, 'amount')).toEqual(['5,000', '7 000']);
    expect(page.document.querySelector('textarea')!.text).toBe('');
    const { path } = await w.visitor.submit(TYPED, { operator: ['orange_sn', ''] });
    await payoutPage(w.visitor, path, 'Pay 12,000');
  });
});

describe('approval', () => {
  const NEEDED = 'It is sent only after 1 other owner has approved it.';
  const OWN = 'You have ordered this payout: another owner approves it.';
  let second: Visitor;

  beforeEach(async () => {
    second = await w.colleague('owner');
    await setRules({ approval_above: '10 000' });
  });

  it('by another owner is said before the button, waits on the overview, and sends the payout', async () => {
    const checked = await checkPayout(w.visitor);
    expectPage(checked, 200, NEEDED);
    expect(checked.buttons).toEqual(['Ask for approval of 15,000 FCFA']);
    const own = await w.visitor.submit('/payouts');
    expectPage(own, 200, OWN);
    expect(own.buttons).toEqual(['Cancel it']);

    for (const path of ['/', '/payouts']) {
      expectPage(await second.open(path), 200, '1 payout waits for approval.');
    }
    await second.open('/payouts?status=requires_approval');
    const to = second.page.document.querySelector('tbody a')!.getAttribute('href')!;
    expect((await second.open(to)).buttons).toEqual(['Approve', 'Reject']);
    expect((await second.open(`${to}/approve`)).buttons).toEqual(['Approve 15,000 FCFA']);
    await second.submit('/approve');
    expectPage(await payoutPage(second, own.path, PAID), 200, '1 of 1');
    expect((await w.visitor.open('/payouts')).text).not.toContain('waits for approval');
    const [latest] = (await w.visitor.open('/activity')).document.querySelectorAll('tbody tr');
    expect(latest!.text).toContain('Approved a payout');
    expect(latest!.querySelector('a')!.getAttribute('href')).toBe(own.path);
  });

  it('is never the creator’s own, whatever form is posted', async () => {
    const own = await sendPayout(w.visitor);
    expect((await w.visitor.post(`${own.path}/approve`)).status).toBe(303);
    expectPage(await w.visitor.open(own.path), 200, OWN, 'Needs approval');
  });

  it('can be refused, with a reason that the timeline tells', async () => {
    const { path } = await sendPayout(w.visitor);
    await second.fill(`${path}/reject`, { reason: 'Paid in cash already' });
    expectPage(await w.visitor.open(path), 200, 'Rejected: Paid in cash already', 'Canceled');
    expect(await w.balance()).toBe(10_000_000n);
  });
});

describe('the owners’ rule', () => {
  it('keeps what was written, tells every owner by mail, and shows in the log', async () => {
    const page = await setRules({
      approval_above: '100 000',
      approvers: '2',
      new_destination_above: '0',
      single: '1.000.000',
      daily: '2 000 000 F',
      monthly: '',
    });
    expectPage(page, 200, 'The rule is changed', 'This account has 1 owner');
    const names = ['approval_above', 'new_destination_above', 'single', 'daily', 'monthly'];
    expect(names.map(page.value)).toEqual(['100000', '0', '1000000', '2000000', '']);
    const { email } = w.user;
    const mails = await mailsTo(w.database, email);
    expect(mails[0]!.text).toContain(`${email} has changed which payouts`);
    expect((await w.visitor.open('/activity')).rows[0]).toContain('Changed the rule of payouts');
    // The same rule again sends no mail.
    expectPage(await setRules({}), 200, 'Nothing was changed.');
    expect(await mailsTo(w.database, email)).toHaveLength(mails.length);
  });
});
