// The operators' pages by plain HTTP: who may open them, and an operator's day.

import { requestApproval } from '../../db/operators/approvals';
import { randomUUID } from 'node:crypto';
import { listSeals, sealLedger } from '../../db/ledger/ledger-seals';
import { migrate } from '../../db/schema/migrate';
import { listReconciliations } from '../../db/reconciliation/reconciliations';
import {
  beginAskingRefund,
  findSuspense,
  orderSuspenseRefund,
  recordRefundAnswer,
} from '../../db/suspense/suspense';
import { grantOperator } from '../../use-cases/operators';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { gatewayConfig } from '../support/api';
import { setFaults, startTestGateway, type RunningGateway } from '../support/sandbox-gateway';
import { startTestService, type TestService } from '../support/service';
import { askedLongAgo } from '../support/refunds';
import { postOne } from '../support/postings';
import { readStack } from '../support/stack';
import { buildApiKey, buildUser, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import { createTestEndpoint } from '../support/webhooks';
import { PASSWORD, type Member } from './accounts';
import { mailsTo } from './mails';
import {
  buildIdentityCheck,
  buildSuspense,
  IDENTITY,
  signInOperator,
  buildReconciliation,
} from './operators';
import { getPayout } from '../../db/payouts/payouts';
import { listLosses } from '../../db/suspense/losses';
import {
  answerPayout,
  contradictedPayout,
  orderedPayout,
  payoutAskedLongAgo,
  payoutInDoubt,
} from '../support/payouts';
import { createVisitor } from './visitor';

let database: TestDatabase;
let service: TestService;
let gateway: RunningGateway;
let operator: Member;
let second: Member;
let merchant: TestUser;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway({ notification_url: 'http://127.0.0.1:9' });
  service = await startTestService({
    database,
    overrides: { temporal_ui_url: 'http://127.0.0.1:8233', gateway: gatewayConfig(gateway) },
  });
  operator = await signInOperator(service, database);
  second = await signInOperator(service, database);
  merchant = await buildUser(database.db, { kyc: 'not_started' });
});

afterEach(async () => {
  await expectBooksHold(database.db);
});

async function auditRows(action: string): Promise<Record<string, unknown>[]> {
  const { rows } = await database.owner.raw(
    'select actor, subject, details from audit_log where action = ? order by id',
    [action],
  );
  return rows as Record<string, unknown>[];
}

describe("every operators' page", () => {
  it('closes with the next request when the role is taken back', async () => {
    const former = await signInOperator(service, database);
    expect((await former.visitor.open('/operators')).status).toBe(200);
    const granting = { db: database.operator, actor: 'root' };
    await grantOperator(granting, former.user.username, false);
    expect((await former.visitor.open('/operators')).status).toBe(404);
  });

  it('is opened by signing in where such pages are served, and nowhere else', async () => {
    const plain = await startTestService({
      database,
      overrides: { operator_database_url: undefined },
    });
    const visitor = createVisitor(plain);
    await visitor.open('/sign-in');
    const { username } = operator.user;
    const page = await visitor.submit('/sign-in', { username, password: PASSWORD });
    expect([page.status, page.text]).toEqual([
      403,
      expect.stringContaining('Operators sign in where the operators’ pages are served'),
    ]);
  });

  it('needs a second factor where the setting says so', async () => {
    const strict = await startTestService({
      database,
      overrides: { operators_need_second_factor: true },
    });
    const { user, visitor } = await signInOperator(strict, database);
    const page = await visitor.open('/operators');
    expect([page.status, page.heading]).toEqual([403, 'Second factor needed']);
    await database.owner.raw(`update sessions set second_factor = 'passed' where user_id = ?`, [
      user.id,
    ]);
    expect((await visitor.open('/operators')).status).toBe(200);
  });

  it.each([
    '/operators/accounts/nobody-there',
    `/operators/approvals/${randomUUID()}`,
    `/operators/identity-checks/${randomUUID()}`,
    '/operators/identity-checks/x',
    `/operators/suspense/${randomUUID()}`,
    `/operators/payouts/${randomUUID()}`,
    '/operators/payouts/x',
    '/operators/payouts?user=nobody-there',
    '/operators/suspense/x',
    '/operators/accounts?cursor=x',
    '/operators/audit?cursor=x',
  ])('is 404 about what is not there: %s', async (path) => {
    expect((await operator.visitor.open(path)).status).toBe(404);
  });
});

describe('accounts', () => {
  it('show what an account has, but no whole key', async () => {
    const user = await buildUser(database.db, { funds: { live: { XOF: 123_400n } } });
    const { key } = await buildApiKey(database.db, { user });
    const page = await operator.visitor.open(`/operators/accounts/${user.username}`);
    expect(page.text).toContain('1,234 FCFA');
    expect(page.text).toContain(key.slice(-4));
    expect(page.text).not.toContain(key);
    expect(page.text).toContain('keys.create');
    const link = page.document.querySelector(`a[href*="workflows/identityCheck"]`);
    expect(link?.getAttribute('href')).toBe(
      `http://127.0.0.1:8233/namespaces/default/workflows/identityCheck%2F${user.id}`,
    );
  });

  it('are frozen and unfrozen with a reason, in the name of the operator', async () => {
    const { username } = await buildUser(database.db);
    const path = `/operators/accounts/${username}`;
    await operator.visitor.open(path);
    const refused = await operator.visitor.submit('/freeze', { reason: ' ' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('Give a reason');
    const frozen = await operator.visitor.submit('/freeze', { reason: 'a stolen phone' });
    expect(frozen.text).toContain(`The account ${username} is frozen.`);
    expect(frozen.text).toContain('a stolen phone');
    const active = await operator.visitor.submit('/unfreeze', { reason: 'found again' });
    expect(active.text).toContain('no longer frozen');
    expect((await auditRows('users.freeze')).at(-1)).toMatchObject({
      actor: operator.user.email,
      details: { username, reason: 'a stolen phone' },
    });
  });
});

describe('an identity check', () => {
  it('is looked at, on record, rejected with a reason, and told', async () => {
    const user = await buildUser(database.db, { kyc: 'not_started' });
    const id = await buildIdentityCheck(database, user);
    expect((await operator.visitor.open('/operators')).text).toContain('Identity checks');
    expect((await operator.visitor.open('/operators/identity-checks')).text).toContain(
      user.username,
    );
    const page = await operator.visitor.open(`/operators/identity-checks/${id}`);
    for (const value of [IDENTITY.legal_name, IDENTITY.document_number, 'Senegal']) {
      expect(page.text).toContain(value);
    }
    expect((await auditRows('kyc.view')).at(-1)).toMatchObject({
      actor: operator.user.email,
      details: { check: id },
    });
    const unfounded = await operator.visitor.submit('/decide', { decision: 'rejected' });
    expect([unfounded.status, unfounded.text]).toEqual([
      422,
      expect.stringContaining('Give a reason'),
    ]);
    const fields = { decision: 'rejected', reason: 'The name differs.' };
    const decided = await operator.visitor.submit('/decide', fields);
    expect(decided.text).toContain(`The identity check of ${user.username} is rejected.`);
    await waitFor(async () =>
      (await mailsTo(database, user.email)).some(({ text }) => text.includes('The name differs.')),
    );
  });
});

it('an account of one’s own is decided by another operator', async () => {
  const own = await signInOperator(service, database, { kyc: 'not_started' });
  const check = await buildIdentityCheck(database, own.user);
  const item = await buildSuspense(database, own.user);
  const decide = async (path: string, action: string, fields: Record<string, string>) => {
    await own.visitor.open(path);
    const { status, text } = await own.visitor.submit(action, fields);
    expect([path, status, text]).toEqual([
      path,
      403,
      expect.stringContaining('operators do not decide about their own'),
    ]);
  };
  await decide(`/operators/identity-checks/${check}`, '/decide', { decision: 'approved' });
  await decide(`/operators/suspense/${item}`, '/decide', { decision: 'accept', reason: 'mine' });
  expect(service.log.filter((entry) => String(entry['error']).includes('AP002'))).toEqual([]);
  await operator.visitor.open(`/operators/identity-checks/${check}`);
  const decided = await operator.visitor.submit('/decide', { decision: 'approved' });
  expect(decided.status).toBe(200);
});

describe('money in suspense', () => {
  it('has its refund ordered, and shows the state of it', async () => {
    const id = await buildSuspense(database, merchant);
    await operator.visitor.open(`/operators/suspense/${id}`);
    const fields = { decision: 'refund', reason: 'paid twice' };
    const ordered = await operator.visitor.submit('/decide', fields);
    expect(ordered.text).toContain('The refund is ordered.');
    expect(ordered.text).toContain(operator.user.email);
    expect(ordered.html).toContain(`suspense-refund%2Fsandbox%2F${id}`);
  });

  it('is decided by a button that was pressed: not by Enter in the reason, nor by a form without one', async () => {
    const id = await buildSuspense(database, merchant);
    const check = await buildIdentityCheck(
      database,
      await buildUser(database.db, { kyc: 'not_started' }),
    );
    for (const path of [`/operators/suspense/${id}`, `/operators/identity-checks/${check}`]) {
      const page = await operator.visitor.open(path);
      const form = page.document.querySelector('form[action$="/decide"]')!;
      // Enter in a field of one line presses the first button.
      expect(form.querySelectorAll('input:not([type=hidden])')).toEqual([]);
      for (const fields of [{}, { decision: 'other' }]) {
        await operator.visitor.open(path);
        const answer = await operator.visitor.submit('/decide', { reason: 'unsure', ...fields });
        expect(answer.status).toBe(403);
      }
    }
    const { rows } = await database.owner.raw(
      `select status from suspense_items where id = ?
       union all select status from identity_checks where id = ?`,
      [id, check],
    );
    expect(rows).toEqual([{ status: 'held' }, { status: 'pending' }]);
  });

  it('shows what was asked for, what has come, who paid and what happened', async () => {
    const id = await buildSuspense(database, merchant);
    await database.owner.raw(
      `update payment_intents set amount_minor = 1000000, description = 'Two pagnes',
         customer_email = 'aminata@example.com'
        where id = (select intent_id from suspense_items where id = ?)`,
      [id],
    );
    const page = await operator.visitor.open(`/operators/suspense/${id}`);
    const facts = page.document
      .querySelectorAll('dl > div')
      .map((row) => [
        row.querySelector('dt')!.text,
        row.querySelector('dd')!.text.replaceAll(/\s/gu, ' '),
      ]);
    expect(Object.fromEntries(facts)).toMatchObject({
      Expected: '10,000 FCFA',
      Arrived: '7,500 FCFA',
      Difference: '-2,500 FCFA',
      Description: 'Two pagnes',
      Customer: 'aminata@example.com',
    });
    expect(page.text).toContain('What happened');
    expect(page.document.querySelector('.timeline li')).not.toBeNull();
  });

  it('is closed as the page showed it: not when the gateway has its refund by then, or is being asked', async () => {
    const id = await buildSuspense(database, merchant);
    await orderSuspenseRefund(database.operator, id, 'tests');
    const close = () =>
      operator.visitor.submit('/close', {
        close_reason: 'wire',
        reference: 'W-18',
        unmade_order: '1',
      });
    const look = () => operator.visitor.open(`/operators/suspense/${id}`);
    expect((await look()).text).toContain('The gateway has made no refund, and never will');
    const [question] = await beginAskingRefund(database.db, id);
    expect((await close()).text).toContain('less than half a minute ago');
    await look();
    const pending = { status: 'pending', refund_id: 're_9', detail: null } as const;
    await recordRefundAnswer(database.db, id, question!, pending);
    await askedLongAgo(database, id);
    expect((await close()).text).toContain('The gateway has its refund by now');
    expect((await look()).text).toContain('The gateway has the refund re_9 and will never make it');
    expect((await close()).text).toContain('The item is closed.');
  });

  it('above the limit waits for another operator, who approves it', async () => {
    const { app_role, operator_role } = readStack();
    const roles = { owner_url: database.owner_url, app_role, operator_role };
    await migrate({ ...roles, approval_above: { XOF: 0n } });
    const id = await buildSuspense(database, merchant);
    const before = await balanceOf(database.db, merchant, 'XOF', 'sandbox');
    await operator.visitor.open(`/operators/suspense/${id}`);
    const fields = { decision: 'accept', reason: 'delivered' };
    const waiting = await operator.visitor.submit('/decide', fields);
    expect(waiting.text).toContain('Your request waits for a second operator');
    expect(waiting.document.querySelector('.notice.bad')).toBeNull();
    expect(waiting.text).toContain('nothing else can be decided');
    // Neither button is there: the decision is another operator's.
    expect(waiting.document.querySelectorAll('main form[method=post]')).toEqual([]);
    const request = waiting.document.querySelector('a[href*="/operators/approvals/"]')!;
    const path = request.getAttribute('href')!.replace('/dashboard', '');
    const own = await operator.visitor.open(path);
    expect(own.text).toContain('another operator has to approve it');
    expect(own.document.querySelector('form[action$="/approve"]')).toBeNull();
    const list = await second.visitor.open('/operators/approvals');
    expect(list.document.querySelector(`a[href="/dashboard${path}"]`)).not.toBeNull();
    expect(list.text).toMatch(/XOF\s*Up to 0\sFCFA/);
    expect(list.text).toContain('Any amount: no limit is set');
    const credit = await requestApproval(
      database.operator,
      {
        action: 'wallets.credit',
        arguments: {
          reference: 'CREDIT-0001',
          user_id: merchant.id,
          environment: 'live',
          currency: 'XOF',
          amount_minor: '50000000',
          source: 'operator',
        },
        reason: 'late',
      },
      'root',
    );
    const asked = await second.visitor.open(`/operators/approvals/${credit.approval}`);
    expect(asked.text).toContain('500,000 FCFA');
    expect(asked.text).toContain('source=operator');
    expect(asked.text).not.toMatch(/50000000|user_id|amount_minor/);
    const shown = await second.visitor.open(path);
    expect(shown.text).toContain('Approve 7,500 FCFA');
    for (const fact of [merchant.username, operator.user.email, 'delivered', `item=${id}`]) {
      expect(shown.text).toContain(fact);
    }
    const approved = await second.visitor.submit('/approve');
    expect(approved.path).toBe(`/dashboard${path}`);
    expect(approved.text).toContain('Approved, and done.');
    expect(await balanceOf(database.db, merchant, 'XOF', 'sandbox')).toBe(before + 750_000n);
    expect((await auditRows('suspense.accept')).at(-1)).toMatchObject({
      actor: second.user.email,
      details: { requested_by: operator.user.email, approved_by: second.user.email },
    });
    await migrate({ ...roles, approval_above: { XOF: null } });
  });
});

describe('the sections', () => {
  it('mark the page that is shown, say how much waits, and leave out what an account has', async () => {
    const id = await buildSuspense(database, merchant);
    const page = await operator.visitor.open(`/operators/suspense/${id}`);
    const sections = page.document.querySelector('nav.tabs')!;
    expect(sections.querySelectorAll('a[aria-current=page]').map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Suspense [1-9]/),
    ]);
    expect(page.document.querySelector('button[name=environment]')).toBeNull();
    expect(page.document.querySelector('nav.pages a[href="/dashboard/links"]')).toBeNull();
    const overview = await operator.visitor.open('/');
    expect(overview.document.querySelector('button[name=environment]')).not.toBeNull();
    expect(overview.document.querySelector('nav.pages a[href="/dashboard/links"]')).not.toBeNull();
  });
});

describe('a payout in doubt', () => {
  const paying = () => buildUser(database.db, { funds: { sandbox: { XOF: 10_000_000n } } });

  it('is listed with what providers say of themselves, and settled with a reason, by a button', async () => {
    const user = await paying();
    const id = await payoutInDoubt(database, user, { since: '2 days' });
    const { reference } = await getPayout(database.db, id);
    // Providers have three seconds to answer.
    const openUntil = (says: RegExp) =>
      waitFor(async () => says.test((await operator.visitor.open('/operators/payouts')).text));
    await openUntil(/Float.*orange_sn · SN · XOF Open/s);
    const { document } = operator.visitor.page;
    expect(document.querySelector(`a[href$="/operators/payouts/${id}"]`)).not.toBeNull();
    await setFaults(gateway, 'sandbox', { fail: 'reset', only: 'list' });
    await openUntil(/It does not answer.*orange_sn · SN · XOF Open/s);
    await setFaults(gateway, 'sandbox', {});
    const path = `/operators/payouts/${id}`;
    const shown = await operator.visitor.open(path);
    expect(shown.text).toContain('The provider did not answer.');
    const unpressed = await operator.visitor.submit('/settle', { reason: 'by Enter' });
    expect(unpressed.status).toBe(403);
    await operator.visitor.open(path);
    const unfounded = await operator.visitor.submit('/settle', { decision: 'not_paid' });
    expect(unfounded.status).toBe(422);
    const fields = { decision: 'not_paid', reason: 'their support said so' };
    const settled = await operator.visitor.submit('/settle', fields);
    expect(settled.text).toContain('the payout has failed, and the money is back');
    expect(settled.text).toContain('has found that it was not paid: their support said so');
    expect(await auditRows('payouts.settle')).toMatchObject([
      { actor: operator.user.email, details: { reference, is_paid: false } },
    ]);
  });

  it('that the provider has is settled by who has looked there under its id', async () => {
    const id = await orderedPayout(database.db, await paying());
    await answerPayout(database.db, id, { status: 'sent' });
    await payoutAskedLongAgo(database, id);
    const page = await operator.visitor.open(`/operators/payouts/${id}`);
    expect(page.text).toContain(`I have looked at the provider, under po_${id}`);
    const fields = { decision: 'paid', reason: 'seen there' };
    const other = await operator.visitor.submit('/settle', { ...fields, provider_payment: 'po_1' });
    expect(other.text).toContain('Nothing was done: look again.');
    const provider_payment = `po_${id}`;
    const settled = await operator.visitor.submit('/settle', { ...fields, provider_payment });
    expect(settled.text).toContain('the payout has succeeded');
  });

  it('that was paid and given back is settled as a loss, where the list shows it', async () => {
    const user = await paying();
    const id = await contradictedPayout(database, user);
    const list = await operator.visitor.open('/operators/payouts');
    expect(list.text).toMatch(/Paid, and given back/);
    await operator.visitor.open(`/operators/payouts/${id}`);
    const fields = { decision: 'loss', reason: 'the merchant is gone' };
    const settled = await operator.visitor.submit('/settle', fields);
    expect(settled.text).toContain('the loss is in the books');
    const { reference } = await getPayout(database.db, id);
    expect(await listLosses(database.operator, reference)).toEqual([]);
    const all = await operator.visitor.open(`/operators/payouts?user=${user.username}`);
    expect(all.text).toContain(reference);
  });
});

describe('the search', () => {
  it('finds payments, transfers, payouts and suspense by what a caller can name', async () => {
    const item = await buildSuspense(database, merchant);
    const { rows } = await database.owner.raw(
      `update payment_intents set customer_email = 'moussa.search@example.com'
        where id = (select intent_id from suspense_items where id = ?) returning reference`,
      [item],
    );
    const [{ reference }] = rows as [{ reference: string }];
    const held = await findSuspense(database.operator, item);
    const from = await buildUser(database.db, { funds: { live: { XOF: 500_000n } } });
    const posted = await postOne(database.db, { from, to: merchant, amount: 500_000n });
    const transfer = posted.reference!;
    const phone = `+22177${String(Date.now()).slice(-7)}`;
    const paying = await buildUser(database.db, { funds: { sandbox: { XOF: 1_000_000n } } });
    const paid = await getPayout(database.db, await orderedPayout(database.db, paying, { phone }));
    const found = async (q: string): Promise<string> => {
      await operator.visitor.open('/operators');
      const url = `/operators/search?${new URLSearchParams({ q }).toString()}`;
      return (await operator.visitor.open(url)).text;
    };
    expect(await found(reference)).toContain(`Payment link · ${reference}`);
    expect(await found(' Moussa.Search@example.com ')).toContain(`Payment link · ${reference}`);
    expect(await found(held!.reference)).toContain(`Suspense · ${held!.reference}`);
    expect(await found('7 500')).toContain(`Suspense · ${held!.reference}`);
    expect(await found('7501')).toContain('Nothing has this name.');
    expect(await found(transfer)).toContain(`Transfer · ${transfer}`);
    for (const q of [
      paid.reference,
      phone,
      `${phone.slice(0, 4)} ${phone.slice(4, 6)} ${phone.slice(6)}`,
    ]) {
      expect(await found(q)).toContain(`Payout · ${paid.reference}`);
    }
    const benin = await orderedPayout(database.db, paying, { phone: '+2290197000100' });
    const { reference: there } = await getPayout(database.db, benin);
    expect(await found('+229 97 00 01 00')).toContain(`Payout · ${there}`);
    expect(await found(merchant.username.slice(0, 6))).toContain(merchant.email);
  });
});

describe('failing webhooks', () => {
  it('say how they failed, and are disabled by a button, in the name of the operator', async () => {
    const { id } = await createTestEndpoint(database, {
      user_id: merchant.id,
      url: 'https://shop.example/hooks',
    });
    await database.owner.raw(
      `update webhook_endpoints set failing_since = now(), consecutive_failures = 4, last_failure = ?
        where id = ?`,
      [JSON.stringify({ at: new Date().toISOString(), outcome: 'refused', status: 503 }), id],
    );
    const page = await operator.visitor.open('/operators/deliveries');
    expect(page.text).toContain('503');
    const disabled = await operator.visitor.submit(`/${id}/disable`);
    expect(disabled.text).toContain('https://shop.example/hooks is disabled');
    expect(disabled.document.querySelector(`form[action$="/${id}/disable"]`)).toBeNull();
    expect((await auditRows('webhooks.update')).at(-1)).toMatchObject({
      actor: operator.user.email,
      subject: `webhook_endpoint/${id}`,
      details: { username: merchant.username, status: 'disabled' },
    });
  });
});

describe('reconciliations', () => {
  it('are begun by a button, in the name of the operator; none ran is not said to be clean', async () => {
    expect((await operator.visitor.open('/operators')).text).toContain('Never ran');
    await operator.visitor.open('/operators/reconciliations');
    const begun = await operator.visitor.submit('/operators/reconciliations');
    expect(begun.text).toContain('It compares now.');
    expect((await auditRows('reconcile.run')).at(-1)).toMatchObject({ actor: operator.user.email });
    await waitFor(async () => {
      const [newest] = await listReconciliations(database.db, { limit: 1 });
      return newest !== undefined && newest.ended_at !== null;
    });
    const home = await operator.visitor.open('/operators');
    expect(home.text).not.toContain('Never ran');
    expect(home.text).toContain('last seal · Holds');
  });

  it('are listed with what they found, and shown with each finding', async () => {
    const id = await buildReconciliation(database);
    const list = await operator.visitor.open('/operators/reconciliations');
    expect(list.text).toContain('Found (1)');
    expect(list.text).toContain('Not checked');
    const shown = await operator.visitor.open(`/operators/reconciliations/${id}`);
    expect(shown.text).toContain('pay_lost_on_the_way');
    expect(shown.text).toContain('GET /payments returned 503');
    const home = await operator.visitor.open('/operators');
    expect(home.text).toContain('Findings of the last reconciliation');
    const unknown = await operator.visitor.open('/operators/reconciliations/999999999999999999');
    expect(unknown.status).toBe(404);
  });
});

describe('the audit log', () => {
  it('is filtered, and shows the hash to note', async () => {
    await sealLedger(database.db);
    const [newest] = await listSeals(database.db, { limit: 1 });
    const page = await operator.visitor.open(`/operators/audit?user=${merchant.username}`);
    expect(page.text).toContain('suspense.accept');
    expect(page.text).toContain(newest!.hash);
    const none = await operator.visitor.open('/operators/audit?actor=nobody');
    expect(none.text).toContain('Nothing here yet.');
  });
});
