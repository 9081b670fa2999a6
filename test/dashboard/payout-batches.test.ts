// Payout batches on the dashboard: who is offered which decision, and why a payout was not made, in the reader's words.

import { confirmPayoutBatch } from '../../db/payout-batches/payout-batches';
import { readPayoutFile } from '../../use-cases/payout-batches/file';
import { buildItem, createSteps, orderedBatch } from '../support/payout-batches';
import { BY, answerPayout } from '../support/payouts';
import type { VisitedPage } from './visitor';
import { useWorld } from './world';

const w = useWorld({ of_each: 'test', funds: { sandbox: { XOF: 700_000n } } });

const buttonsOf = ({ document }: VisitedPage): string[] =>
  document.querySelectorAll('main button[type=submit]').map((one) => one.textContent);

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
  expect((await second.open('/?lang=fr')).text).toContain(
    '1 envoi de versements groupés est à approuver.',
  );
  await second.open('/?lang=en');
  const own = await visitor.open(path);
  expect(own.text).toContain('You have ordered these payouts: another owner approves them.');
  expect(own.text).toContain('Approvals: 0 of 2');
  expect(buttonsOf(own)).toEqual(['Stop what is not sent']);
  expect(buttonsOf(await viewer.open(path))).toEqual([]);
  expect(buttonsOf(await second.open(path))).toEqual(['Approve', 'Reject']);
  const approved = await second.submit('/approve');
  expect(approved.text).toContain('Approvals: 1 of 2');
  expect(buttonsOf(approved)).toEqual(['Reject']);
  await third.open(path);
  expect(buttonsOf(await third.submit('/approve'))).toEqual([
    'Confirm and pay',
    'Stop what is not sent',
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
  const says = /Paid more than once here: \+221770000100 \(× 3\), …7890 \(× 2\)\./;
  expect((await visitor.open(path)).text).toMatch(says);
  expect((await visitor.open(`${path}?lang=fr`)).text).toContain('+221770000100 (× 3)');
  await confirmPayoutBatch(database.db, id, [], BY);
  expect((await visitor.open(`${path}?lang=en`)).text).not.toContain('more than once');
});

it('says why each payout was not made, in the reader’s language', async () => {
  const { user, visitor, database } = w;
  const steps = createSteps(database.db);
  const items = [
    buildItem('100'),
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
    items: items.map(({ phone, currency, amount_minor }) => ({ phone, currency, amount_minor })),
    faults: [],
  });
});
