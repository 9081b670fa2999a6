// Hostile JSON bodies (rows B5 to B8 and F18 of the threat list): each gets its specified code and leaves
// nothing behind.

import type { ErrorCode } from '../../domain/errors';
import { createTestDatabase, setUp } from '../support/database';
import type { HttpResponse } from '../support/http';
import { startTestService } from '../support/service';
import { connectTestTemporal } from '../support/temporal';
import { noteSeen, waitFor } from '../support/wait';
import { buildAccount } from './support/accounts';
import { callApi, refusal } from './support/contract';
import { countEffects, countWorkflows, type Effects } from './support/effects';

const database = setUp(createTestDatabase);
const service = setUp(() => startTestService({ database }));
const sender = setUp(() =>
  buildAccount(database, { live: { XOF: 900_000_000n, EUR: 900_000_000n } }),
);
const recipient = setUp(() => buildAccount(database));
let before: Effects;

beforeAll(async () => {
  before = await countEffects(database);
});

function post(body: string | Uint8Array): Promise<HttpResponse> {
  return callApi(service, 'POST', '/transfers', { key: sender.live, body });
}

/** A complete body, valid except for one field's source text. */
function fields(overrides: { amount?: string; to_username?: string; more?: string }): string {
  const { amount = '1', to_username = JSON.stringify(recipient.username), more = '' } = overrides;
  return `{"to_username":${to_username},"currency":"EUR","amount":${amount}${more}}`;
}

/** Gives each a title that fits on a line. */
function named(texts: readonly string[]): [string, string][] {
  return texts.map((text) => [text.length > 40 ? `${text.slice(0, 20)}…` : text, text]);
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const nested = (open: string, close: string, depth: number, inside = ''): string =>
  open.repeat(depth) + inside + close.repeat(depth);

describe('an amount', () => {
  it.each(
    named([
      '1e2',
      '0.001',
      '0',
      '-1',
      '9007199254740993',
      '99999999999999.99',
      `1${'0'.repeat(400)}`,
      `1.${'0'.repeat(400)}`,
      `0.${'0'.repeat(60_000)}1`,
      '"5e3"',
      '"-5"',
      '"5,000"',
      '" 5"',
      '"0.001"',
      '"0"',
      '"99999999999999.99"',
      '""',
      'null',
    ]),
  )('§7 invalid_request: %s', async (_short, amount) => {
    expect(await post(fields({ amount }))).toMatchObject(refusal('invalid_request', 'amount'));
  });

  it.each(['NaN', '05000'])('§7 invalid_json: %s', async (amount) => {
    expect(await post(fields({ amount }))).toMatchObject(refusal('invalid_json'));
  });
});

const SURROGATE_BYTES = Buffer.concat([
  Buffer.from('{"to_username":"'),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from('","currency":"EUR","amount":1}'),
]);

describe('a body', () => {
  // Functions, because the recipient is not known yet when the table is built.
  it.each<[string, () => string | Uint8Array, ErrorCode]>([
    ['that is empty', () => '', 'invalid_json'],
    ['cut short', () => fields({}).slice(0, -1), 'invalid_json'],
    ['with something after it', () => `${fields({})}x`, 'invalid_json'],
    ['after a byte order mark', () => `\ufeff${fields({ more: ',"x":1' })}`, 'invalid_request'],
    ['after two byte order marks', () => `\ufeff\ufeff${fields({})}`, 'invalid_json'],
    ['in UTF-16, little end first', () => Buffer.from(fields({}), 'utf16le'), 'invalid_json'],
    ['with a byte that is no UTF-8', () => latin1(`${fields({})}\xff`), 'invalid_json'],
    ['with a surrogate in UTF-8', () => SURROGATE_BYTES, 'invalid_json'],
    ['with a raw NUL in a text', () => fields({ to_username: '"a\0b"' }), 'invalid_json'],
    ['with an amount twice', () => fields({ more: ',"amount":2' }), 'invalid_json'],
    [
      'with an amount twice, once escaped',
      () => fields({ more: String.raw`,"\u0061mount":2` }),
      'invalid_json',
    ],
    [
      'with __proto__ twice',
      () => fields({ more: ',"__proto__":1,"__proto__":2' }),
      'invalid_json',
    ],
    ['of 33 levels', () => fields({ more: `,"x":${nested('[', ']', 32)}` }), 'invalid_json'],
    ['of 10,000 arrays', () => nested('[', ']', 10_000), 'invalid_json'],
    ['of 32 levels', () => fields({ more: `,"x":${nested('[', ']', 31)}` }), 'invalid_request'],
    ['of 10,002 values', () => `[${'1,'.repeat(10_001)}1]`, 'invalid_json'],
    ['of 10,001 values', () => `[${'1,'.repeat(10_000)}1]`, 'invalid_request'],
    ['of null', () => 'null', 'invalid_request'],
    ['of an array', () => `[${fields({})}]`, 'invalid_request'],
    ['with __proto__', () => fields({ more: ',"__proto__":{"amount":5}' }), 'invalid_request'],
    ['with constructor', () => fields({ more: ',"constructor":{}' }), 'invalid_request'],
    [
      'with an escaped NUL in a text',
      () => fields({ to_username: String.raw`"a\u0000b"` }),
      'invalid_request',
    ],
    [
      'with a lone high surrogate in a text',
      () => fields({ to_username: String.raw`"a\ud800b"` }),
      'invalid_request',
    ],
    [
      'with a NUL deep inside',
      () => fields({ more: String.raw`,"x":[{"y":["\u0000"]}]` }),
      'invalid_request',
    ],
  ])('%s answers its code', async (_kind, make, code) => {
    expect(await post(make())).toMatchObject(refusal(code));
  });

  it('with a surrogate pair is accepted', async () => {
    const response = await post(fields({ to_username: String.raw`"\ud83d\ude00"` }));
    expect(response).toMatchObject(refusal('recipient_not_found'));
  });

  it.each<[string, () => string]>([
    ['numbers, each one deeper', () => nested('[1,', ']', 16_000, '1')],
    ['numbers, hidden by a repeated field', () => `{"x":${nested('[1,', ']', 16_000, '1')},"x":1}`],
    ['numbers side by side', () => `[${'1,'.repeat(32_000)}1]`],
    ['names', () => `{${Array.from({ length: 6_000 }, (_, i) => `"${i}":1`).join(',')}}`],
    ['escapes', () => `"${'\\"'.repeat(32_000)}"`],
    ['digits', () => '1'.repeat(65_000)],
  ])('full of %s takes little time', async (_kind, make) => {
    const body = make();
    // Repeated until it was quick, because the machine may be busy; a check that takes seconds never is.
    await waitFor(async () => {
      const started = performance.now();
      const { status } = await post(body);
      const duration_ms = performance.now() - started;
      noteSeen('duration_ms', duration_ms);
      expect([400, 422]).toContain(status);
      return duration_ms < 250;
    });
  });
});

describe('all of these bodies', () => {
  it('leave nothing behind, and start no workflow', async () => {
    // An unknown recipient is a final outcome: its key is kept.
    const { keys, ...rest } = await countEffects(database);
    expect({ ...rest, keys: String(Number(keys) - 1) }).toEqual(before);
    // A workflow started afterwards shows up; one started before would show up as well.
    const temporal = await connectTestTemporal();
    expect((await post(fields({}))).status).toBe(200);
    const { task_queue } = service.config;
    await waitFor(async () => (await countWorkflows(temporal, task_queue)) >= 2);
    expect(await countWorkflows(temporal, task_queue)).toBe(2);
  });

  it('change nothing for later requests', async () => {
    expect(({} as { amount?: unknown }).amount).toBeUndefined();
    const response = await post(fields({ amount: '0.30' }));
    expect(response.text).toContain('"amount":0.30');
    const as_text = await post(fields({ amount: String.raw`"0.3\u0030"` }));
    expect(as_text.text).toContain('"amount":0.30');
    // The start logs warnings about gateways.
    expect(service.log.filter(({ log }) => log !== 'warning')).toEqual([]);
  });
});
