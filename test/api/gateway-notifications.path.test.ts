// G5 to G7 of the notification endpoint: rotation of its secrets, bodies that are too large, and its
// unlisted path.

import { randomUUID } from 'node:crypto';
import { loadConfig } from '../../config/load';
import { ENVIRONMENTS } from '../../domain/environment';
import { signGatewayBody } from '../../secrets/gateway-signature';
import { expectBooksHold } from '../support/books';
import { request, type HttpResponse } from '../support/http';
import { deliver, deliverSigned, notificationOf, SIGNATURE } from '../support/notifications';
import { GATEWAY_SECRETS } from '../support/sandbox-gateway';
import { startTestApi, type TestApi } from '../support/api';
import { startTestService } from '../support/service';
import { findAccessLine } from './support/access-lines';
import { expectErrorBody } from './support/contract';
import { intentBody, postIntent, waitForStatus } from './support/intents';
import { readState, waitForOutcome } from './support/notifications';
import { requestHead, sendRaw } from './support/raw';

let api: TestApi;
let intent: HttpResponse['json'];

const PATH = '/internal/gateway/notifications';

beforeAll(async () => {
  api = await startTestApi();
  intent = (await postIntent(api, intentBody())).json;
});

afterEach(async () => {
  await expectBooksHold(api.database.db);
});

const [SECRET] = GATEWAY_SECRETS.sandbox;

const bodyOf = (fields: object = {}): string =>
  JSON.stringify(notificationOf(intent, { ...fields }));

const sign = (body: string | Buffer, secret: string = SECRET): string =>
  signGatewayBody(body, secret);

const send = (body: string | Uint8Array, signature: string) =>
  deliver(api.notification_url, body, { [SIGNATURE]: signature });

describe('G5 two secrets during a rotation', () => {
  it('are both accepted, until one is removed', async () => {
    const { task_queue, gateway, pay_url_base } = api.service.config;
    const OLD = SECRET;
    const NEW = 'the-next-secret-of-the-tests';
    const start = async (sandbox: readonly string[]) => {
      const { origin } = await startTestService({
        database: api.database,
        overrides: {
          task_queue,
          pay_url_base,
          gateway: {
            ...gateway,
            simulator: {
              ...gateway.simulator!,
              secrets: { ...gateway.simulator!.secrets, sandbox },
            },
          },
        },
      });
      return origin + PATH;
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

  it('lose no notification under load', async () => {
    const { task_queue, gateway, pay_url_base } = api.service.config;
    const NEW = 'the-next-secret-of-the-tests';
    const { origin } = await startTestService({
      database: api.database,
      overrides: {
        task_queue,
        pay_url_base,
        gateway: {
          ...gateway,
          simulator: {
            ...gateway.simulator!,
            secrets: { live: [], sandbox: [NEW, SECRET] },
          },
        },
      },
    });
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        // For no intent: only the signature is tested.
        const body = bodyOf({
          intent_id: undefined,
          reference: `none-${index}`,
          type: 'payment.pending',
        });
        const signature = sign(body, index % 2 ? NEW : SECRET);
        return (await deliver(origin + PATH, body, { [SIGNATURE]: signature })).status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

/** Of the right form, and by nobody's secret. */
const UNSIGNED = `X-Gateway-Signature: ${'0'.repeat(64)}`;

describe('G6 a large body', () => {
  const padded = (bytes: number): string => {
    const bare = bodyOf({ padding: '' });
    return bodyOf({ padding: 'x'.repeat(bytes - Buffer.byteLength(bare)) });
  };

  it('of 64 KiB is read', async () => {
    const { json } = await postIntent(api, intentBody());
    const bare = notificationOf(json, { padding: '' });
    const size = Buffer.byteLength(JSON.stringify(bare));
    const body = JSON.stringify({ ...bare, padding: 'x'.repeat(64 * 1024 - size) });
    expect(Buffer.byteLength(body)).toBe(64 * 1024);
    expect((await send(body, sign(body))).status).toBe(200);
    await waitForStatus(api, json, 'succeeded');
  });

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

  it('without a declared length is cut off as well', async () => {
    const piece = Buffer.from(`1000\r\n${'x'.repeat(0x1000)}\r\n`);
    const response = await sendRaw(
      api.service,
      requestHead(api.service, `POST ${PATH}`, ['Transfer-Encoding: chunked', UNSIGNED]),
      ...Array.from({ length: 17 }, () => piece),
    );
    expectErrorBody(response, ['payload_too_large']);
  });

  it.each([
    ['a header of another form', ['X-Gateway-Signature: sha256=00']],
    ['no header', []],
    ['the header of a gateway that is not configured', ['Stripe-Signature: t=1,v1=00']],
  ])('is not read at all with %s: 401 comes before its first byte', async (_kind, headers) => {
    for (const length of ['Content-Length: 65536', 'Transfer-Encoding: chunked']) {
      // The head alone: whoever waits for the body would wait until the request times out.
      const response = await sendRaw(
        api.service,
        requestHead(api.service, `POST ${PATH}`, [length, ...headers]),
      );
      expectErrorBody(response, ['unauthorized']);
    }
  });

  it('of junk, sent in a flood, delays no other request', async () => {
    const flood = Promise.all(
      Array.from({ length: 300 }, () => send('x'.repeat(1000), '0'.repeat(64))),
    );
    const { status } = await request(api.service, 'GET', '/wallets', { key: api.test_key });
    expect(status).toBe(200);
    expect(new Set((await flood).map((response) => response.status))).toEqual(new Set([401]));
  });
});

describe('G7 the path', () => {
  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
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

  it('answers HEAD in the same way', async () => {
    const { status, headers } = await request(api.service, 'HEAD', api.notification_url);
    expect([status, headers['allow']]).toEqual([404, undefined]);
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
    const { task_queue, gateway, pay_url_base } = api.service.config;
    const { notification_path } = loadConfig({
      GATEWAY_NOTIFICATION_PATH: '/hooks/f00d-cafe/payments',
    }).gateway;
    const { origin } = await startTestService({
      database: api.database,
      overrides: { task_queue, pay_url_base, gateway: { ...gateway, notification_path } },
    });
    const { json } = await postIntent(api, intentBody());
    const body = JSON.stringify(notificationOf(json));
    const headers = { [SIGNATURE]: sign(body) };
    expect((await deliver(origin + PATH, body, headers)).status).toBe(404);
    expect((await deliver(`${origin}/hooks/f00d-cafe/payments`, body, headers)).status).toBe(200);
    await waitForStatus(api, json, 'succeeded');
  });

  it('accepts no API key as a signature, and needs none', async () => {
    const body = bodyOf({ type: 'payment.pending', intent_id: null, reference: 'none' });
    expect((await deliverSigned(api, body)).status).toBe(200);
    const headers = { authorization: `Bearer ${api.live_key}` };
    expect((await deliver(api.notification_url, body, headers)).status).toBe(401);
  });
});

describe('an environment without a gateway', () => {
  it('accepts no notification, with either signature', async () => {
    const { task_queue, gateway, pay_url_base } = api.service.config;
    const { origin } = await startTestService({
      database: api.database,
      overrides: { task_queue, pay_url_base, gateway: { ...gateway, simulator: undefined } },
    });
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
