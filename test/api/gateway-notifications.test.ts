// G1 of the notification endpoint: which requests it refuses, what it
// logs, and that nothing changes. Specification, section 6: unsigned or wrongly signed is 401 and logged.

import type { AccessEntry } from '../../db/requests/access-log';
import { signGatewayBody } from '../../secrets/gateway-signature';
import { setUp } from '../support/database';
import { expectBooksHold } from '../support/books';
import { type HttpResponse, request } from '../support/http';
import { deliver, notificationOf, SIGNATURE } from '../support/notifications';
import { GATEWAY_SECRETS } from '../support/sandbox-gateway';
import { startTestApi } from '../support/api';
import { findAccessLine, findAccessRow } from './support/access-lines';
import { expectErrorBody } from './support/contract';
import { intentBody, postIntent, waitForStatus } from './support/intents';
import { readState, waitForOutcome } from './support/notifications';
import { requestHead, sendRaw, type RawResponse } from './support/raw';
import { randomUUID } from 'node:crypto';
import { loadConfig } from '../../config/load';
import { ENVIRONMENTS } from '../../domain/environment';

const api = setUp(startTestApi);
let intent: HttpResponse['json'];
let live_intent: HttpResponse['json'];

const PATH = '/internal/gateway/notifications';

beforeAll(async () => {
  intent = (await postIntent(api, intentBody())).json;
  live_intent = (await postIntent(api, intentBody(), { key: api.live_key })).json;
});

// The rows of the access log come half a second later: the tests wait for them once, not each time.
const expected_rows = new Map<unknown, Partial<AccessEntry>>();
/** The first of them: only some refusals of one address have a row in a minute. */
const REFUSALS_WITH_ROWS = 5;
let refusals = 0;

async function expectRows(): Promise<void> {
  for (const [request_id, expected] of expected_rows) {
    expect(await findAccessRow(api.database, request_id)).toMatchObject(expected);
  }
  expected_rows.clear();
}

afterEach(() => expectBooksHold(api.database.db));

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
  refusals += 1;
  if (refusals <= REFUSALS_WITH_ROWS) expected_rows.set(request_id, expected);
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

  // Every other form of a signature: test/gateway/sandbox-adapter.test.ts.
  it.each<[string, (right: string) => string | undefined]>([
    ['that is missing', () => undefined],
    ['with one digit changed', (right) => (right[0] === '0' ? '1' : '0') + right.slice(1)],
  ])('%s is refused', async (_kind, change) => {
    const body = bodyOf();
    // The change is the reason, not the body.
    expect(change(sign(body))).not.toBe(sign(body));
    await expectRefusedSignature(() => send(body, change(sign(body))));
  });

  it.each([
    ['the right one twice', (right: string) => [right, right]],
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

  it("by the other environment's secret is refused, in both directions", async () => {
    const live = JSON.stringify(notificationOf(live_intent));
    await expectRefusedSignature(() => send(live, sign(live)));
    const sandbox = bodyOf();
    await expectRefusedSignature(() => send(sandbox, sign(sandbox, GATEWAY_SECRETS.live[0])));
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
});

describe('a signed body that is malformed', () => {
  afterAll(expectRows);

  // All that the adapter finds malformed: test/gateway/sandbox-adapter.test.ts.
  const MALFORMED: readonly [string, () => string][] = [
    ['no JSON', () => '{'],
    ['nested too deep', () => bodyOf().replace('{', `{"x":${'['.repeat(40)}${']'.repeat(40)},`)],
    ['without an event_id', () => bodyOf({ event_id: undefined })],
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

  it.each(['payment.refunded', 'charge'])(
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

describe('the endpoint of notifications', () => {
  beforeAll(async () => {
    intent = (await postIntent(api, intentBody())).json;
  });

  describe('G5 two secrets during a rotation', () => {
    it('are both accepted, until one is removed', async () => {
      const { gateway } = api.service.config;
      const OLD = SECRET;
      const NEW = 'the-next-secret-of-the-tests';
      const start = async (sandbox: readonly string[]) => {
        const { secrets, ...simulator } = gateway.simulator!;
        const changed = { ...simulator, secrets: { ...secrets, sandbox } };
        return (await api.beside({ gateway: { ...gateway, simulator: changed } })).origin + PATH;
      };
      const [during, after] = [await start([NEW, OLD]), await start([NEW])];
      const notify = async (url: string, secret: string): Promise<number> => {
        const { json } = await postIntent(api, intentBody());
        const body = JSON.stringify(notificationOf(json));
        const { status } = await deliver(url, body, { [SIGNATURE]: sign(body, secret) });
        if (status === 200) await waitForStatus(api, json, 'succeeded');
        return status;
      };
      expect(await notify(api.notification_url, OLD)).toBe(200);
      expect(await notify(api.notification_url, NEW)).toBe(401);
      expect([await notify(during, OLD), await notify(during, NEW)]).toEqual([200, 200]);
      expect([await notify(after, OLD), await notify(after, NEW)]).toEqual([401, 200]);
      expect(await notify(during, GATEWAY_SECRETS.live[0])).toBe(401);
    });
  });

  describe('G6 a large body', () => {
    const padded = (bytes: number): string => {
      const bare = bodyOf({ padding: '' });
      return bodyOf({ padding: 'x'.repeat(bytes - Buffer.byteLength(bare)) });
    };

    it.each([
      ['one byte more', 64 * 1024 + 1],
      ['a megabyte', 1024 * 1024],
    ])('of %s is 413, signed or not', async (_kind, bytes) => {
      const before = await readState(api.database);
      const body = padded(bytes);
      expect(Buffer.byteLength(body)).toBe(bytes);
      for (const headers of [
        ['X-Other: x'],
        [`X-Gateway-Signature: ${sign(body)}`],
        [`X-Gateway-Signature: ${'0'.repeat(64)}`],
      ]) {
        const response = await sendRaw(
          api.service,
          requestHead(api.service, `POST ${PATH}`, [`Content-Length: ${bytes}`, ...headers]),
        );
        expectErrorBody(response, ['payload_too_large']);
        expect(response.headers['connection']).toBe('close');
        expect(findAccessLine(api.service, response.headers['x-request-id'])).toMatchObject({
          route: PATH,
          status: 413,
        });
      }
      expect(await readState(api.database)).toBe(before);
    });

    it.each([
      ['a header of another form', ['X-Gateway-Signature: sha256=00']],
      ['no header', []],
      ['the header of a gateway that is not configured', ['Stripe-Signature: t=1,v1=00']],
    ])('is not read at all with %s: 401 comes before its first byte', async (_kind, headers) => {
      for (const length of ['Content-Length: 65536', 'Transfer-Encoding: chunked']) {
        // Only the head is sent: a service that waits for the body times out.
        const response = await sendRaw(
          api.service,
          requestHead(api.service, `POST ${PATH}`, [length, ...headers]),
        );
        expectErrorBody(response, ['unauthorized']);
      }
    });
  });

  describe('G7 the path', () => {
    it.each(['GET', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
      'answers %s as an unknown path',
      async (method) => {
        const headers = { 'x-request-id': 'same' };
        const [here, nowhere] = await Promise.all(
          [api.notification_url, `${api.service.origin}/internal/gateway/nothing`].map((url) =>
            request(api.service, method, url, { headers }),
          ),
        );
        expectErrorBody(here!, ['not_found']);
        expect(here!.text).toBe(nowhere!.text);
        const [{ allow = '', ...found }, { allow: _, ...missing }] = [here!, nowhere!].map(
          ({ headers: given }) => given,
        ) as [HttpResponse['headers'], HttpResponse['headers']];
        expect(allow).toBe('');
        expect(Object.keys(found)).toEqual(Object.keys(missing));
      },
    );

    it('takes notifications by PUT as well', async () => {
      const { json } = await postIntent(api, intentBody());
      const body = JSON.stringify(notificationOf(json));
      const sent = { headers: { [SIGNATURE]: sign(body) }, body };
      const response = await request(api.service, 'PUT', api.notification_url, sent);
      expect(response.status).toBe(200);
      await waitForStatus(api, json, 'succeeded');
    });

    it('is in no public document', async () => {
      for (const path of ['/openapi.json', '/docs/errors']) {
        const { text } = await request(api.service, 'GET', api.service.origin + path);
        expect(text).not.toContain('internal/gateway');
      }
      for (const path of ['/internal', '/internal/gateway', `/api/public/v1${PATH}`]) {
        const { status } = await request(api.service, 'POST', api.service.origin + path);
        expect(status).toBe(404);
      }
    });

    it('is the configured one and no other', async () => {
      const OTHER = '/hooks/f00d-cafe/payments';
      const { notification_path } = loadConfig({ GATEWAY_NOTIFICATION_PATH: OTHER }).gateway;
      const gateway = { ...api.service.config.gateway, notification_path };
      const { origin } = await api.beside({ gateway });
      const { json } = await postIntent(api, intentBody());
      const body = JSON.stringify(notificationOf(json));
      const headers = { [SIGNATURE]: sign(body) };
      expect((await deliver(origin + PATH, body, headers)).status).toBe(404);
      expect((await deliver(origin + OTHER, body, headers)).status).toBe(200);
      await waitForStatus(api, json, 'succeeded');
    });
  });

  describe('an environment without a gateway', () => {
    it('accepts no notification, with either signature', async () => {
      const gateway = { ...api.service.config.gateway, simulator: undefined };
      const { origin } = await api.beside({ gateway });
      for (const environment of ENVIRONMENTS) {
        const event_id = `evt_${randomUUID()}`;
        const body = bodyOf({ environment, event_id });
        const headers = { [SIGNATURE]: sign(body, GATEWAY_SECRETS[environment][0]) };
        expect((await deliver(origin + PATH, body, headers)).status).toBe(401);
      }
      // The other environment works as before.
      const { json } = await postIntent(api, intentBody());
      const event_id = `evt_${randomUUID()}`;
      await api.notify(json, { event_id });
      expect((await waitForOutcome(api.database, event_id)).outcome).toBe('succeeded');
    });
  });
});
