// The operators' pages of the treasury: a file that is compared, a break that is settled, the report of a moment.

import { listBreaks } from '../../db/treasury/treasury';
import { expectBooksHold } from '../support/books';
import {
  buildTreasury,
  paymentLine,
  shippedFormat,
  withBalances,
  writeFile,
} from '../support/treasury';
import type { Member } from './accounts';
import { signInOperator } from './operators';
import { expectPage, type VisitedPage } from './visitor';
import { useWorld } from './world';

const w = useWorld({});
let operator: Member;

beforeAll(async () => {
  operator = await signInOperator(w.service, w.database);
  await buildTreasury(w.database);
});

afterEach(() => expectBooksHold(w.database.db));

const open = (path: string): Promise<VisitedPage> => operator.visitor.open(`/operators${path}`);

async function upload(bytes: Buffer, fields: Readonly<Record<string, string>>) {
  const { document } = await open('/treasury');
  const form = document.querySelector('form[enctype]')!;
  const body = new FormData();
  for (const one of form.querySelectorAll('input[type=hidden]')) {
    body.append(one.getAttribute('name')!, one.getAttribute('value')!);
  }
  const given = { bank: '', format: '', environment: 'live', ...fields };
  for (const [name, value] of Object.entries(given)) body.append(name, value);
  body.append('file', new Blob([new Uint8Array(bytes)], { type: 'text/csv' }), 'file.csv');
  const path = '/dashboard/operators/treasury';
  return operator.visitor.request(path, { method: 'POST', body });
}

it('shows accounts, files and open breaks, and what waits in the sections', async () => {
  const shown = await open('/treasury');
  expectPage(shown, 200, 'Ecobank', '…3000', 'wave', 'Listed twice', 'Unknown word', 'STM-');
  expectPage(await open(''), 200, 'Treasury');
});

it('compares a file that is uploaded, and says why it cannot', async () => {
  const file = writeFile(shippedFormat('wave'), withBalances([paymentLine(5)]));
  const stored = await upload(file, { provider: 'wave' });
  expect([stored.status, stored.headers.get('location')]).toEqual([
    303,
    '/dashboard/operators/treasury',
  ]);
  expectPage(await open('/treasury'), 200, '1 line, 0 breaks');
  const spoilt = Buffer.from(file.toString().replace('1005.00', 'ten'));
  const refused = await upload(spoilt, { provider: 'wave' });
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain('Line 2, Amount: this is no amount by the format');
  for (const fields of [
    { provider: '' },
    { provider: 'wawe' },
    { provider: 'wave', format: 'x' },
  ]) {
    expect((await upload(file, fields)).status).toBe(422);
  }
});

it('settles a break, once', async () => {
  const [one] = await listBreaks(w.database.operator, {
    kind: 'amount',
    status: 'open',
    after: undefined,
    limit: 1,
  });
  await open('/treasury');
  const fields = { break: String(one!.id), as: 'adjust', reason: 'the provider is right' };
  const submit = () => operator.visitor.submit('/operators/treasury/settle', fields);
  expectPage(await submit(), 200, 'The break is settled.');
  const settled = await listBreaks(w.database.operator, { after: one!.id - 1n, limit: 1 });
  expect(settled[0]).toMatchObject({
    status: 'settled',
    action: 'adjust',
    settled_by: operator.user.email,
  });
});

it('shows the report of a moment, and refuses one that has not passed', async () => {
  const shown = await open('/safeguarding');
  expectPage(shown, 200, 'Safeguarding', 'Ecobank', 'XOF');
  expectPage(await open('/safeguarding?at=2000-01-01'), 200, 'Held');
  expectPage(await open('/safeguarding?at=2999-01-01'), 422, 'Give an instant that has passed');
});
