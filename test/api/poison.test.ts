// Row B7 of the threat list: bodies made to pollute prototypes, to nest without end, or to use up memory.
// All are refused, and nothing of them stays.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setUp } from '../support/database';
import { startTestApi } from '../support/api';
import { request } from '../support/http';
import { expectErrorBody } from './support/contract';
import { countEffects } from './support/effects';

const api = setUp(startTestApi);

const nested = (open: string, close: string, depth: number): string =>
  `${open.repeat(depth)}1${close.repeat(depth)}`;
const fill = (unit: (index: number) => string): string => {
  let text = '';
  for (let index = 0; text.length < 60_000; index += 1) text += unit(index);
  return text;
};
const inMetadata = (text: string): string =>
  `{"amount":1,"currency":"XOF","metadata":{"a":"b",${text}}}`;

const POISON: readonly [string, string][] = [
  ...['__proto__', 'constructor', 'prototype'].flatMap((name): [string, string][] => [
    [`${name} in metadata`, inMetadata(`"${name}":"x"`)],
    [
      `${name} in escapes`,
      inMetadata(`"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}":1`),
    ],
    [`${name} with an object`, inMetadata(`"${name}":{"polluted":true}`)],
    [`${name} in a list in metadata`, inMetadata(`"x":[{"${name}":{"polluted":true}}]`)],
    [`${name} at the top`, `{"amount":1,"currency":"XOF","${name}":{"polluted":true}}`],
    [`${name} as the body`, `{"${name}":{"amount":1,"currency":"XOF"}}`],
  ]),
  ['lists in lists', nested('[', ']', 30_000)],
  ['objects in objects', nested('{"a":', '}', 9_000)],
  ['objects in metadata', inMetadata(`"x":${nested('{"a":', '}', 9_000)}`)],
  ['33 levels', `{"x":${nested('[', ']', 32)}}`],
  ['brackets that never close', '['.repeat(60_000)],
  ['ten thousand keys', `{${fill((index) => `"k${index}":1,`)}"last":1}`],
  ['ten thousand keys in metadata', inMetadata(`${fill((index) => `"k${index}":1,`)}"last":1`)],
  ['a long key', inMetadata(`"${'k'.repeat(60_000)}":1`)],
  ['a long number', `{"amount":${'9'.repeat(60_000)},"currency":"XOF"}`],
  ['a number with a large exponent', '{"amount":1e999999999,"currency":"XOF"}'],
  [
    'a long text of escapes',
    `{"amount":1,"currency":"XOF","description":"${'\\u0041'.repeat(9_000)}"}`,
  ],
  ['a list of numbers', `[${fill(() => '0.1,')}1]`],
  [
    'an e-mail made to be matched slowly',
    `{"amount":1,"currency":"XOF","customer_email":"${'a@'.repeat(120)}"}`,
  ],
  [
    'a telephone number made to be matched slowly',
    `{"amount":1,"currency":"XOF","customer_phone":"+1${' ().-'.repeat(6)}x"}`,
  ],
];

const send = (body: string) =>
  request(api.service, 'POST', '/payment-intents', { key: api.test_key, body });

it.each(POISON)('B7 %s is refused, and no object has changed', async (_kind, body) => {
  const response = await send(body);
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(response.status).toBeLessThan(500);
  expectErrorBody(response, ['invalid_json', 'invalid_request', 'payload_too_large']);
  expect(response.text.length).toBeLessThan(5_000);
  const plain = {} as Record<string, unknown>;
  expect([plain['polluted'], plain['amount'], Object.keys(Object.prototype)]).toEqual([
    undefined,
    undefined,
    [],
  ]);
});

it('B7 the whole corpus again and again leaves no memory in use, and nothing behind', async () => {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  const sendAll = async (): Promise<void> => {
    for (const [, body] of POISON) await send(body);
  };
  const used = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  await sendAll();
  const effects = await countEffects(api.database);
  const before = used();
  for (let round = 0; round < 20; round += 1) await sendAll();
  // Some 17 MB were sent; a tenth of that may be the test's own.
  expect(used() - before).toBeLessThan(8 * 1024 * 1024);
  expect(await countEffects(api.database)).toEqual(effects);
});
