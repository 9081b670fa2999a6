// G1 of the notification endpoint: which requests it refuses, what it
// logs, and that nothing changes. Specification, section 6: unsigned or wrongly signed is 401 and logged.

import type { AccessEntry } from '../../db/access-log';
import { signGatewayBody } from '../../secrets/gateway-signature';
import { expectBooksHold } from '../support/books';
import type { HttpResponse } from '../support/http';
import { deliver, notificationOf, SIGNATURE } from '../support/notifications';
import { GATEWAY_SECRETS } from '../support/sandbox-gateway';
import { startTestApi, type TestApi } from '../support/api';
import { findAccessLine, findAccessRow } from './support/access-lines';
import { expectErrorBody } from './support/contract';
import { intentBody, postIntent, waitForStatus } from './support/intents';
import { readState } from './support/notifications';
import { requestHead, sendRaw, type RawResponse } from './support/raw';

let api: TestApi;
let intent: HttpResponse['json'];
let live_intent: HttpResponse['json'];

const PATH = '/internal/gateway/notifications';

beforeAll(async () => {
  api = await startTestApi();
  intent = (await postIntent(api, intentBody())).json;
  live_intent = (await postIntent(api, intentBody(), { key: api.live_key })).json;
});

// The rows of the access log come half a second later: the tests wait for them once, not each time.
const expected_rows = new Map<unknown, Partial<AccessEntry>>();

async function expectRows(): Promise<void> {
  for (const [request_id, expected] of expected_rows) {
    // Refusals beyond the first of a minute share a row.
    if (findAccessLine(api.service, request_id)?.row_id !== undefined) continue;
    expect(await findAccessRow(api.database, request_id)).toMatchObject(expected);
  }
  expected_rows.clear();
}

afterEach(async () => {
  await expectBooksHold(api.database.db);
});

const [SECRET] = GATEWAY_SECRETS.sandbox;

const bodyOf = (fields: object = {}): string =>
  JSON.stringify(notificationOf(intent, { ...fields }));

/** 401, a row and a line of the access log, a line for operators, and nothing else. */
async function expectRefusedSignature(
  sending: () => Promise<Pick<HttpResponse, 'status' | 'headers' | 'text' | 'json'> | RawResponse>,
): Promise<void> {
  const before = await readState(api.database);
  const response = await sending();
  expect(response.status).toBe(401);
  expectErrorBody(response, ['unauthorized']);
  expect(response.json.error.message).toBe('The signature is missing or wrong.');
  const request_id = response.headers['x-request-id'];
  const expected = { method: 'POST', route: PATH, status: 401, key_id: null, ip: '127.0.0.1' };
  expected_rows.set(request_id, expected);
  expect(findAccessLine(api.service, request_id)).toMatchObject({ log: 'access', ...expected });
  const logged = api.service.log.filter((entry) => entry['request_id'] === request_id);
  expect(logged).toEqual([
    expect.objectContaining({ part: 'gateway', fault: 'signature', ip: '127.0.0.1' }),
  ]);
  // No log has what was sent: neither the body nor the signature.
  expect(JSON.stringify(logged)).not.toMatch(/evt_|pay_|[0-9a-f]{64}/);
  expect(await readState(api.database)).toBe(before);
}

const send = (body: string | Uint8Array, signature?: string | string[]) =>
  deliver(api.notification_url, body, signature === undefined ? {} : { [SIGNATURE]: signature });

const sign = (body: string | Buffer, secret: string = SECRET): string =>
  signGatewayBody(body, secret);

describe('G1 a signature', () => {
  afterAll(expectRows);

  it.each<[string, (right: string) => string | undefined]>([
    ['that is missing', () => undefined],
    ['that is empty', () => ''],
    ['that is short', (right) => right.slice(0, -1)],
    ['of odd length', (right) => right.slice(1)],
    ['of half the length', (right) => right.slice(0, 32)],
    ['that is long', (right) => `${right}0`],
    ['twice in one', (right) => right + right],
    ['in upper case', (right) => right.toUpperCase()],
    ['with a prefix', (right) => `sha256=${right}`],
    ['with a space inside', (right) => `${right.slice(0, 32)} ${right.slice(32)}`],
    ['in base64', (right) => Buffer.from(right, 'hex').toString('base64')],
    ['with junk at its end', (right) => `${right.slice(0, -1)}g`],
    ['with junk from the middle on', (right) => right.slice(0, 40).padEnd(64, 'z')],
    ['of zeros', () => '0'.repeat(64)],
    ['with one digit changed', (right) => (right[0] === '0' ? '1' : '0') + right.slice(1)],
    ['with the last digit changed', (r) => r.slice(0, -1) + (r.endsWith('0') ? '1' : '0')],
    ['and another one after a comma', (right) => `${right}, ${right}`],
    ['that is no hex at all', () => 'true'],
  ])('%s is refused', async (_kind, change) => {
    const body = bodyOf();
    // The change is the reason, not the body.
    expect(change(sign(body))).not.toBe(sign(body));
    await expectRefusedSignature(() => send(body, change(sign(body))));
  });

  it.each([
    ['the right one twice', (right: string) => [right, right]],
    ['the right one first', (right: string) => [right, '0'.repeat(64)]],
    ['the right one last', (right: string) => ['0'.repeat(64), right]],
  ])('in two headers is refused: %s', async (_kind, values) => {
    const body = bodyOf();
    await expectRefusedSignature(() => send(body, values(sign(body))));
    await expectRefusedSignature(() =>
      sendRaw(
        api.service,
        requestHead(api.service, `POST ${PATH}`, [
          `Content-Length: ${body.length}`,
          ...values(sign(body)).map((value) => `X-Gateway-Signature: ${value}`),
        ]),
        body,
      ),
    );
  });

  it('in another place is refused: query, other headers', async () => {
    const body = bodyOf();
    const right = sign(body);
    await expectRefusedSignature(() =>
      deliver(`${api.notification_url}?${SIGNATURE}=${right}`, body, {
        'x-signature': right,
        'x-service-signature': right,
        authorization: `Bearer ${api.test_key}`,
        'stripe-signature': `t=1,v1=${right}`,
      }),
    );
  });

  it.each([
    ['another secret', 'not-the-secret-of-anybody'],
    ['the secret in capitals', SECRET.toUpperCase()],
    ['the secret and a space', `${SECRET} `],
  ])('by %s is refused', async (_kind, secret) => {
    const body = bodyOf();
    await expectRefusedSignature(() => send(body, sign(body, secret)));
  });

  it("by the other environment's secret is refused, in both directions", async () => {
    const live = JSON.stringify(notificationOf(live_intent));
    await expectRefusedSignature(() => send(live, sign(live)));
    const sandbox = bodyOf();
    await expectRefusedSignature(() => send(sandbox, sign(sandbox, GATEWAY_SECRETS.live[0])));
  });

  it('by the right secret over a body that names another environment is refused', async () => {
    for (const environment of ['live', 'test', 'Sandbox', '']) {
      const body = bodyOf({ environment });
      const before = await readState(api.database);
      const response = await send(body, sign(body));
      // A value that is no text is malformed; another environment means a signature for elsewhere.
      expect(response.status).toBe(environment === '' ? 422 : 401);
      expect(await readState(api.database)).toBe(before);
    }
    const body = bodyOf({ environment: 'live' });
    await expectRefusedSignature(() => send(body, sign(body)));
  });

  it('is valid for these bytes only: one changed byte anywhere is refused', async () => {
    const body = Buffer.from(bodyOf());
    const right = sign(body);
    const places = [0, 1, 20, Math.floor(body.length / 2), body.length - 2, body.length - 1];
    for (const place of places) {
      const changed = Buffer.from(body);
      changed[place]! ^= 1;
      await expectRefusedSignature(() => send(changed, right));
    }
  });

  it('is valid for these bytes only: the same values serialised again are refused', async () => {
    const body = bodyOf();
    const right = sign(body);
    const value = JSON.parse(body) as Record<string, unknown>;
    for (const again of [
      JSON.stringify(value, null, 2),
      ` ${body}`,
      `${body}\n`,
      `\ufeff${body}`,
      body.replace('5000', '5000.00'),
      JSON.stringify(Object.fromEntries(Object.entries(value).reverse())),
      body.replace('"evt_', '"\\u0065vt_'),
    ]) {
      expect(again).not.toBe(body);
      await expectRefusedSignature(() => send(again, right));
    }
  });

  it('is checked before the body: unsigned junk is 401 as well', async () => {
    for (const body of ['{', '', 'x=1', Buffer.from([0xff, 0xfe]), '[]', 'null']) {
      await expectRefusedSignature(() => send(body));
      await expectRefusedSignature(() => send(body, '0'.repeat(64)));
    }
  });

  it('that is right is accepted: the same body passes after all of these', async () => {
    const { json } = await postIntent(api, intentBody());
    const body = JSON.stringify(notificationOf(json));
    await expectRefusedSignature(() => send(body));
    const response = await send(body, sign(body));
    expect([response.status, response.text]).toEqual([200, '{"ok":true}']);
    await waitForStatus(api, json, 'succeeded');
    expected_rows.set(response.headers['x-request-id'], { route: PATH, status: 200, key_id: null });
  });

  it('is checked over the received bytes, with any content type', async () => {
    for (const type of ['application/json', 'text/plain', 'application/octet-stream', '']) {
      const { json } = await postIntent(api, intentBody());
      const body = JSON.stringify(notificationOf(json, { note: 'é\u2028😀' }));
      const headers = { [SIGNATURE]: sign(body), ...(type ? { 'content-type': type } : {}) };
      expect((await deliver(api.notification_url, Buffer.from(body), headers)).status).toBe(200);
      await waitForStatus(api, json, 'succeeded');
    }
  });
});

describe('a signed body that is malformed', () => {
  afterAll(expectRows);

  const MALFORMED: readonly [string, () => string][] = [
    ['no JSON', () => '{'],
    ['nothing', () => ''],
    ['a list', () => '[]'],
    ['null', () => 'null'],
    ['text', () => '"payment.succeeded"'],
    ['a byte order mark', () => `\ufeff${bodyOf()}`],
    ['a key twice', () => bodyOf().replace('{', '{"amount":1,')],
    ['nested too deep', () => bodyOf().replace('{', `{"x":${'['.repeat(40)}${']'.repeat(40)},`)],
    ...['event_id', 'type', 'amount', 'currency', 'environment', 'provider_payment_id'].map(
      (name) => [`without ${name}`, () => bodyOf({ [name]: undefined })] as [string, () => string],
    ),
    ['without occurred_at', () => bodyOf({ occurred_at: undefined })],
    ['naming no intent', () => bodyOf({ intent_id: undefined, reference: undefined })],
    ['naming it with null twice', () => bodyOf({ intent_id: null, reference: null })],
    ['an empty event_id', () => bodyOf({ event_id: '' })],
    ['an event_id of 201 characters', () => bodyOf({ event_id: 'e'.repeat(201) })],
    ['an event_id with a NUL', () => bodyOf({ event_id: 'a\0b' })],
    ['an event_id with a lone surrogate', () => bodyOf({ event_id: 'a\ud800' })],
    ['an event_id that is a number', () => bodyOf({ event_id: 5 })],
    ['a provider_payment_id with a NUL', () => bodyOf({ provider_payment_id: '\0' })],
    ['an intent_id with a NUL', () => bodyOf({ intent_id: '\0' })],
    ['a reference with a lone surrogate', () => bodyOf({ reference: '\udfff' })],
    ['an amount of zero', () => bodyOf({ amount: 0 })],
    ['a negative amount', () => bodyOf({ amount: -5000 })],
    ['an amount as text', () => bodyOf({ amount: '5000' })],
    ['an amount with an exponent', () => bodyOf().replace(':5000,', ':5e3,')],
    ['an amount with three decimals', () => bodyOf({ currency: 'EUR', amount: 1.005 })],
    ['half a franc', () => bodyOf({ amount: 5000.5 })],
    ['an amount beyond 15 digits', () => bodyOf().replace(':5000,', ':99999999999999999,')],
    ['a currency in small letters', () => bodyOf({ currency: 'xof' })],
    ['a currency that is not ours', () => bodyOf({ currency: 'GBP' })],
    ['a moment that is none', () => bodyOf({ occurred_at: 'yesterday' })],
    ['a bare date', () => bodyOf({ occurred_at: '2026-11-21' })],
    ['final as text', () => bodyOf({ type: 'payment.failed', final: 'no' })],
    ['a failure that is text', () => bodyOf({ type: 'payment.failed', failure: 'declined' })],
    [
      'a failure without a code',
      () => bodyOf({ type: 'payment.failed', failure: { message: 'x' } }),
    ],
  ];

  it.each(MALFORMED)('%s is 422, and changes nothing', async (_kind, make) => {
    const before = await readState(api.database);
    const body = make();
    const response = await send(body, sign(body));
    expectErrorBody(response, ['invalid_request']);
    expect(response.status).toBe(422);
    expect(api.service.log).toContainEqual(
      expect.objectContaining({
        part: 'gateway',
        fault: 'malformed',
        request_id: response.headers['x-request-id'],
      }),
    );
    expected_rows.set(response.headers['x-request-id'], { route: PATH, status: 422 });
    expect(await readState(api.database)).toBe(before);
  });

  it('with bytes that are no UTF-8 is 422', async () => {
    const body = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]);
    expectErrorBody(await send(body, sign(body)), ['invalid_request']);
  });

  it.each(['payment.refunded', 'payout.paid', 'Payment.Succeeded', 'charge'])(
    'of the type %s is 200, logged, and changes nothing',
    async (type) => {
      const before = await readState(api.database);
      const body = bodyOf({ type });
      const response = await send(body, sign(body));
      expect([response.status, response.text]).toEqual([200, '{"ok":true}']);
      expect(api.service.log).toContainEqual(
        expect.objectContaining({
          fault: 'irrelevant',
          request_id: response.headers['x-request-id'],
        }),
      );
      expect(await readState(api.database)).toBe(before);
    },
  );
});
