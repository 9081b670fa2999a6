// The operators' pages by plain HTTP: who may open them, and an operator's day. What a decision does: test/db.

import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIT_WORDS } from '../../dashboard/operators/audit-words';
import { requestApproval } from '../../db/operators/approvals';
import { listSeals, sealLedger } from '../../db/ledger/ledger-seals';
import { migrate } from '../../db/schema/migrate';
import { getPayout } from '../../db/payouts/payouts';
import { listReconciliations } from '../../db/reconciliation/reconciliations';
import { listLosses } from '../../db/suspense/losses';
import {
  beginAskingRefund,
  findSuspense,
  orderSuspenseRefund,
  recordRefundAnswer,
} from '../../db/suspense/suspense';
import { grantOperator } from '../../use-cases/operators';
import { findLogin } from '../../db/people/logins';
import { createSealer } from '../../secrets/seal';
import { MAX_PICTURE_BYTES, sendPicture } from '../../use-cases/identity-pictures';
import { expectBooksHold } from '../support/books';
import { setFaults } from '../support/sandbox-gateway';
import { startTestService } from '../support/service';
import { askedLongAgo } from '../support/refunds';
import {
  answerPayout,
  contradictedPayout,
  orderedPayout,
  payoutAskedLongAgo,
  payoutInDoubt,
} from '../support/payouts';
import { buildPng } from '../support/pictures';
import { postOne } from '../support/postings';
import { latestCase, orderHeld, removeRules, setRule } from '../support/risk';
import { compareAccounts, loadList, removeLists } from '../support/screening';
import { TEST_SECRETS_KEY } from '../support/secrets';
import { readStack } from '../support/stack';
import { buildApiKey, buildUser, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import { createTestEndpoint } from '../support/webhooks';
import { PASSWORD, type Member } from './accounts';
import { mailsTo } from './mails';
import {
  buildIdentityCheck,
  buildPayment,
  buildReconciliation,
  buildSuspense,
  IDENTITY,
  signInOperator,
} from './operators';
import { createVisitor, expectPage, type GivenFields, type VisitedPage } from './visitor';
import { useWorld } from './world';

const w = useWorld({ gateway: {}, overrides: { temporal_ui_url: 'http://127.0.0.1:8233' } });
let operator: Member;
let second: Member;
let merchant: TestUser;

beforeAll(async () => {
  operator = await signInOperator(w.service, w.database);
  second = await signInOperator(w.service, w.database);
  merchant = await buildUser(w.database.db, { kyc: 'not_started' });
});

afterEach(() => expectBooksHold(w.database.db));

const open = (path: string, by = operator): Promise<VisitedPage> =>
  by.visitor.open(`/operators${path}`);
/** Opens a page, and sends its form with this action. */
const send = (path: string, action: string, fields: GivenFields = {}, by = operator) =>
  by.visitor.fill(`/operators${path}`, fields, action);

/** A decision about a person or money, and the answer to whether one is sure. */
const decide = async (path: string, fields: GivenFields, by = operator): Promise<VisitedPage> => {
  const asked = await send(path, '/decide', fields, by);
  expectPage(asked, 200, 'No, go back');
  return by.visitor.submit('/decide');
};

const latestAudit = async (action: string): Promise<Record<string, unknown>> => {
  const sql = 'select actor, subject, details from audit_log where action = ? order by id';
  return (await w.sql(sql, [action])).at(-1)!;
};

describe("every operators' page", () => {
  it('closes with the next request when the role is taken back', async () => {
    const former = await signInOperator(w.service, w.database);
    expect((await open('', former)).status).toBe(200);
    const granting = { db: w.database.operator, actor: 'root' };
    await grantOperator(granting, former.user.username, false);
    expect((await open('', former)).status).toBe(404);
  });

  it('is opened by signing in where such pages are served, and nowhere else', async () => {
    const overrides = { operator_database_url: undefined };
    const plain = await startTestService({ database: w.database, overrides });
    const fields = { username: operator.user.username, password: PASSWORD };
    const page = await createVisitor(plain).fill('/sign-in', fields);
    expectPage(page, 403, 'Operators sign in where the operators’ pages are served');
  });

  it('needs a second factor where the setting says so', async () => {
    const overrides = { operators_need_second_factor: true };
    const strict = await startTestService({ database: w.database, overrides });
    const one = await signInOperator(strict, w.database);
    expectPage(await open('', one), 403, 'Second factor needed');
    await w.sql(`update sessions set second_factor = 'passed' where user_id = ?`, [one.user.id]);
    expect((await open('', one)).status).toBe(200);
  });

  it.each([
    '/accounts/nobody-there',
    `/approvals/${randomUUID()}`,
    `/identity-checks/${randomUUID()}`,
    '/identity-checks/x',
    `/suspense/${randomUUID()}`,
    `/payouts/${randomUUID()}`,
    '/payouts/x',
    `/payments/${randomUUID()}`,
    '/payments/x',
    '/payouts?user=nobody-there',
    '/reconciliations/999999999999999999',
    '/suspense/x',
    '/accounts?cursor=x',
    '/audit?cursor=x',
  ])('is 404 about what is not there: %s', async (path) => {
    expect((await open(path)).status).toBe(404);
  });

  it('shows on the first one what was booked in each of the last 24 hours, as bars and as a table', async () => {
    const cells = async (): Promise<string[]> => {
      const { document } = await open('');
      expect(document.querySelectorAll('svg.chart')).toHaveLength(4);
      const rows = document.querySelectorAll('details tbody tr');
      expect(rows).toHaveLength(24);
      const picture = document.querySelector('svg.chart')!.getAttribute('aria-label')!;
      return [picture, ...rows[0]!.querySelectorAll('td, th').map(({ text }) => text.trim())];
    };
    const from = await buildUser(w.database.db, { funds: { live: { XOF: 1_000n } } });
    const [, , before] = await cells();
    const to = await buildUser(w.database.db);
    await postOne(w.database.db, { from, to, amount: 100n, environment: 'live' });
    const [picture, hour, ...after] = await cells();
    expect(hour).toMatch(/, \d\d:00 \(this hour\)$/);
    expect(picture).toMatch(/^Transfers: [1-9]\d* in 24 hours, at most [1-9]/);
    // The next hour may have begun meanwhile.
    expect([String(Number(before) + 1), '1']).toContain(after[0]);
  });

  it('marks its section, says how much waits, and leaves out what an account has', async () => {
    const page = await open(`/suspense/${await buildSuspense(w.database, merchant)}`);
    const current = page.document.querySelectorAll('nav.tabs a[aria-current=page]');
    expect(current.map(({ text }) => text)).toEqual([expect.stringMatching(/^Suspense [1-9]/)]);
    for (const of_account of ['button[name=environment]', 'nav.pages a[href="/dashboard/links"]']) {
      expect(page.document.querySelector(of_account)).toBeNull();
      const overview = await operator.visitor.open('/');
      expect(overview.document.querySelector(of_account)).not.toBeNull();
    }
  });
});

describe('accounts', () => {
  it('show what an account has, but no whole key', async () => {
    const user = await buildUser(w.database.db, { funds: { live: { XOF: 123_400n } } });
    const { key } = await buildApiKey(w.database.db, { user });
    const page = await open(`/accounts/${user.username}`);
    expectPage(page, 200, '1,234 FCFA', key.slice(-4), 'created an API key');
    expect(page.text).not.toContain(key);
    const link = page.document.querySelector('a[href*="workflows/identityCheck"]');
    expect(link?.getAttribute('href')).toBe(
      `http://127.0.0.1:8233/namespaces/default/workflows/identityCheck%2F${user.id}`,
    );
  });

  it('are frozen and unfrozen with a reason, in the name of the operator', async () => {
    const { username } = await buildUser(w.database.db);
    const path = `/accounts/${username}`;
    expectPage(await send(path, '/freeze', { reason: ' ' }), 422, 'Give a reason');
    const reason = 'a stolen phone';
    const frozen = await send(path, '/freeze', { reason });
    expectPage(frozen, 200, `The account ${username} is frozen.`, reason);
    const active = await operator.visitor.submit('/unfreeze', { reason: 'found again' });
    expectPage(active, 200, 'no longer frozen');
    const actor = operator.user.email;
    expect(await latestAudit('users.freeze')).toMatchObject({
      actor,
      details: { username, reason },
    });
  });
});

it('an identity check is looked at, on record, rejected with a reason, and told', async () => {
  const { username, email, id } = await buildUser(w.database.db, { kyc: 'not_started' });
  const check = await buildIdentityCheck(w.database, { username, id });
  expectPage(await open(''), 200, 'Identity checks');
  expectPage(await open('/identity-checks'), 200, username);
  const page = await open(`/identity-checks/${check}`);
  expectPage(page, 200, IDENTITY.legal_name, IDENTITY.document_number, 'Senegal');
  const actor = operator.user.email;
  expect(await latestAudit('kyc.view')).toMatchObject({ actor, details: { check } });
  const unfounded = await operator.visitor.submit('/decide', { decision: 'rejected' });
  expectPage(unfounded, 422, 'Give a reason');
  const reason = 'The name differs.';
  const decided = await operator.visitor.submit('/decide', { decision: 'rejected', reason });
  expectPage(decided, 200, `The identity check of ${username} is rejected.`);
  await waitFor(async () =>
    (await mailsTo(w.database, email)).some(({ text }) => text.includes(reason)),
  );
});

it('photos of the document are sent by the person, and shown to operators, on record', async () => {
  const person = await w.signIn({ kyc: 'not_started' });
  const check = await buildIdentityCheck(w.database, person.user);
  expectPage(await open(`/identity-checks/${check}`), 200, 'has sent no photo');
  const upload = async (side: string, file: Buffer): Promise<VisitedPage> => {
    const page = await person.visitor.open('/identity');
    expectPage(page, 200, 'Photo of your document', 'JPEG or PNG, up to 5 MB');
    const body = new FormData();
    const form = page.document.querySelector(`form[action$="/${side}"]`)!;
    for (const field of form.querySelectorAll('input[type=hidden]')) {
      body.append(field.getAttribute('name')!, field.getAttribute('value')!);
    }
    body.append(side, new Blob([new Uint8Array(file)]), 'photo');
    const path = `/dashboard/identity/${side}`;
    await person.visitor.request(path, { method: 'POST', body });
    return person.visitor.open('/identity');
  };
  const front = buildPng(64, 40);
  const back = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(2_000, 7)]);
  expectPage(await upload('front', Buffer.from('<script>')), 200, 'This is no JPEG or PNG.');
  expectPage(await upload('front', front), 200, 'The photo was sent.', 'Replace the photo');
  expectPage(await upload('back', back), 200, 'The photo was sent.');
  const kept = await w.sql<{ sealed: Buffer }>('select sealed from identity_pictures');
  expect(kept.some(({ sealed }) => sealed.includes(front.subarray(0, 16)))).toBe(false);

  const page = await open(`/identity-checks/${check}`);
  const shown = page.document.querySelectorAll('figure img').map((one) => one.getAttribute('src'));
  const here = `/dashboard/operators/identity-checks/${check}`;
  expect(shown).toEqual([`${here}/front`, `${here}/back`]);
  for (const [side, type, file] of [
    ['front', 'image/png', front],
    ['back', 'image/jpeg', back],
  ] as const) {
    const answer = await operator.visitor.request(`${here}/${side}`);
    expect(answer.headers.get('content-type')).toBe(type);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('cache-control')).toContain('no-store');
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(file);
    const details = { username: person.user.username, check, picture: side };
    const actor = operator.user.email;
    expect(await latestAudit('kyc.view')).toMatchObject({ actor, details });
  }
  expect((await person.visitor.request(`${here}/front`)).status).toBe(404);
  await decide(`/identity-checks/${check}`, { decision: 'approved' });
  const sending = { db: w.database.db, sealer: createSealer([TEST_SECRETS_KEY]) };
  const { id: login_id } = (await findLogin(w.database.db, person.user.username))!;
  const owner = { check_id: check, login_id };
  expect(await sendPicture(sending, owner, 'front', front)).toBe('not_waiting');
  const huge = Buffer.concat([front, Buffer.alloc(MAX_PICTURE_BYTES)]);
  expect(await sendPicture(sending, owner, 'front', huge)).toBe('too_large');
});

it('an account of one’s own is decided by another operator', async () => {
  const own = await signInOperator(w.service, w.database, { kyc: 'not_started' });
  const check = `/identity-checks/${await buildIdentityCheck(w.database, own.user)}`;
  const item = `/suspense/${await buildSuspense(w.database, own.user)}`;
  for (const [path, fields] of [
    [check, { decision: 'approved' }],
    [item, { decision: 'accept', reason: 'mine' }],
  ] as const) {
    const refused = await decide(path, fields, own);
    expectPage(refused, 403, 'operators do not decide about their own');
  }
  expect(w.service.log.filter((entry) => String(entry['error']).includes('AP002'))).toEqual([]);
  const asked = await send(check, '/decide', { decision: 'approved' });
  expectPage(asked, 200, `Approve the identity of ${IDENTITY.legal_name}?`, own.user.username);
  const status = 'select kyc_status from users where id = ?';
  expect(await w.sql(status, [own.user.id])).toEqual([{ kyc_status: 'pending' }]);
  expectPage(await operator.visitor.submit('/decide'), 200, 'is approved');
  expect(await w.sql(status, [own.user.id])).toEqual([{ kyc_status: 'approved' }]);
});

describe('money in suspense', () => {
  it('shows what was asked for, what has come and what happened; its refund is ordered, and shown', async () => {
    const id = await buildSuspense(w.database, merchant);
    await w.sql(
      `update payment_intents set amount_minor = 1000000, description = 'Two pagnes',
         customer_email = 'aminata@example.com'
        where id = (select intent_id from suspense_items where id = ?)`,
      [id],
    );
    const page = await open(`/suspense/${id}`);
    const facts = page.document
      .querySelectorAll('dl > div')
      .map((row) => ['dt', 'dd'].map((of) => row.querySelector(of)!.text.replaceAll(/\s/gu, ' ')));
    expect(Object.fromEntries(facts)).toMatchObject({
      Expected: '10,000 FCFA',
      Arrived: '7,500 FCFA',
      Difference: '-2,500 FCFA',
      Description: 'Two pagnes',
      Customer: 'aminata@example.com',
    });
    expectPage(page, 200, 'What happened');
    expect(page.document.querySelector('.timeline li')).not.toBeNull();
    const fields = { decision: 'refund', reason: 'paid twice' };
    const ordered = await decide(`/suspense/${id}`, fields);
    expectPage(ordered, 200, 'The refund is ordered.', operator.user.email);
    expect(ordered.html).toContain(`suspense-refund%2Fsandbox%2F${id}`);
  });

  it('is decided by a button that was pressed: not by Enter in the reason, nor by a form without one', async () => {
    const unchecked = await buildUser(w.database.db, { kyc: 'not_started' });
    const item = await buildSuspense(w.database, merchant);
    const check = await buildIdentityCheck(w.database, unchecked);
    for (const path of [`/suspense/${item}`, `/identity-checks/${check}`]) {
      const { document } = await open(path);
      const form = document.querySelector('form[action$="/decide"]')!;
      // Enter in a field of one line presses the first button.
      expect(form.querySelectorAll('input:not([type=hidden])')).toEqual([]);
      for (const fields of [{}, { decision: 'other' }]) {
        const answer = await send(path, '/decide', { reason: 'unsure', ...fields });
        expect(answer.status).toBe(403);
      }
    }
    const rows = await w.sql(
      `select status from suspense_items where id = ?
       union all select status from identity_checks where id = ?`,
      [item, check],
    );
    expect(rows).toEqual([{ status: 'held' }, { status: 'pending' }]);
  });

  it('is closed as the page showed it: not when the gateway has its refund by then, or is being asked', async () => {
    const id = await buildSuspense(w.database, merchant);
    const path = `/suspense/${id}`;
    await orderSuspenseRefund(w.database.operator, id, 'tests');
    const fields = { close_reason: 'wire', reference: 'W-18', unmade_order: '1' };
    const close = () => operator.visitor.submit('/close', fields);
    expectPage(await open(path), 200, 'The gateway has made no refund, and never will');
    const [question] = await beginAskingRefund(w.database.db, id);
    expect((await close()).text).toContain('less than half a minute ago');
    await open(path);
    const pending = { status: 'pending', refund_id: 're_9', detail: null } as const;
    await recordRefundAnswer(w.database.db, id, question!, pending);
    await askedLongAgo(w.database, id);
    expect((await close()).text).toContain('The gateway has its refund by now');
    expectPage(await open(path), 200, 'The gateway has the refund re_9 and will never make it');
    expectPage(await close(), 200, 'The item is closed.');
  });

  it('above the limit waits for another operator, who approves it', async () => {
    const { app_role, operator_role } = readStack();
    const roles = { owner_url: w.database.owner_url, app_role, operator_role };
    await migrate({ ...roles, approval_above: { XOF: 0n } });
    const id = await buildSuspense(w.database, merchant);
    const before = await w.balance('sandbox', merchant);
    const fields = { decision: 'accept', reason: 'delivered' };
    const waiting = await decide(`/suspense/${id}`, fields);
    expectPage(waiting, 200, 'Your request waits for a second operator');
    expectPage(waiting, 200, 'nothing else can be decided');
    expect(waiting.document.querySelector('.notice.bad')).toBeNull();
    // Neither button is there: the decision is another operator's.
    expect(waiting.document.querySelectorAll('main form[method=post]')).toEqual([]);
    const request = waiting.document.querySelector('a[href*="/operators/approvals/"]')!;
    const path = request.getAttribute('href')!.replace('/dashboard/operators', '');
    const own = await open(path);
    expectPage(own, 200, 'another operator has to approve it');
    expect(own.document.querySelector('form[action$="/approve"]')).toBeNull();
    const list = await open('/approvals', second);
    expect(list.document.querySelector(`a[href$="${path}"]`)).not.toBeNull();
    expectPage(list, 200, 'about which one operator decides alone, such as a credit:');
    expectPage(list, 200, /XOF\s*Up to 0\sFCFA/, 'Any amount: no limit is set');
    const french = await open('/approvals?lang=fr', second);
    expectPage(
      french,
      200,
      'Montants sur lesquels un opérateur décide seul, par exemple d’un crédit',
    );
    expectPage(french, 200, /XOF\s*Jusqu’à 0\sFCFA/, 'Tout montant : aucune limite n’est fixée');
    await open('/approvals?lang=en', second);
    const order = {
      reference: 'CREDIT-0001',
      user_id: merchant.id,
      environment: 'live',
      currency: 'XOF',
      amount_minor: '50000000',
      source: 'operator',
    } as const;
    const credit = { action: 'wallets.credit', arguments: order, reason: 'late' } as const;
    const { approval } = await requestApproval(w.database.operator, credit, 'root');
    const asked = await open(`/approvals/${approval}`, second);
    expectPage(asked, 200, '500,000 FCFA', /Reference\s*CREDIT-0001/);
    expectPage(asked, 200, /Taken from\s*The operator account/, 'root (at the command line)');
    expect(asked.text).not.toMatch(/50000000|user_id|amount_minor|source=|credit\//);
    const shown = await open(path, second);
    expectPage(shown, 200, 'Approve 7,500 FCFA', merchant.username, operator.user.email);
    expectPage(shown, 200, 'delivered', /Subject\s*Suspense/);
    expect(shown.document.querySelector(`dd a[href$="/operators/suspense/${id}"]`)).not.toBeNull();
    // The person has an address, and the item its page.
    expect(shown.text).not.toMatch(new RegExp(`${id}|item=|at the command line`));
    const approved = await second.visitor.submit('/approve');
    expect(approved.path).toBe(`/dashboard/operators${path}`);
    expectPage(approved, 200, 'Approved, and done.');
    expect(await w.balance('sandbox', merchant)).toBe(before + 750_000n);
    const by = second.user.email;
    const details = { requested_by: operator.user.email, approved_by: by };
    expect(await latestAudit('suspense.accept')).toMatchObject({ actor: by, details });
    await migrate({ ...roles, approval_above: { XOF: null } });
  });
});

describe('a payout in doubt', () => {
  const paying = () => buildUser(w.database.db, { funds: { sandbox: { XOF: 10_000_000n } } });

  it('is listed with what providers say of themselves, and settled with a reason, by a button', async () => {
    const id = await payoutInDoubt(w.database, await paying(), { since: '2 days' });
    const { reference } = await getPayout(w.database.db, id);
    // Providers have three seconds to answer.
    const openUntil = (says: RegExp) =>
      waitFor(async () => says.test((await open('/treasury')).text));
    await openUntil(/Float.*Open: \d+ of \d+.*orange_sn · SN · XOF Open/s);
    const { document } = await open('/payouts');
    expect(document.querySelector(`a[href$="/operators/payouts/${id}"]`)).not.toBeNull();
    await setFaults(w.api.gateway, 'sandbox', { fail: 'reset', only: 'list' });
    await openUntil(/It does not answer.*Open: \d+ of \d+.*orange_sn · SN · XOF Open/s);
    await setFaults(w.api.gateway, 'sandbox', {});
    const path = `/payouts/${id}`;
    expectPage(await open(path), 200, 'The provider did not answer.');
    expect((await operator.visitor.submit('/settle', { reason: 'by Enter' })).status).toBe(403);
    expect((await send(path, '/settle', { decision: 'not_paid' })).status).toBe(422);
    const reason = 'their support said so';
    const settled = await operator.visitor.submit('/settle', { decision: 'not_paid', reason });
    expectPage(settled, 200, 'the payout has failed, and the money is back');
    expectPage(settled, 200, `has found that it was not paid: ${reason}`);
    const audit = { actor: operator.user.email, details: { reference, is_paid: false } };
    expect(await latestAudit('payouts.settle')).toMatchObject(audit);
  });

  it('that the provider has is settled by who has looked there under its id', async () => {
    const { db } = w.database;
    const id = await orderedPayout(db, await paying());
    await answerPayout(db, id, { status: 'sent' });
    await payoutAskedLongAgo(w.database, id);
    const page = await open(`/payouts/${id}`);
    expectPage(page, 200, `I have looked at the provider, under po_${id}`);
    const settle = (provider_payment: string) => {
      const fields = { decision: 'paid', reason: 'seen there', provider_payment };
      return operator.visitor.submit('/settle', fields);
    };
    expect((await settle('po_1')).text).toContain('Nothing was done: look again.');
    expectPage(await settle(`po_${id}`), 200, 'the payout has succeeded');
  });

  it('that was paid and given back is settled as a loss, where the list shows it', async () => {
    const user = await paying();
    const id = await contradictedPayout(w.database, user);
    expectPage(await open('/payouts'), 200, /Paid, and given back/);
    const fields = { decision: 'loss', reason: 'the merchant is gone' };
    const settled = await send(`/payouts/${id}`, '/settle', fields);
    expectPage(settled, 200, 'the loss is in the books');
    const { reference } = await getPayout(w.database.db, id);
    expect(await listLosses(w.database.operator, reference)).toEqual([]);
    expectPage(await open(`/payouts?user=${user.username}`), 200, reference);
  });
});

it('a payment’s page shows its state, what belongs to it and what happened', async () => {
  const { id, payment, refund, phone } = await buildPayment(w.database, merchant);
  const page = await open(`/payments/${payment}`);
  expectPage(page, 200, `Payment: ${payment}`, 'Paid', '12,345 FCFA', phone, refund, 'Paid twice');
  for (const path of [
    `/dashboard/operators/accounts/${merchant.username}`,
    '/dashboard/operators/suspense/',
    `workflows/intent%2Fsandbox%2F${id}`,
    'workflows/refund%2F',
    'workflows/payment-attempt%2F',
  ]) {
    expect(page.document.querySelectorAll(`main a[href*="${path}"]`)).not.toEqual([]);
  }
  const posted = page.document.querySelectorAll('td').map(({ text }) => text);
  expect(posted).toEqual(expect.arrayContaining(['Owed by the gateway', 'Refunds under way']));
  expectPage(
    await open(`/payments/${payment}?lang=fr`),
    200,
    'Payé',
    'Payé deux fois',
    '12 345 FCFA',
  );
  await open('?lang=en');
});

it('an account whose name is found shows the entry, and is released or frozen after a second question', async () => {
  const { db, operator: operators, owner } = w.database;
  await loadList(operators, 'un', '7,Ousmane Coulibaly,,individual,1957-03-10,ML');
  const user = await buildUser(db, { username: 'coulibaly' });
  await owner.raw(`update users set display_name = 'Coulibaly Ousmane' where id = ?`, [user.id]);
  await compareAccounts(db);
  await removeLists(operators);
  const { reference } = await latestCase(db);
  const path = `/risk/${reference}`;
  expectPage(await open(path), 200, 'un/7: Ousmane Coulibaly (1.00; individual, 1957-03-10, ML)');
  expectPage(await open('/risk'), 200, 'coulibaly');
  const fields = { reason: 'it is', decision: 'refuse' };
  expectPage(await send(path, '/decide', fields), 200, 'Freeze the account coulibaly?');
  const from = await buildUser(db, { funds: { live: { XOF: 500_000n } } });
  await postOne(db, { from, to: user, amount: 500_000n });
  await decide(path, fields);
  expect(await latestAudit('users.freeze')).toMatchObject({ subject: 'user/coulibaly' });
  // A transfer to it stays held.
  expectPage(await open(path), 200, 'Refused', 'What else waits', from.username);
  expectPage(await open(`/search?q=${reference}`), 200, 'coulibaly');
});

it('the search finds payments, transfers, payouts and suspense by what a caller can name', async () => {
  const { db, operator: operator_db } = w.database;
  const item = await buildSuspense(w.database, merchant);
  const [payment] = await w.sql<{ reference: string }>(
    `update payment_intents set customer_email = 'moussa.search@example.com'
      where id = (select intent_id from suspense_items where id = ?) returning reference`,
    [item],
  );
  const held = (await findSuspense(operator_db, item))!.reference;
  const from = await buildUser(db, { funds: { live: { XOF: 500_000n } } });
  const transfer = (await postOne(db, { from, to: merchant, amount: 500_000n })).reference!;
  const phone = `+22177${String(Date.now()).slice(-7)}`;
  const paying = await buildUser(db, { funds: { sandbox: { XOF: 10_000_000n } } });
  const orderTo = async (to: string): Promise<string> =>
    (await getPayout(db, await orderedPayout(db, paying, { phone: to }))).reference;
  const [paid, benin] = [await orderTo(phone), await orderTo('+2290197000100')];
  const refunded = await buildPayment(w.database, merchant);
  await setRule(w.database.operator);
  const kept = await orderHeld(w.database, paying);
  await removeRules(w.database.owner);
  for (const [q, found] of [
    [payment!.reference, `Payment link · ${payment!.reference}`],
    [' Moussa.Search@example.com ', `Payment link · ${payment!.reference}`],
    [held, `Suspense · ${held}`],
    ['7 500', `Suspense · ${held}`],
    ['7501', 'Nothing was found.'],
    ['5.000 FCFA', `Refund · ${refunded.refund}`],
    ['12 345,00', `Payment link · ${refunded.payment}`],
    ['5 000', `Payout · ${paid}`],
    [refunded.phone, `Payment link · ${refunded.payment}`],
    [transfer, `Transfer · ${transfer}`],
    [paid, `Payout · ${paid}`],
    [refunded.refund, `Refund · ${refunded.refund}`],
    [phone, `Payout · ${paid}`],
    [`${phone.slice(0, 4)} ${phone.slice(4, 6)} ${phone.slice(6)}`, `Payout · ${paid}`],
    ['+229 97 00 01 00', `Payout · ${benin}`],
    [kept.reference, `Case of risk · ${kept.reference}`],
    [merchant.username.slice(0, 6), merchant.email],
  ] as const) {
    expectPage(await open(`/search?${new URLSearchParams({ q }).toString()}`), 200, found);
  }
});

it('failing webhooks say how they failed, and are disabled by a button, in the name of the operator', async () => {
  const url = 'https://shop.example/hooks';
  const { id } = await createTestEndpoint(w.database, { user_id: merchant.id, url });
  await w.sql(
    `update webhook_endpoints set failing_since = now(), consecutive_failures = 4, last_failure =
       jsonb_build_object('at', now(), 'outcome', 'refused', 'status', 503) where id = ?`,
    [id],
  );
  expectPage(await open('/deliveries'), 200, '503');
  const disabled = await operator.visitor.submit(`/${id}/disable`);
  expectPage(disabled, 200, `${url} is disabled`);
  expect(disabled.document.querySelector(`form[action$="/${id}/disable"]`)).toBeNull();
  expect(await latestAudit('webhooks.update')).toMatchObject({
    actor: operator.user.email,
    subject: `webhook_endpoint/${id}`,
    details: { username: merchant.username, status: 'disabled' },
  });
});

describe('reconciliations', () => {
  it('are begun by a button, in the name of the operator; none ran is not said to be clean', async () => {
    expectPage(await open(''), 200, 'None yet', 'Not checked yet');
    const begun = await send('/reconciliations', '/operators/reconciliations');
    expectPage(begun, 200, 'It compares now.');
    expect(await latestAudit('reconcile.run')).toMatchObject({ actor: operator.user.email });
    await waitFor(async () => {
      const [newest] = await listReconciliations(w.database.db, { limit: 1 });
      return newest !== undefined && newest.ended_at !== null;
    });
    const home = await open('');
    expect(home.text).not.toContain('None yet');
    expectPage(home, 200, 'last seal · Holds');
  });

  it('are listed with what they found, and shown with each finding', async () => {
    const id = await buildReconciliation(w.database);
    expectPage(await open('/reconciliations'), 200, 'Found (1)', 'Not checked');
    const shown = await open(`/reconciliations/${id}`);
    expectPage(shown, 200, 'pay_lost_on_the_way', 'GET /payments returned 503');
    expectPage(await open(''), 200, 'Findings of the last reconciliation');
  });
});

describe('a credit', () => {
  it('is looked at, and made once, however often its form is sent', async () => {
    const user = await buildUser(w.database.db);
    const path = `/accounts/${user.username}/credits/new`;
    const form = await open(path);
    expectPage(form, 200, `Credit a wallet: ${user.username}`, 'Any amount: no limit is set');
    const here = form.path.replace('/dashboard/operators', '');
    const fields = { environment: 'live', currency: 'XOF', amount: '5 000', reason: 'goodwill' };
    const faulty = await operator.visitor.submit('', {
      ...fields,
      amount: 'much',
      reason: '',
    });
    expectPage(faulty, 422, 'Write an amount', 'Give a reason');
    for (const says of ['5,000 FCFA is in the wallet.', 'This credit was made before.']) {
      const asked = await send(here, '', fields);
      expectPage(asked, 200, `Credit 5,000 FCFA to the account ${user.username}?`);
      expectPage(asked, 200, 'No second operator is asked.');
      expectPage(await operator.visitor.submit(''), 200, says);
    }
    expect(await w.balance('live', user)).toBe(500_000n);
    expect(await latestAudit('wallets.credit')).toMatchObject({
      actor: operator.user.email,
      details: { username: user.username, reason: 'goodwill' },
    });
  });

  it('above the limit waits for a second operator', async () => {
    const { app_role, operator_role } = readStack();
    const roles = { owner_url: w.database.owner_url, app_role, operator_role };
    await migrate({ ...roles, approval_above: { XOF: 100_000n } });
    const user = await buildUser(w.database.db);
    const path = `/accounts/${user.username}/credits/new`;
    const fields = { environment: 'live', currency: 'XOF', amount: '1 001', reason: 'late' };
    expectPage(await send(path, '', fields), 200, 'a second operator has to approve it');
    const waiting = await operator.visitor.submit('');
    expectPage(waiting, 200, 'Nothing was done yet.', 'You requested it');
    expect(await w.balance('live', user)).toBe(0n);
    await open(waiting.path.replace('/dashboard/operators', ''), second);
    expectPage(await second.visitor.submit('/approve'), 200, 'Approved, and done.');
    expect(await w.balance('live', user)).toBe(100_100n);
    await migrate({ ...roles, approval_above: { XOF: null } });
  });
});

it('the audit log says in the reader’s language who did what to whom, and keeps the row behind it', async () => {
  await sealLedger(w.database.db);
  const [newest] = await listSeals(w.database.db, { limit: 1 });
  const page = await open(`/audit?user=${merchant.username}`);
  expectPage(page, 200, newest!.hash, 'accepted money in suspense · 7,500 FCFA · asked for by');
  const { text } = page.document.querySelector('tbody details')!;
  expect(text).toContain('"action": "');
  const french = await open(`/audit?user=${merchant.username}&lang=fr`);
  expectPage(french, 200, `${second.user.email} a accepté des fonds en suspens · 7 500 FCFA`);
  expectPage(await open('/audit?actor=nobody&lang=en'), 200, 'Nothing here yet.');
});

it('each thing that goes into the audit log has a sentence', () => {
  const files = ['db', 'cli', 'use-cases'].flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: 'utf8' }).map((file) => join(room, file)),
  );
  const actions = files
    .filter((file) => /\.(sql|ts)$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      const calls =
        /(?:add_audit_row|addAuditRow|addAuditRowOf|auditOf)\((?:[^()]|\([^()]*\)){0,120}/g;
      return [...text.matchAll(calls)].flatMap(
        ([call]) => call.match(/(?<=')[a-z]+\.[a-z-]+(?=')/g) ?? [],
      );
    });
  expect(actions.length).toBeGreaterThan(40);
  expect(actions.filter((action) => !Object.hasOwn(AUDIT_WORDS.fr.deeds, action))).toEqual([]);
});
