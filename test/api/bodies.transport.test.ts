// How a body is sent: its type, encoding, size and chunks, and callers that never finish.

import { gzipSync } from 'node:zlib';
import { PREFIX } from '../../api/prefix';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { request } from '../support/http';
import { startTestService, type TestService } from '../support/service';
import { waitFor } from '../support/wait';
import { readAccessLines } from './support/access-lines';
import { buildAccount, type Account } from './support/accounts';
import { callApi, expectContract, refusal } from './support/contract';
import { countEffects, type Effects } from './support/effects';
import { requestHead, openConnection, sendRaw } from './support/raw';

let database: TestDatabase;
let service: TestService;
let sender: Account;
let recipient: Account;
let before: Effects;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  sender = await buildAccount(database, { live: { XOF: 1_000_000n } });
  recipient = await buildAccount(database);
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
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'application/jsonp',
    'application/vnd.api+json',
    'application/json, text/plain',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; charset=utf-16',
    'json',
    '*/*',
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

  it.each(['gzip', 'deflate', 'br', 'zstd', 'compress', 'gzip, identity', 'x-unknown'])(
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

  it('longer than its declared length answers 400: the rest is no request', async () => {
    const response = await sendRaw(service, open(JSON_TYPE, 'Content-Length: 10'), good());
    expect(response.status).toBe(400);
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

  it.each([
    'zz\r\n{}\r\n0\r\n\r\n',
    '-1\r\n{}\r\n',
    '5\r\n{}\r\n0\r\n\r\n',
    'ffffffffffffffffff\r\n',
  ])('in broken chunks %j answers 400', async (broken) => {
    const response = await sendRaw(service, open(JSON_TYPE, CHUNKED), broken);
    expect(response.status).toBe(400);
  });

  it('that never ends blocks no other request, and a caller that disconnects causes no error', async () => {
    const endless = await openConnection(service);
    endless.write(open(JSON_TYPE, CHUNKED, 'X-Request-Id: endless'));
    for (let i = 0; i < 50; i += 1) {
      endless.write(chunk(' '));
      const other = await request(service, 'GET', '/wallets', { key: sender.live });
      expect(other.status).toBe(200);
    }
    endless.abort();
    const short = await openConnection(service);
    short.write(open(JSON_TYPE, 'Content-Length: 50', 'X-Request-Id: short'));
    short.write('{"to_username":');
    short.abort();
    const lines = await waitFor(() => {
      const ended = readAccessLines(service).filter(({ request_id }) =>
        ['endless', 'short'].includes(request_id),
      );
      return ended.length === 2 && ended;
    });
    expect(lines.map(({ status }) => status)).toEqual([400, 400]);
    expect(service.log.filter((entry) => entry['unavailable'] === true)).toEqual([]);
  });

  it('of 300 callers that send nothing blocks no other request', async () => {
    const silent = await Promise.all(Array.from({ length: 300 }, () => openConnection(service)));
    for (const [index, caller] of silent.entries()) {
      if (index % 3 > 0) caller.write(`POST ${PREFIX}/transfers HTTP/1.1\r\nHost: x\r\n`);
      if (index % 3 > 1)
        caller.write(`Authorization: Bearer ${sender.live}\r\nContent-Length: 9\r\n\r\n`);
    }
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => request(service, 'GET', '/wallets', { key: sender.live })),
    );
    for (const { socket } of silent) socket.destroy();
    expect(responses.every(({ status }) => status === 200)).toBe(true);
  });
});

describe('an accepted request', () => {
  it.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json ; charset="utf-8"',
  ])('has Content-Type %s', async (type) => {
    const options = { key: sender.live, body: good(), headers: { 'content-type': type } };
    expect((await callApi(service, 'POST', '/transfers', options)).status).toBe(200);
  });

  it('has Content-Encoding identity', async () => {
    const options = { key: sender.live, body: good(), headers: { 'content-encoding': 'identity' } };
    expect((await callApi(service, 'POST', '/transfers', options)).status).toBe(200);
  });

  it('has a body in chunks of one byte', async () => {
    const all = pieces(good(), 1).map(chunk);
    const response = await sendRaw(service, open(JSON_TYPE, CHUNKED), ...all, END);
    expectContract('POST', '/transfers', response);
    expect(response.status).toBe(200);
  });

  it('waits for 100 Continue before its body', async () => {
    const connection = await openConnection(service);
    const length = `Content-Length: ${good().length}`;
    connection.write(open(JSON_TYPE, length, 'Expect: 100-continue'));
    const response = connection.response();
    connection.write(good());
    expect((await response).status).toBe(200);
  });

  it('is sent at once with another on one connection', async () => {
    const connection = await openConnection(service);
    const one = open(JSON_TYPE, `Content-Length: ${good().length}`) + good();
    connection.write(one + one);
    const references = [await connection.response(), await connection.response()].map(
      ({ json }) => json.reference,
    );
    expect(new Set(references).size).toBe(2);
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
