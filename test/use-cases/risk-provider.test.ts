// The provider of risk: the question, what counts as its answer, and what its silence costs.

import type { AskedOrder, Heard } from '../../domain/risk';
import { ask } from '../../gateway/question';
import { isServiceSignature } from '../../secrets/webhook-secret';
import { createProviderVoice } from '../../use-cases/risk/provider';
import { createVoices } from '../../use-cases/risk/voices';
import { createTestDatabase, setUp } from '../support/database';
import {
  PROVIDER_SECRET,
  saying,
  setProvider,
  startProvider,
  type Manner,
} from '../support/risk-provider';
import { buildUser } from '../support/users';
import { testSealer } from '../support/webhooks';

const database = setUp(createTestDatabase);
const awa = setUp(() => buildUser(database.db, { username: 'awa' }));
const provider = setUp(startProvider);

const DEADLINE_MS = 400;
const counted: string[] = [];

const order = (fields: Partial<AskedOrder> = {}): AskedOrder => ({
  id: 'TRF-1',
  type: 'transfer',
  environment: 'live',
  user_id: awa.id,
  currency: 'XOF',
  amount_minor: '200000',
  recipient: { username: 'ben' },
  ip: '192.0.2.1',
  batch_id: null,
  ...fields,
});
const build = () =>
  createVoices([
    createProviderVoice({
      db: database.db,
      sealer: testSealer,
      askOverHttp: ask,
      countAnswer: (outcome) => void counted.push(outcome),
      log: () => undefined,
    }),
  ]);
const hearing = async (manner: Manner, about = order()): Promise<Heard> => {
  provider.behave(manner);
  return build().ask(about);
};
const set = (fields: Readonly<Record<string, unknown>> = {}) =>
  setProvider(database.operator, { url: provider.url, deadline_ms: DEADLINE_MS, ...fields });

beforeEach(async () => {
  await set();
  provider.asked.length = 0;
  counted.length = 0;
});

it('is asked about the order, the account and the recipient, signed', async () => {
  const { id: user_id } = awa;
  const about = order({
    id: 'PYT-1',
    type: 'payout',
    user_id,
    recipient: { phone: '+221770000100', operator: null, name: 'Fatou Sow' },
  });
  await hearing(saying({ decision: 'allow' }), about);
  const [{ text, json, headers }] = provider.asked as [(typeof provider.asked)[0]];
  expect(text).toContain('"amount":2000.00,"fee":0.00');
  expect(json).toEqual({
    id: 'PYT-1',
    type: 'payout',
    environment: 'live',
    currency: 'XOF',
    amount: 2_000,
    fee: 0,
    account: {
      username: 'awa',
      country: expect.stringMatching(/^[A-Z]{2}$/),
      kyc_status: 'approved',
      tier: 'identified',
      created_at: expect.stringMatching(/Z$/),
    },
    recipient: about.recipient,
    ip: '192.0.2.1',
    batch_id: null,
    created_at: expect.stringMatching(/Z$/),
  });
  expect(isServiceSignature(text, headers['x-service-signature'], PROVIDER_SECRET)).toBe(true);
});

it.each([
  ['allow', []],
  ['hold', [{ source: 'provider', decision: 'hold', detail: 'odd \ufffd hour, case 7' }]],
  ['refuse', [{ source: 'provider', decision: 'refuse', detail: 'odd \ufffd hour, case 7' }]],
])('that says %s is taken at its word', async (decision, reasons) => {
  const heard = await hearing(saying({ decision, reason: 'odd \0 hour', reference: 'case 7' }));
  expect(heard.reasons).toMatchObject(reasons);
  expect(heard.asked.provider).toMatchObject({ outcome: decision, sent: { id: 'TRF-1' } });
  expect(counted).toEqual([decision]);
});

const long = (bytes: number): string => {
  const empty = JSON.stringify({ decision: 'allow', filler: '' }).length;
  return JSON.stringify({ decision: 'allow', filler: 'x'.repeat(bytes - empty) });
};

describe('silence is', () => {
  const MANNERS: readonly [string, string, Manner][] = [
    ['one that hangs', 'late', () => undefined],
    ['half an answer', 'late', (response) => void response.write('{"decision":')],
    [
      'an answer that is cut off',
      'unreachable',
      (response) => response.write('{"decision":', () => response.destroy()),
    ],
    ['a reset', 'unreachable', (response) => void response.socket!.resetAndDestroy()],
    [
      'an answer after the deadline',
      'late',
      (response) => void setTimeout(() => response.end('{"decision":"allow"}'), 2 * DEADLINE_MS),
    ],
    ['64 KiB and a byte', 'too_large', saying(long(64 * 1024 + 1))],
    [
      'a redirect',
      'not_200',
      (response) => void response.writeHead(302, { location: provider.url }).end(),
    ],
    [
      'another status',
      'not_200',
      (response) => void response.writeHead(201).end('{"decision":"allow"}'),
    ],
    ['no JSON', 'not_json', saying('allow')],
    ['null', 'unknown_word', saying('null')],
    ['a word that is not known', 'unknown_word', saying({ decision: 'perhaps' })],
  ];

  it.each(MANNERS)('%s, and takes no longer than the deadline', async (_name, why, manner) => {
    const began = performance.now();
    const { reasons, asked } = await hearing(manner);
    expect(performance.now() - began).toBeLessThan(DEADLINE_MS + 100);
    expect(reasons).toEqual([
      { source: 'silence', name: 'provider', detail: why, decision: 'hold' },
    ]);
    expect(asked.provider).toMatchObject({ answered: null, outcome: why });
    expect(provider.asked).toHaveLength(1);
    expect(counted).toEqual(['silence']);
    await set({ on_silence: 'allow' });
    expect((await hearing(manner)).reasons).toEqual([]);
  });

  it('not an answer of 64 KiB', async () => {
    expect((await hearing(saying(long(64 * 1024)))).reasons).toEqual([]);
    expect(counted).toEqual(['allow']);
  });
});

it('is left alone after five silences in a row, until it is set again', async () => {
  const voices = build();
  const silence = saying('?');
  for (const manner of [silence, silence, silence, silence, saying({ decision: 'allow' })]) {
    provider.behave(manner);
    await voices.ask(order());
  }
  provider.behave(silence);
  for (let n = 0; n < 5; n += 1) await voices.ask(order());
  expect(provider.asked).toHaveLength(10);
  expect((await voices.ask(order())).reasons).toMatchObject([{ detail: 'paused' }]);
  expect(provider.asked).toHaveLength(10);
  const later = performance.now() + 10_001;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => later);
  await voices.ask(order());
  clock.mockRestore();
  expect(provider.asked).toHaveLength(11);
  expect((await voices.ask(order())).reasons).toMatchObject([{ detail: 'paused' }]);
  await set();
  expect((await voices.ask(order())).reasons).toMatchObject([{ detail: 'not_json' }]);
});

it('is asked about its kinds and its environment only', async () => {
  await set({ watches: ['payout'], environment: 'sandbox' });
  for (const about of [order(), order({ type: 'payout' })]) {
    expect(await build().ask(about)).toEqual({ reasons: [], asked: {} });
  }
  await build().ask(order({ type: 'payout', environment: 'sandbox', recipient: null }));
  expect(provider.asked).toHaveLength(1);
});
