// What a merchant attaches to an intent comes back unchanged, or is refused.

import { expectBooksHold } from '../support/books';
import type { HttpResponse } from '../support/http';
import { startTestApi, type TestApi } from '../support/api';
import { refusal } from './support/contract';
import { expectRefused, expectCreated, intentBody, postIntent } from './support/intents';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});

afterEach(async () => {
  await expectBooksHold(api.database.db);
});

/** 5000 XOF with these other fields. */
function send(fields: Readonly<Record<string, unknown>>): Promise<HttpResponse> {
  return postIntent(api, intentBody('5000', fields));
}

const taken = (responding: Promise<HttpResponse>) => expectCreated(api, responding);
const refused = (sending: () => Promise<HttpResponse>, param?: string) =>
  expectRefused(api, sending, param);

describe('metadata', () => {
  const keys = (count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`key_${index}`, 'v']));

  it.each<[string, Record<string, unknown>]>([
    ['of no key', {}],
    ['of 50 keys', keys(50)],
    ['with a key of 1 character', { k: 'v' }],
    ['with a key of 40 characters', { ['k'.repeat(40)]: 'v' }],
    ['with a key of 40 outside of the basic plane', { ['😀'.repeat(40)]: 'v' }],
    ['with a value of 500 characters', { k: 'v'.repeat(500) }],
    ['with an empty value', { k: '' }],
    ['with every kind of value', { text: 'x', number: 1.5, yes: true, no: false, nothing: null }],
    ['with whole and negative numbers', { a: 0, b: -1, c: 999_999_999_999_999, d: -0.25 }],
    ['with unicode', { Größe: 'ñandú', 名前: '太郎', '🙂': '🇸🇳', 'e\u0301': '\u00e9' }],
    ['with what Object has', { toString: 't', hasOwnProperty: 'h', valueOf: 'v' }],
    ['with keys that look like numbers', { '10': 'a', '9': 'b', '01': 'c' }],
    ['with signs of JSON pointers', { 'a/b': 1, 'a~b': 2, '~1': 3, '/': 4 }],
    ['with quotes, controls and separators', { 'a"b': '\\', '\n': '\t', '\u2028': '\u0001' }],
  ])('%s comes back unchanged', async (_kind, metadata) => {
    expect((await taken(send({ metadata }))).metadata).toEqual(metadata);
  });

  it.each(['__proto__', 'constructor', 'prototype'])(
    'B7 with the key %s is refused, whatever its value, and pollutes nothing',
    async (name) => {
      for (const value of ['"x"', '1', 'null', '{"admin":true}', '{"prototype":{"admin":true}}']) {
        const body = `{"amount":1,"currency":"XOF","metadata":{"a":1,"${name}":${value}}}`;
        await refused(() => postIntent(api, body), `metadata/${name}`);
      }
      expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
      expect((await taken(send({}))).metadata).toEqual({});
    },
  );

  it.each([
    ['fifteen digits', '123456789012345', 123456789012345],
    ['fifteen digits with decimals', '1234567890.12345', 1234567890.12345],
    ['negative', '-123456789012345', -123456789012345],
    ['a zero behind the point', '1.50', 1.5],
  ])('keeps a number of %s', async (_kind, text, value) => {
    const response = await postIntent(
      api,
      `{"amount":1,"currency":"XOF","metadata":{"n":${text}}}`,
    );
    expect((await taken(Promise.resolve(response))).metadata).toEqual({ n: value });
  });

  it.each([
    ['sixteen digits', '1234567890123456'],
    ['sixteen digits with decimals', '12345678901.23456'],
    ['sixteen decimals', '0.123456789012345'],
    ['an exponent', '1e3'],
    ['an exponent beyond all bounds', '1e999'],
    ['a negative exponent', '1E-7'],
  ])('refuses a number of %s, which would come back changed', async (_kind, text) => {
    const body = `{"amount":1,"currency":"XOF","metadata":{"n":${text}}}`;
    await refused(() => postIntent(api, body), 'metadata/n');
  });

  it('refuses such a number under any name', async () => {
    const body = `{"amount":1,"currency":"XOF","metadata":{"a/b~c":12345678901234567890}}`;
    await refused(() => postIntent(api, body), 'metadata/a/b~c');
  });

  it.each<[string, unknown, string]>([
    ['of 51 keys', keys(51), 'metadata'],
    ['with an empty key', { '': 'v' }, 'metadata'],
    ['with a key of 41 characters', { ['k'.repeat(41)]: 'v' }, 'metadata'],
    ['with a value of 501 characters', { k: 'v'.repeat(501) }, 'metadata/k'],
    ['with an object inside', { k: { l: 'v' } }, 'metadata/k'],
    ['with a list inside', { k: [1] }, 'metadata/k'],
    ['with a NUL in a value', { k: 'a\0b' }, 'metadata/k'],
    ['with a NUL in a key', { 'a\0b': 'v' }, 'metadata'],
    ['with a lone surrogate in a value', { k: 'a\ud800' }, 'metadata/k'],
    ['with a lone surrogate in a key', { 'a\udc00': 'v' }, 'metadata'],
    ['that is a list', ['v'], 'metadata'],
    ['that is text', 'v', 'metadata'],
    ['that is null', null, 'metadata'],
  ])('%s is refused', async (_kind, metadata, param) => {
    await refused(() => send({ metadata }), param);
  });

  it('with one key twice is refused', async () => {
    const body = '{"amount":1,"currency":"XOF","metadata":{"k":1,"\\u006b":2}}';
    expect(await postIntent(api, body)).toMatchObject(refusal('invalid_json'));
  });
});
