// pawaPay's adapter against a small pawaPay of ours: its requests, its own words for what failed, and the form of its
// signatures. Requests and responses are validated against gateway/pawapay/openapi.json. What every adapter must do is
// checked by the kit (test/dev/adapter-kit.test.ts).

import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import Ajv2020 from 'ajv/dist/2020';
import {
  startPawapay,
  type Changed,
  type PawapaySimulator,
} from '../../dev/simulators/pawapay/server';
import type { Minor } from '../../domain/money';
import type { ChargeState } from '../../domain/payment-attempt';
import type { PayoutState } from '../../domain/payout';
import { createPawapayGateway } from '../../gateway/pawapay/adapter';
import type { PawapayAccount } from '../../gateway/pawapay/call';
import document from '../../gateway/pawapay/openapi.json';
import { createPawapayPayouts } from '../../gateway/pawapay/payouts';
import type { PayoutProvider } from '../../gateway/payout-port';
import type { ChargeOrder, Gateway, PhonePayments } from '../../gateway/port';
import { setUp } from '../support/database';
import { closeAfterFile } from '../support/cleanup';
import { startNotificationReceiver } from '../support/sandbox-gateway';
import { payoutOrder, phone } from '../support/sandbox-payouts';
import { waitFor } from '../support/wait';
import { errorOf } from './support/errors';

const TOKEN = 'a-token-of-the-tests';
const KEYS = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const receiver = setUp(startNotificationReceiver);
let pawapay: PawapaySimulator;
let account: PawapayAccount;
let gateway: Gateway;
let phones: PhonePayments;
let payouts: PayoutProvider;

beforeAll(async () => {
  const callback_url = `${receiver.url}/callbacks`;
  pawapay = await startPawapay({ token: TOKEN, callback_url, key: KEYS.privateKey });
  closeAfterFile(() => pawapay.stop());
  account = {
    environment: 'sandbox',
    url: pawapay.url,
    token: TOKEN,
    timeout_ms: 30_000,
    callback_keys: [pawapay.public_key],
    callback_url,
  };
  gateway = createPawapayGateway(account);
  phones = gateway.phones!;
  payouts = createPawapayPayouts(account);
});

afterEach(() => {
  pawapay.fault = undefined;
  pawapay.status.clear();
});

function charge(fields: Partial<ChargeOrder> = {}): ChargeOrder {
  return {
    id: randomUUID(),
    intent_id: randomUUID(),
    reference: 'TRX-0123456789ABCDEF',
    amount: 500_000n as Minor,
    currency: 'XOF',
    operator: 'orange_ci',
    phone: '+2250700000100',
    otp: null,
    description: null,
    merchant_name: 'Boutique Awa',
    return_url: 'https://shop.example/back',
    ...fields,
  };
}

async function until(
  id: string,
  isIt: (state: ChargeState) => boolean = ({ status }) => status !== 'waiting',
): Promise<ChargeState> {
  return waitFor(async () => {
    const state = await phones.findCharge(id);
    return state !== 'never_seen' && isIt(state) && state;
  });
}

async function payoutUntil(id: string, status: PayoutState['status']): Promise<PayoutState> {
  return waitFor(async () => {
    const state = await payouts.find(id);
    return state !== 'never_seen' && state.status === status && state;
  });
}

const orders = (kind: 'deposit' | 'payout' | 'refund') =>
  pawapay.seen.filter(({ method, path }) => method === 'POST' && path === `/v2/${kind}s`);

const callbackOf = (id: string) =>
  waitFor(async () => receiver.accepted.find(({ raw }) => raw.includes(id)));

describe('methods', () => {
  it('are the operators of the account in currencies of ours, the most used of a country first', async () => {
    pawapay.status.set('MTN_MOMO_CIV', 'CLOSED').set('MOOV_BFA', 'DELAYED');
    const methods = await phones.methods();
    expect(methods.map(({ operator, step, state }) => [operator, step, state])).toEqual([
      ['mtn_bj', 'prompt', 'open'],
      ['moov_bj', 'prompt', 'open'],
      ['orange_bf', 'otp', 'open'],
      ['moov_bf', 'prompt', 'delayed'],
      ['wave_ci', 'redirect', 'open'],
      ['orange_ci', 'prompt', 'open'],
      ['mtn_ci', 'dial', 'closed'],
      ['wave_sn', 'redirect', 'open'],
      ['orange_sn', 'prompt', 'open'],
      ['free_sn', 'prompt', 'open'],
      ['vodacom_mpesa_cod', 'prompt', 'open'],
    ]);
    expect(methods.find(({ operator }) => operator === 'orange_bf')).toMatchObject({
      name: 'Orange',
      country: 'BF',
      currency: 'XOF',
      minimum: 100_00n,
      maximum: 2_000_000_00n,
      otp_code: '*144*4*6#',
    });
  });
});

describe('a charge', () => {
  it('stands whole on the wire, and its payment has its intent', async () => {
    const order = charge();
    await phones.charge(order);
    expect(orders('deposit').at(-1)!.body).toEqual({
      depositId: order.id,
      amount: '5000',
      currency: 'XOF',
      payer: {
        type: 'MMO',
        accountDetails: { phoneNumber: '2250700000100', provider: 'ORANGE_CIV' },
      },
      clientReferenceId: order.reference,
      customerMessage: 'TRX 0123456789ABCDEF',
      metadata: [{ intent_id: order.intent_id }],
    });
    const payment = { provider_payment_id: order.id, amount_minor: '500000', currency: 'XOF' };
    expect(await until(order.id)).toMatchObject({ status: 'paid', payment });
    expect(await gateway.findTakenPayment(order.id)).toMatchObject({
      ...payment,
      intent_id: order.intent_id,
    });
  });

  it.each([
    ['below the minimum', { amount: 99_00n as Minor }, 'amount_out_of_bounds'],
    ['above the maximum', { amount: 2_000_001_00n as Minor }, 'amount_out_of_bounds'],
    ['through an operator that there is not', { operator: 'moov_ci' }, 'rejected'],
    ['in a currency that the operator has not', { currency: 'USD' }, 'rejected'],
  ] as const)('%s is refused before the wire', async (_, fields, code) => {
    const before = orders('deposit').length;
    expect(await phones.charge(charge(fields))).toMatchObject({
      status: 'failed',
      failure: { code },
    });
    expect(orders('deposit')).toHaveLength(before);
  });

  it.each([
    ['+2250500000100', 'mtn_ci', { kind: 'dial', code: '*133#', url: null }],
    ['+22951345013', 'mtn_bj', { kind: 'prompt', code: null, url: null }],
  ])('from %s says what to do', async (number, operator, step) => {
    const begun = await phones.charge(charge({ phone: number, operator }));
    expect(begun).toMatchObject({ status: 'waiting', next_step: step });
    const { next_step } = begun as Extract<ChargeState, { readonly status: 'waiting' }>;
    expect(next_step!.instructions.fr.length).toBeGreaterThan(1);
    expect(next_step!.instructions.fr.join()).toMatch(/Composez \*\d+#/);
    expect(Date.parse(next_step!.expires_at)).toBeGreaterThan(Date.now());
  });

  it('with a one-time code carries it, and has no step any more', async () => {
    const order = charge({ operator: 'orange_bf', phone: '+22607345013', otp: '367025' });
    expect(await phones.charge(order)).toMatchObject({ status: 'waiting', next_step: null });
    expect(orders('deposit').at(-1)!.body).toMatchObject({ preAuthorisationCode: '367025' });
  });

  it('through an operator with a page gets its address a little later', async () => {
    const order = charge({ operator: 'wave_sn', phone: '+221770000100' });
    expect(await phones.charge(order)).toMatchObject({ status: 'waiting', next_step: null });
    const { successfulUrl, failedUrl } = orders('deposit').at(-1)!.body as Record<string, string>;
    expect([successfulUrl, failedUrl]).toEqual([order.return_url, order.return_url]);
    const url = expect.stringMatching(/^https:/) as string;
    const opened = await until(
      order.id,
      (state) => 'next_step' in state && state.next_step !== null,
    );
    expect(opened).toMatchObject({ next_step: { kind: 'redirect', url } });
    pawapay.approve(order.id);
    expect(await until(order.id)).toMatchObject({ status: 'paid' });
  });

  it.each([
    ['+2250700000001', 'payer_not_found', 'PAYER_NOT_FOUND'],
    ['+2250700000003', 'payer_limit_exceeded', 'PAYER_LIMIT_REACHED'],
    ['+2250700000006', 'not_approved', 'PAYMENT_NOT_APPROVED'],
    // Numbers of pawaPay's own sandbox.
    ['+2250503456029', 'payer_not_found', 'PAYER_NOT_FOUND'],
    ['+2250503456039', 'not_approved', 'PAYMENT_NOT_APPROVED'],
    ['+221763456049', 'insufficient_funds', 'INSUFFICIENT_BALANCE'],
    ['+221763456069', 'unspecified', 'UNSPECIFIED_FAILURE'],
  ])('from %s fails: %s', async (number, code, provider_code) => {
    const order = charge({ phone: number });
    await phones.charge(order);
    expect(await until(order.id)).toMatchObject({
      status: 'failed',
      failure: { code, provider_code },
    });
  });

  it('fails at once while the operator is closed, and may be made again', async () => {
    const order = charge();
    pawapay.status.set('ORANGE_CIV', 'CLOSED');
    const failure = { code: 'provider_unavailable' };
    expect(await phones.charge(order)).toMatchObject({ status: 'failed', failure });
    expect(await phones.findCharge(order.id)).toBe('never_seen');
    pawapay.status.clear();
    expect(await phones.charge(order)).toMatchObject({ status: 'waiting' });
  });
});

const AUTHENTICATION = '{"failureReason":{"failureCode":"AUTHENTICATION_ERROR"}}';
const UNKNOWN_ERROR = '{"failureReason":{"failureCode":"UNKNOWN_ERROR","failureMessage":"?"}}';

it.each([
  [200, `{"status":"REJECTED",${UNKNOWN_ERROR.slice(1)}`, 'unknown', 'unreachable'],
  [200, '{"status":"ACCEPTED","depositId":"x","payoutId":"x"}', 'unknown', 'unreachable'],
  [200, '{"status":"BLESSED"}', 'unknown', 'unreachable'],
  [403, '<h1>Forbidden</h1>', 'unknown', 'unreachable'],
  [403, '{}', 'unknown', 'unreachable'],
  [403, AUTHENTICATION, 'not_done', 'refused'],
] as const)('%s %s to an order is %s', async (status, text, outcome, fault) => {
  // The questions before the order are answered from memory.
  const [quick, quick_payouts] = [createPawapayGateway(account), createPawapayPayouts(account)];
  await quick.phones!.charge(charge());
  await quick_payouts.rails();
  pawapay.fault = { answer: { status, text } };
  expect(await errorOf(quick.phones!.charge(charge()))).toMatchObject({ outcome, fault });
  expect(await errorOf(quick.phones!.findCharge(randomUUID()))).toMatchObject({ fault });
  // The first question of a payout is a prediction, which does nothing.
  expect(await errorOf(quick_payouts.send(payoutOrder()))).toMatchObject({ outcome: 'not_done' });
  expect(await errorOf(quick_payouts.find(randomUUID()))).toMatchObject({ outcome });
});

describe('a refund', () => {
  const request = (provider_payment_id: string, amount: bigint, idempotency_key: string) => ({
    provider_payment_id,
    amount: amount as Minor,
    currency: 'XOF' as const,
    idempotency_key,
    reference: 'RFD-0123456789ABCDEF0123',
  });

  const paidOrder = async () => {
    const order = charge();
    await phones.charge(order);
    await until(order.id);
    return order;
  };

  it('stands whole on the wire, and is told by callback', async () => {
    const order = await paidOrder();
    const part = request(order.id, 200_000n, 'refund/one');
    const { refund_id } = await gateway.refund(part);
    expect(orders('refund').at(-1)!.body).toMatchObject({ amount: '2000', depositId: order.id });
    const { raw, headers } = await callbackOf(refund_id);
    const refund = {
      event_id: `${refund_id}/COMPLETED`,
      environment: 'sandbox',
      provider_payment_id: order.id,
      refund_id,
      reference: 'RFD-0123456789ABCDEF0123',
    };
    expect(gateway.readNotification(raw, headers)).toEqual({ ok: true, refund });
    const other = await errorOf(gateway.refund({ ...part, amount: 100_000n as Minor }));
    expect(other).toMatchObject({ outcome: 'unknown' });
    const too_much = await errorOf(gateway.refund(request(order.id, 400_000n, 'refund/two')));
    expect(too_much.message).toMatch(/^AMOUNT_TOO_LARGE/);
  });

  it('that was asked for before is looked for, and ordered only when pawaPay has not seen it', async () => {
    const order = await paidOrder();
    const again = { ...request(order.id, 500_000n, 'refund/again'), may_exist: true };
    const begun = orders('refund').length;
    const { refund_id } = await gateway.refund(again);
    expect(orders('refund')).toHaveLength(begun + 1);
    // All is given back: another order would be refused.
    expect(await gateway.refund(again)).toMatchObject({ refund_id });
    expect(orders('refund')).toHaveLength(begun + 1);
    const other = await errorOf(gateway.refund({ ...again, amount: 100_000n as Minor }));
    expect(other).toMatchObject({ outcome: 'unknown' });
    pawapay.fault = { answer: { status: 500, text: '' } };
    expect(await errorOf(gateway.refund(again))).toMatchObject({ outcome: 'unknown' });
    expect(orders('refund')).toHaveLength(begun + 1);
  });

  it('waits while another one of the same payment is under way', async () => {
    const order = await paidOrder();
    pawapay.status.set('ORANGE_CIV', 'DELAYED');
    const first = await gateway.refund(request(order.id, 100_000n, 'refund/three'));
    const state = { status: 'pending', refund_id: first.refund_id, detail: 'enqueued' };
    await waitFor(async () => (await gateway.findRefund(first.refund_id)).status === 'pending');
    expect(await gateway.findRefund(first.refund_id)).toEqual(state);
    const second = await errorOf(gateway.refund(request(order.id, 100_000n, 'refund/four')));
    expect(second).toMatchObject({ fault: 'unreachable', outcome: 'not_done' });
    pawapay.approve(first.refund_id);
    expect(await gateway.findRefund(first.refund_id)).toMatchObject({ status: 'succeeded' });
  });

  it('that pawaPay does not know is a fault, and there are no disputes', async () => {
    const unknown = await errorOf(gateway.findRefund(randomUUID()));
    expect(unknown).toMatchObject({ fault: 'refused', is_about_access: true });
    expect(await errorOf(gateway.findDispute('dp_1'))).toMatchObject({ fault: 'refused' });
  });
});

describe('a payout', () => {
  const to = (number: string, operator: string | null = null) =>
    payoutOrder({ destination: phone(number, operator) });

  it('stands whole on the wire, and its callback is no payment', async () => {
    const order = to('+2250700000100');
    await payouts.send(order);
    expect(orders('payout').at(-1)!.body).toMatchObject({
      payoutId: order.id,
      amount: '5000',
      recipient: { accountDetails: { phoneNumber: '2250700000100', provider: 'ORANGE_CIV' } },
    });
    const { raw, headers } = await callbackOf(order.id);
    const reading = gateway.readNotification(raw, headers);
    expect(reading).toMatchObject({ ok: false, fault: 'irrelevant' });
  });

  it.each([
    ['+2250700000001', 'recipient_not_found', 'RECIPIENT_NOT_FOUND'],
    ['+2250700000003', 'recipient_limit_exceeded', 'RECIPIENT_LIMIT_REACHED'],
    ['+2250503456089', 'recipient_not_found', 'RECIPIENT_NOT_FOUND'],
    ['+221763456119', 'unspecified', 'UNSPECIFIED_FAILURE'],
  ])('to %s fails: %s', async (number, code, provider_code) => {
    const order = to(number);
    await payouts.send(order);
    expect(await payoutUntil(order.id, 'failed')).toMatchObject({
      failure: { code, provider_code },
    });
  });

  it('to an operator that works later waits, and can be taken back', async () => {
    pawapay.status.set('ORANGE_CIV', 'DELAYED');
    const [canceled, paid] = [to('+2250700000100'), to('+2250700000100')];
    for (const order of [canceled, paid]) {
      await payouts.send(order);
      await payoutUntil(order.id, 'queued');
    }
    expect(await payouts.cancelQueued!(canceled.id)).toMatchObject({ status: 'canceled' });
    pawapay.approve(paid.id);
    expect(await payouts.cancelQueued!(paid.id)).toMatchObject({ status: 'succeeded' });
    expect(await errorOf(payouts.cancelQueued!(randomUUID()))).toMatchObject({
      outcome: 'unknown',
    });
  });

  it('to an operator that takes none now has done nothing', async () => {
    pawapay.status.set('ORANGE_CIV', 'CLOSED');
    const order = to('+2250700000100');
    expect(await errorOf(payouts.send(order))).toMatchObject({ outcome: 'not_done' });
    expect(await payouts.find(order.id)).toBe('never_seen');
  });

  const destination = { type: 'bank', account: 'CI93', name: 'Awa', bank_code: null } as const;
  it.each([
    ['below the minimum', { amount: 99_00n as Minor }],
    ['to a bank', { destination }],
  ])('%s is refused before the wire', async (_, fields) => {
    const before = orders('payout').length;
    const refused = await errorOf(payouts.send(payoutOrder(fields)));
    expect([refused.outcome, orders('payout').length]).toEqual(['not_done', before]);
  });

  it.each([
    ['the operator of its number', '+2250700000100', null, 'orange_ci'],
    ['the operator that was named', '+2250700000100', 'wave_ci', 'wave_ci'],
    ['no operator of another country', '+2250700000100', 'wave_sn', undefined],
    ['none of a number that no operator has', '+33612345678', null, undefined],
    ['none in a currency that it does not pay', '+250781234567', null, undefined],
  ])('is checked: %s', async (_, number, operator, found) => {
    const destination = phone(number, operator);
    const checked = await payouts.check({ destination, currency: 'XOF', name: 'Awa Diop' });
    expect(checked?.rail.operator).toBe(found);
    expect(checked?.name_found ?? null).toBeNull();
  });

  it('is paid from a wallet of its country, each of which is told', async () => {
    expect(await payouts.float()).toEqual([
      { currency: 'XOF', amount: 2_179_803n },
      { currency: 'XOF', amount: 50_000_000n },
    ]);
  });
});

describe('a callback', () => {
  const now = (): number => Math.floor(Date.now() / 1_000);
  let id: string;
  beforeAll(async () => {
    const order = charge({ phone: '+2250700000011' });
    ({ id } = order);
    await phones.charge(order);
    await until(id);
  });

  async function called(changed: Changed) {
    const before = receiver.accepted.length;
    await pawapay.callBack(id, changed);
    return receiver.accepted.slice(before).find(({ raw }) => raw.includes(changed.body ?? id))!;
  }

  it.each<[string, () => Changed, string]>([
    ['as pawaPay signs it', () => ({}), 'ok'],
    ['signed as RFC 9421 writes numbers', () => ({ encoding: 'ieee-p1363' }), 'ok'],
    ['that is repeated for 15 minutes', () => ({ created: now() - 900 }), 'ok'],
    ['of yesterday', () => ({ created: now() - 86_400 }), 'signature'],
    ['of tomorrow', () => ({ created: now() + 86_400 }), 'signature'],
    [
      'whose digest is another',
      () => ({
        headers: {
          'content-digest': `sha-512=:${createHash('sha512').update('x').digest('base64')}:`,
        },
      }),
      'signature',
    ],
    ['whose date was changed', () => ({ headers: { 'signature-date': 'now' } }), 'signature'],
    [
      'that covers no body',
      () => ({
        headers: { 'signature-input': `sig-pp=("@method" "@authority" "@path");created=${now()}` },
      }),
      'not_ours',
    ],
    [
      'with another algorithm',
      () => ({
        headers: {
          'signature-input': `sig-pp=("@method" "@authority" "@path" "content-digest");created=${now()};alg="hmac-sha256"`,
        },
      }),
      'not_ours',
    ],
    ['about nothing of ours', () => ({ body: '{"checkoutId":"x"}' }), 'irrelevant'],
  ])('%s', async (_, changed, expected) => {
    const { raw, headers } = await called(changed());
    const reading = gateway.readNotification(raw, headers);
    expect(reading.ok ? 'ok' : reading.fault).toBe(expected);
    if (reading.ok) expect(reading).toEqual({ ok: true, attempt_id: id });
  });

  it('for another address is none of ours', async () => {
    const { raw, headers } = await called({});
    for (const callback_url of [`${account.callback_url}/other`, 'https://pay.example/callbacks']) {
      const reading = createPawapayGateway({ ...account, callback_url }).readNotification(
        raw,
        headers,
      );
      expect(reading).toMatchObject({ ok: false, fault: 'signature' });
    }
  });

  it('can be signed by no key of another curve', () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    expect(() => createPawapayGateway({ ...account, callback_keys: [key] })).toThrow('P-256');
  });
});

describe('what was said', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(document, 'pawapay');
  const faultsOf = (pointer: string, value: unknown): unknown[] => {
    const validate = ajv.getSchema(`pawapay#${pointer}`);
    if (!validate) throw new Error(`The document has no ${pointer}`);
    return validate(value) ? [] : (validate.errors ?? []);
  };
  const escaped = (path: string): string => path.replaceAll('~', '~0').replaceAll('/', '~1');

  function pointerOf(method: string, path: string): string {
    const plain = path.split('?')[0]!;
    const known = Object.keys(document.paths);
    const template =
      known.find((one) => one === plain) ??
      known.find((one) => one === plain.replace(/\/[^/]+$/, '/{id}')) ??
      plain;
    return `/paths/${encodeURIComponent(escaped(template))}/${method.toLowerCase()}`;
  }

  it('fits the document: each request, each response and each callback', () => {
    expect(pawapay.seen.length).toBeGreaterThan(80);
    for (const { method, path, body, status, response } of pawapay.seen) {
      const at = pointerOf(method, path);
      const content = encodeURIComponent(escaped('application/json'));
      const has_body = method === 'POST' && !path.includes('fail-enqueued');
      const request_faults = has_body
        ? faultsOf(`${at}/requestBody/content/${content}/schema`, body)
        : [];
      const faults = faultsOf(`${at}/responses/${status}/content/${content}/schema`, response);
      expect({ method, path, body, response, request_faults, faults }).toMatchObject({
        request_faults: [],
        faults: [],
      });
    }
    const kinds = { depositId: 'Deposit', payoutId: 'Payout', refundId: 'Refund' };
    for (const { raw } of receiver.accepted.filter(({ raw: one }) => one.includes('"country"'))) {
      const said = JSON.parse(String(raw)) as Record<string, unknown>;
      const kind = Object.entries(kinds).find(([name]) => name in said)![1];
      expect(faultsOf(`/components/schemas/${kind}`, said)).toEqual([]);
    }
  });
});

// A signature by hand, so that the simulator and the adapter do not agree on a text that no other party would sign.
it('verifies a signature base written out by hand', () => {
  const { host, pathname } = new URL(account.callback_url);
  const raw = Buffer.from(JSON.stringify({ depositId: randomUUID() }));
  const digest = `sha-256=:${createHash('sha256').update(raw).digest('base64')}:`;
  const params = `("content-digest" "@path" "@authority" "@method");created=${Math.floor(Date.now() / 1_000)};keyid="k"`;
  const base = [
    `"content-digest": ${digest}`,
    `"@path": ${pathname}`,
    `"@authority": ${host}`,
    '"@method": POST',
    `"@signature-params": ${params}`,
  ].join('\n');
  const signature = sign('sha256', Buffer.from(base), KEYS.privateKey).toString('base64');
  const headers = {
    'content-digest': digest,
    'signature-input': `x=${params}`,
    signature: `x=:${signature}:`,
  };
  expect(gateway.readNotification(raw, headers)).toMatchObject({ ok: true });
});
