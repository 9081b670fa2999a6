// Refunding a paid link in the dashboard: amount, confirmation, one refund however often the form is sent.

import type { HttpResponse } from '../support/http';
import { startTestApi, type TestApi } from '../support/api';
import { expectBooksHold } from '../support/books';
import { ordered, payIntent } from '../support/refunds';
import { waitFor } from '../support/wait';
import { signInColleague, signInOwner, type Member } from './accounts';
import type { VisitedPage, Visitor } from './visitor';

let api: TestApi;
let owner: Member;
let visitor: Visitor;

beforeAll(async () => {
  api = await startTestApi();
  owner = await signInOwner(api.service, api.database);
  ({ visitor } = owner);
});

afterEach(async () => {
  await expectBooksHold(api.database.db);
});

const post = (path: string, body: string): Promise<Response> =>
  visitor.request(`/dashboard${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body,
  });

/** The fields of the page's form, as a browser sends them. */
const formOf = ({ document }: VisitedPage): string => {
  const fields = document
    .querySelectorAll('main form')
    .find((form) => form.getAttribute('method') === 'post')!
    .querySelectorAll('input')
    .map((input) => [input.getAttribute('name')!, input.getAttribute('value') ?? '']);
  return new URLSearchParams(fields).toString();
};

/** The gateway of tests knows nothing of it, and refuses its refunds. */
const pay = (): ReturnType<typeof payIntent> => payIntent(api.database.db, owner.user);

const offersRefund = ({ document }: VisitedPage): boolean =>
  document.querySelector('main a[href$="/refund"]') !== null;

async function refundsOf(id: string): Promise<HttpResponse['json'][]> {
  const { rows } = await api.database.owner.raw(
    'select status, amount_minor, reason from refunds where intent_id = ? order by created_at',
    [id],
  );
  return rows as HttpResponse['json'][];
}

describe('refunding a payment', () => {
  it('asks for the amount, then for a confirmation, and is shown on the page of the link', async () => {
    const { id } = await pay();
    const link = await visitor.open(`/links/${id}`);
    expect(offersRefund(link)).toBe(true);
    const form = await visitor.open(`/links/${id}/refund`);
    const amount = form.document.querySelector('input[name=amount]')!;
    expect(amount.getAttribute('value')).toBe('5000');
    const fields = { amount: '1 500', reason: 'One book' };
    const confirm = await visitor.submit('/refund/check', fields);
    expect(confirm.text).toContain('Refund 1,500');
    expect(await refundsOf(id)).toEqual([]);
    const done = await visitor.submit('/refund');
    expect([done.path, done.text]).toEqual([
      `/dashboard/links/${id}`,
      expect.stringContaining('The refund was ordered.'),
    ]);
    expect(done.text).toContain('One book');
    expect(done.text).toContain('A refund of 1,500 FCFA was ordered.');
    await waitFor(async () => (await refundsOf(id))[0]?.status === 'failed');
    const shown = await visitor.open(`/links/${id}`);
    expect(shown.text).toContain('The payment gateway made no refund');
    expect(shown.text).toContain('A refund of 1,500 FCFA failed');
  });

  it('shows on the link and the transaction what was refunded, and how each refund stands', async () => {
    const intent = await pay();
    const { id } = intent;
    await ordered(api.database.db, intent, { amount_minor: '150000' });
    const link = await visitor.open(`/links/${id}?lang=fr`);
    expect(link.text).toContain('Remboursé en partie · 3 500 FCFA net');
    const { rows } = await api.database.owner.raw(
      `select id, type, reference from transactions where related = ?`,
      [id],
    );
    const rowOf = (type: string): Readonly<Record<'id' | 'type' | 'reference', string>> =>
      (rows as ReturnType<typeof rowOf>[]).find((row) => row.type === type)!;
    const refund = await visitor.open(`/transactions/${rowOf('refund').id}`);
    expect(refund.text).toContain('En attente');
    expect(refund.text).not.toContain('Effectuée');
    const deposit = await visitor.open(`/transactions/${rowOf('deposit').id}`);
    expect(deposit.text).toContain(rowOf('refund').reference);
    await visitor.open(`/links/${id}?lang=en`);
  });

  it('makes one refund however often the form is sent', async () => {
    const { id } = await pay();
    await visitor.open(`/links/${id}/refund`);
    const form = formOf(await visitor.submit('/refund/check'));
    const responses = await Promise.all([1, 2, 3].map(() => post(`/links/${id}/refund`, form)));
    expect(responses.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect(await refundsOf(id)).toHaveLength(1);
    await waitFor(async () => (await refundsOf(id))[0]?.status === 'failed');
  });

  it('is not offered for a link that is not paid, or to whom may not move money', async () => {
    const { id } = await pay();
    const viewer = await signInColleague(api.service, api.database, owner.user, 'viewer');
    expect(offersRefund(await viewer.open(`/links/${id}`))).toBe(false);
    expect((await viewer.open(`/links/${id}/refund`)).status).toBe(403);
    await visitor.open('/links/new');
    const open = await visitor.submit('/links', { amount: '100', currency: 'XOF' });
    expect(offersRefund(open)).toBe(false);
    const { text } = await visitor.open(`${open.path}/refund`);
    expect(text).toContain('Only a payment that has arrived can be refunded.');
    expect(text).not.toContain('100 FCFA');
  });
});
