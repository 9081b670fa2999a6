// How a body is sent: its type, encoding, size and chunks, and callers that never finish.

import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { PREFIX } from '../../http/prefix';
import { createTestDatabase, setUp } from '../support/database';
import type { ErrorCode } from '../../domain/errors';
import { request } from '../support/http';
import { startTestService } from '../support/service';
import { buildAccount, type Account } from './support/accounts';
import { callApi, expectContract, expectErrorBody, refusal } from './support/contract';
import { countEffects, type Effects } from './support/effects';
import { requestHead, openConnection, sendRaw, type RawConnection } from './support/raw';

const database = setUp(createTestDatabase);
const service = setUp(() => startTestService({ database }));
const sender = setUp(() => buildAccount(database, { live: { XOF: 1_000_000n } }));
const recipient = setUp(() => buildAccount(database));
let before: Effects;

beforeAll(async () => {
  before = await countEffects(database);
});

const good = (): string => `{"to_username":"${recipient.username}","currency":"XOF","amount":1}`;

/** The head of a transfer request with these headers; the body follows in pieces. */
const open = (...headers: string[]): string =>
  requestHead(service, `POST ${PREFIX}/transfers`, [
    `Authorization: Bearer ${sender.live}`,
    ...headers,
  ]);

const JSON_TYPE = 'Content-Type: application/json';
const CHUNKED = 'Transfer-Encoding: chunked';

function chunk(piece: string | Uint8Array): Buffer {
  const bytes = Buffer.from(piece);
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ]);
}

const END = '0\r\n\r\n';

describe('a refused body', () => {
  afterAll(async () => {
    expect(await countEffects(database)).toEqual(before);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json, text/plain',
    'application/json; charset=latin1',
    '',
  ])('of Content-Type %j answers unsupported_media_type', async (type) => {
    const headers = { 'content-type': type };
    const options = { key: sender.live, body: good(), headers };
    expect(await callApi(service, 'POST', '/transfers', options)).toMatchObject(
      refusal('unsupported_media_type'),
    );
  });

  it('without a Content-Type answers unsupported_media_type', async () => {
    const response = await sendRaw(service, open(`Content-Length: ${good().length}`), good());
    expectContract('POST', '/transfers', response);
    expect(response).toMatchObject(refusal('unsupported_media_type'));
  });

  it.each(['gzip', 'gzip, identity'])(
    'of Content-Encoding %s answers unsupported_media_type',
    async (encoding) => {
      const body = encoding === 'gzip' ? gzipSync(good()) : good();
      const options = { key: sender.live, body, headers: { 'content-encoding': encoding } };
      expect(await callApi(service, 'POST', '/transfers', options)).toMatchObject(
        refusal('unsupported_media_type'),
      );
    },
  );

  it('of compressed bytes declared as JSON answers invalid_json', async () => {
    const options = { key: sender.live, body: gzipSync(good()) };
    expect(await callApi(service, 'POST', '/transfers', options)).toMatchObject(
      refusal('invalid_json'),
    );
  });

  it.each([64 * 1024 + 1, 10_000_000])(
    'of %i bytes answers payload_too_large, with a declared length or in chunks',
    async (size) => {
      const body = `"${'x'.repeat(size - 2)}"`;
      const ways = [
        () => sendRaw(service, open(JSON_TYPE, `Content-Length: ${size}`), body),
        () => sendRaw(service, open(JSON_TYPE, CHUNKED), chunk(body), END),
        () => sendRaw(service, open(JSON_TYPE, CHUNKED), ...pieces(body, 16_000).map(chunk), END),
        () => request(service, 'POST', '/transfers', { key: sender.live, body }),
      ];
      for (const send of ways) {
        const response = await send();
        expectContract('POST', '/transfers', response);
        expect(response).toMatchObject(refusal('payload_too_large'));
        expect(response.headers['connection']).toBe('close');
      }
    },
  );

  const LARGE = 8_000_000;
  it.each<[string, () => string, readonly ErrorCode[]]>([
    ['too large', () => open(JSON_TYPE), ['payload_too_large']],
    ['of another type', () => open('Content-Type: text/plain'), ['unsupported_media_type']],
    ['compressed', () => open(JSON_TYPE, 'Content-Encoding: br'), ['unsupported_media_type']],
    ['of two types', () => open(JSON_TYPE, 'Content-Type: text/plain'), ['malformed_request']],
    ['of a stranger', () => requestHead(service, `POST ${PREFIX}/transfers`), ['unauthorized']],
    ['for an unknown path', () => requestHead(service, 'POST /nothing'), ['not_found']],
    [
      'of an unsigned notification',
      () => requestHead(service, `POST ${service.config.gateway.notification_path}`),
      // A body of declared length gets the first code, one in chunks the second.
      ['payload_too_large', 'unauthorized'],
    ],
  ])('%s: a caller that sends all of it first can read the refusal', async (_, head, codes) => {
    const body = Buffer.alloc(LARGE, 'x');
    for (const [framing, sent] of [
      [`Content-Length: ${LARGE}`, body],
      [CHUNKED, Buffer.concat([chunk(body), Buffer.from(END)])],
    ] as const) {
      const connection = await openConnection(service);
      connection.socket.pause();
      const bytes = Buffer.concat([
        Buffer.from(head().replace(/\r\n$/, `${framing}\r\n\r\n`)),
        sent,
      ]);
      await new Promise<void>((resolve, reject) => {
        connection.socket.write(bytes, (error) => (error ? reject(error) : resolve()));
      });
      const response = connection.response();
      connection.socket.resume();
      expectErrorBody(await response, codes);
    }
  });

  it('that is refused holds its connection for a moment only', async () => {
    const connection = await openConnection(service);
    const closed = new Promise((resolve) => connection.socket.once('close', resolve));
    connection.write(open(JSON_TYPE, 'Content-Length: 9007199254740991'));
    expect(await connection.response()).toMatchObject(refusal('payload_too_large'));
    await closed;
  });

  it('of a declared length far above the limit is refused before any of it arrives', async () => {
    const response = await sendRaw(service, open(JSON_TYPE, 'Content-Length: 9007199254740991'));
    expect(response).toMatchObject(refusal('payload_too_large'));
  });

  it('of exactly 64 KiB is not too large', async () => {
    const body = `"${'x'.repeat(64 * 1024 - 2)}"`;
    const options = { key: sender.live, body };
    expect(await callApi(service, 'POST', '/transfers', options)).toMatchObject(
      refusal('invalid_request'),
    );
  });

  it.each([
    ['a length and chunks at once', [JSON_TYPE, 'Content-Length: 5', CHUNKED]],
    ['two lengths', [JSON_TYPE, 'Content-Length: 5', 'Content-Length: 6']],
    ['a negative length', [JSON_TYPE, 'Content-Length: -5']],
    ['a length in words', [JSON_TYPE, 'Content-Length: five']],
    ['a coding that is not known', [JSON_TYPE, 'Transfer-Encoding: gzip']],
    ['chunks named twice', [JSON_TYPE, 'Transfer-Encoding: chunked, chunked']],
  ])('with %s answers 400 and closes the connection', async (_kind, headers) => {
    const response = await sendRaw(service, open(...headers), '5\r\n{"a":\r\n');
    expect(response.status).toBe(400);
    expect(response.headers['connection']).toBe('close');
  });

  it('that is large is read when the one of its account before it has come, and no other waits', async () => {
    const body = JSON.stringify({ transfers: [], padding: 'x'.repeat(100 * 1024) });
    const upload = async ({ live }: Account, path: string) => {
      const connection = await openConnection(service);
      const headers = [
        `Authorization: Bearer ${live}`,
        JSON_TYPE,
        `Content-Length: ${body.length}`,
        'Expect: 100-continue',
      ];
      connection.write(requestHead(service, `POST ${PREFIX}${path}`, headers));
      // The service has begun with it, however late the machine came to its connection.
      await once(connection.socket, 'progress');
      connection.write(body.slice(0, -1));
      return connection;
    };
    const order: string[] = [];
    const answered = async (name: string, connection: RawConnection): Promise<number> => {
      const { status } = await connection.response();
      order.push(name);
      return status;
    };
    const held = await upload(sender, '/transfer-batches');
    // Requests are authenticated in their order: the upload before this one is being read now.
    await request(service, 'GET', '/wallets', { key: sender.live });
    const second = await upload(sender, '/transfer-batches');
    second.write('}');
    const waiting = answered('second', second);
    for (const name of ['other 1', 'other 2']) {
      const other = await upload(recipient, '/transfer-batches');
      other.write('}');
      expect(await answered(name, other)).toBe(422);
    }
    const small = await request(service, 'POST', '/transfers', { key: sender.live, body: '{}' });
    expect(small.status).toBe(422);
    const first = answered('held', held);
    held.write('}');
    expect(await Promise.all([first, waiting])).toEqual([422, 422]);
    expect(order).toEqual(['other 1', 'other 2', 'held', 'second']);
  });
});

describe('an accepted request', () => {
  it.each(['application/json', 'application/json;charset=utf8;'])(
    'has Content-Type %s',
    async (type) => {
      const options = { key: sender.live, body: good(), headers: { 'content-type': type } };
      expect((await callApi(service, 'POST', '/transfers', options)).status).toBe(200);
    },
  );

  it('has Content-Encoding identity', async () => {
    const options = { key: sender.live, body: good(), headers: { 'content-encoding': 'identity' } };
    expect((await callApi(service, 'POST', '/transfers', options)).status).toBe(200);
  });

  it('waits for 100 Continue before its body', async () => {
    const connection = await openConnection(service);
    const length = `Content-Length: ${good().length}`;
    connection.write(open(JSON_TYPE, length, 'Expect: 100-continue'));
    const response = connection.response();
    connection.write(good());
    expect((await response).status).toBe(200);
  });

  it('is a GET with a body, which is ignored', async () => {
    const body = good();
    const response = await sendRaw(
      service,
      requestHead(service, `GET ${PREFIX}/me`, [
        `Authorization: Bearer ${sender.live}`,
        JSON_TYPE,
        `Content-Length: ${body.length}`,
      ]),
      body,
    );
    expect(response.status).toBe(200);
  });
});

function pieces(text: string, size: number): string[] {
  const found = [];
  for (let at = 0; at < text.length; at += size) found.push(text.slice(at, at + size));
  return found;
}
