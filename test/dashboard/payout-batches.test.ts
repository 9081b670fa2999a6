// Payout batches on the dashboard: who is offered which decision, and why a payout was not made, in the reader's words.

import { cancelPayoutBatch, confirmPayoutBatch } from '../../db/payout-batches/payout-batches';
import type { PayoutBatchItem } from '../../domain/payout-batch';
import { readPayoutFile } from '../../use-cases/payout-batches/file';
import { buildItem, createSteps, orderedBatch } from '../support/payout-batches';
import { BY, answerPayout, orderedPayout } from '../support/payouts';
import type { VisitedPage } from './visitor';
import { useWorld } from './world';

const w = useWorld({ of_each: 'test', funds: { sandbox: { XOF: 700_000n } } });

const plain = (text: string): string => text.replace(/[\s\u00a0\u202f]+/g, ' ').trim();
const buttonsOf = ({ document }: VisitedPage): string[] =>
  document.querySelectorAll('main button[type=submit]').map((one) => plain(one.textContent));
const detailsOf = ({ document }: VisitedPage): Record<string, string> =>
  Object.fromEntries(
    document
      .querySelectorAll('main dl div')
      .map((row) => [plain(row.querySelector('dt')!.text), plain(row.querySelector('dd')!.text)]),
  );

it('offers each person what they may decide, and no more', async () => {
  const { user, visitor, database } = w;
  const [login] = await w.sql<{ id: string }>(
    'select login_id as id from memberships where user_id = ?',
    [user.id],
  );
  const ordered_by = login!.id;
  const second = await w.colleague('owner');
  const third = await w.colleague('owner');
  const viewer = await w.colleague('viewer');
  await database
    .owner('payout_settings')
    .insert({ user_id: user.id, currency: 'XOF', approval_above_minor: 0, approvers: 2 });
  const id = await orderedBatch(database.db, user, [buildItem()], { confirm: false, ordered_by });
  await createSteps(database.db).run(id);
  const path = `/payout-batches/${id}`;
  const waits = '1 payout batch waits for approval.';
  for (const [shown, link] of [
    ['/', 'Payout batches'],
    ['/payouts', 'See what waits'],
  ] as const) {
    const { text, document } = await second.open(shown);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(`${waits} ${link}`);
    const links = document.querySelectorAll('main a').filter((one) => one.text === link);
    expect(links.map((one) => one.getAttribute('href'))).toContain('/dashboard/payout-batches');
  }
  expect((await second.open('/?lang=fr')).text).toContain('1 envoi groupé est à approuver.');
  await second.open('/?lang=en');
  const own = await visitor.open(path);
  expect(own.text).toContain('You have ordered these payouts: another owner approves them.');
  expect(own.text).toContain('Approvals: 0 of 2');
  expect(buttonsOf(own)).toEqual(['Cancel, and pay none of them']);
  expect(buttonsOf(await viewer.open(path))).toEqual([]);
  expect(buttonsOf(await second.open(path))).toEqual(['Approve', 'Reject']);
  const approved = await second.submit('/approve');
  expect(approved.text).toContain('Approvals: 1 of 2');
  expect(buttonsOf(approved)).toEqual(['Reject']);
  await third.open(path);
  expect(buttonsOf(await third.submit('/approve'))).toEqual([
    'Pay 5,000 FCFA to 1 person',
    'Cancel, and pay none of them',
  ]);
  expect(buttonsOf(await viewer.open(path))).toEqual([]);
});

it('says who is paid more than once before it is confirmed, and not afterwards', async () => {
  const { user, visitor, database } = w;
  const steps = createSteps(database.db);
  const bank = { destination_type: 'bank', phone: null, operator: null, holder: 'Awa' } as const;
  const items = [
    ...['100', '101', '100', '100'].map((digits) => buildItem(digits)),
    ...['SN010', 'SN011', 'SN010'].map((bank_code) =>
      buildItem('100', { ...bank, account: '1234567890', bank_code, amount_minor: '100000' }),
    ),
  ];
  const id = await orderedBatch(database.db, user, items, { confirm: false });
  await steps.run(id);
  const path = `/payout-batches/${id}`;
  const says = /Paid more than once here: 77 000 01 00 \(× 3\), …7890 \(× 2\)\./;
  const shown = await visitor.open(path);
  expect(plain(shown.text)).toMatch(says);
  expect(buttonsOf(shown).map(plain)).toContain('Pay 23,000 FCFA in 7 payouts');
  expect(plain((await visitor.open(`${path}?lang=fr`)).text)).toContain('77 000 01 00 (× 3)');
  await confirmPayoutBatch(database.db, id, [], BY);
  expect((await visitor.open(`${path}?lang=en`)).text).not.toContain('more than once');
});

it('before it is confirmed, says what is ready, who is left out, what is paid and what stays in the wallet', async () => {
  const { user, visitor, database } = w;
  const steps = createSteps(database.db);
  const items = ['100', '101', '004'].map((digits) =>
    buildItem(digits, { amount_minor: '200000' }),
  );
  const id = await orderedBatch(database.db, user, items, { confirm: false });
  await steps.run(id);
  const path = `/payout-batches/${id}`;
  const shown = await visitor.open(path);
  expect(shown.rows.map((row) => plain(row).replace(/.* (?=Ready|Left)/, ''))).toEqual([
    'Ready',
    'Ready',
    'Left out',
  ]);
  expect(detailsOf(shown)).toMatchObject({
    Total: '4,000 FCFA',
    'Your balance after it': '3,000 FCFA',
  });
  expect(buttonsOf(shown)).toEqual([
    'Count again',
    'Pay 4,000 FCFA to 2 people',
    'Cancel, and pay none of them',
  ]);
  const all = await visitor.open(`${path}?chosen=`);
  expect(buttonsOf(all)).toContain('Pay 6,000 FCFA to 3 people');
  const french = await visitor.open(`${path}?chosen=&lang=fr`);
  expect(buttonsOf(french)).toContain('Payer 6 000 FCFA à 3 personnes');
  await visitor.open(`${path}?lang=en`);
  await visitor.submit('/confirm');
  expect((await steps.run(id)).failed).toBe(1);
  for (const payout of steps.woken)
    await answerPayout(database.db, payout, { status: 'succeeded' });
  const over = await visitor.open(path);
  expect(detailsOf(over)).toMatchObject({ Paid: '2', Failed: '1', Total: '4,000 FCFA' });
  expect(buttonsOf(over)).toEqual([]);
});

it('offers to leave out nobody where every name matches', async () => {
  const { user, visitor, database } = w;
  const id = await orderedBatch(database.db, user, [buildItem()], { confirm: false });
  await createSteps(database.db).run(id);
  const shown = await visitor.open(`/payout-batches/${id}`);
  expect(shown.text).not.toMatch(/[Ll]eave out/);
  expect(shown.document.querySelector('main .danger')).toBeNull();
  expect(buttonsOf(shown)).toEqual(['Pay 5,000 FCFA to 1 person', 'Cancel, and pay none of them']);
});

it('says which payouts were ordered in the past days already, and where', async () => {
  const { user, visitor, database } = w;
  const steps = createSteps(database.db);
  const item = (digits: string, amount_minor = '100000') => buildItem(digits, { amount_minor });
  const order = async (...items: PayoutBatchItem[]): Promise<string> => {
    const id = await orderedBatch(database.db, user, items, { confirm: false });
    await steps.run(id);
    return id;
  };
  const says = async (id: string): Promise<string | undefined> => {
    const { document } = await visitor.open(`/payout-batches/${id}`);
    return document.querySelector('main .notice')?.text.replace(/:.*/s, '');
  };
  const first = await order(item('100'), item('101'), item('102'));
  expect(await says(first)).toBeUndefined();
  const again = await order(item('101'), item('100'), item('103'));
  const same = '2 payouts are the same, by recipient and amount, as ordered in the past 5 days';
  expect(await says(again)).toBe(same);
  const link = visitor.page.document.querySelector('main .notice a')!;
  expect(link.getAttribute('href')).toBe(`/dashboard/payout-batches/${first}`);
  await confirmPayoutBatch(database.db, again, [], BY);
  expect(await says(again)).toBeUndefined();
  // Those of a batch that was canceled, or failed, were never paid.
  await cancelPayoutBatch(database.db, first, BY);
  await cancelPayoutBatch(database.db, again, BY);
  expect(await says(await order(item('100')))).toBeUndefined();
  expect(await says(await order(item('100', '100100')))).toBeUndefined();
  const paid = await orderedPayout(database.db, user, {
    phone: item('104').phone,
    amount_minor: '100000',
  });
  const last = await order(item('104'));
  expect(await says(last)).toMatch(/^1 payout is the same/);
  await database
    .owner('payouts')
    .where({ id: paid })
    .update({
      created_at: database.owner.raw(`created_at - interval '5 days'`),
    });
  expect(await says(last)).toBeUndefined();
});

it('says why each payout was not made, in the reader’s language', async () => {
  const { user, visitor, database } = w;
  const steps = createSteps(database.db);
  const items = [
    buildItem('100', { description: 'Wage of May' }),
    buildItem('101', { amount_minor: '100' }),
    buildItem('102', { currency: 'EUR' }),
    buildItem('004'),
    buildItem('103'),
  ];
  const id = await orderedBatch(database.db, user, items, { confirm: false });
  await steps.run(id);
  await confirmPayoutBatch(database.db, id, ['no_match'], BY);
  await steps.run(id);
  const failure = { code: 'recipient_blocked', message: 'Blocked', provider_code: null } as const;
  await answerPayout(database.db, steps.woken[0]!, { status: 'failed', failure });
  const page = await visitor.open(`/payout-batches/${id}?lang=fr`);
  const states = page.document
    .querySelectorAll('tbody tr')
    .map((row) => row.querySelectorAll('td, th').at(-1)!.text.replace(/\s+/g, ' ').trim());
  expect(states).toEqual([
    'Échoué L’opérateur a bloqué ce bénéficiaire. Demandez-lui un autre numéro ou un autre compte.',
    'Échoué L’opérateur ne paie pas ce montant en une fois.',
    'Échoué Aucun opérateur ne paie ce bénéficiaire dans cette devise.',
    'Échoué Exclu',
    'Échoué Le solde ne suffit pas.',
  ]);
  // The failed rows are read again as they were downloaded.
  const file = await visitor.request(`/dashboard/payout-batches/${id}/payouts.csv?status=failed`);
  const bytes = Buffer.from(await file.arrayBuffer());
  expect(await readPayoutFile(bytes, { ...user, country: 'FR' })).toMatchObject({
    items: items.map(({ phone, currency, amount_minor, description }) => ({
      phone,
      currency,
      amount_minor,
      description: description ?? null,
    })),
    faults: [],
  });
});
