// What POST /payment-intents accepts and refuses, field by field, and what it responds.

import { loadConfig } from '../../config/load';
import type { Currency } from '../../domain/currency';
import { expectBooksHold } from '../support/books';
import type { HttpResponse } from '../support/http';
import { startTestApi, type TestApi } from '../support/api';
import { startTestService } from '../support/service';
import { refusal } from './support/contract';
import {
  expectRefused,
  expectCreated,
  getIntent,
  intentBody,
  listIntents,
  postIntent,
  readCheckouts,
} from './support/intents';

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

describe('amount', () => {
  it.each<[Currency, string, string]>([
    ['XOF', '1', '1.00'],
    ['XOF', '1.0', '1.00'],
    ['XOF', '1.00', '1.00'],
    ['XOF', '5000.00', '5000.00'],
    ['XOF', '10000000', '10000000.00'],
    ['XOF', '10000000.00', '10000000.00'],
    ['EUR', '0.01', '0.01'],
    ['EUR', '0.1', '0.10'],
    ['EUR', '0.29', '0.29'],
    ['EUR', '4.35', '4.35'],
    ['EUR', '19.99', '19.99'],
    ['EUR', '100000', '100000.00'],
    ['USD', '0.01', '0.01'],
    ['USD', '1.15', '1.15'],
    ['USD', '100000.00', '100000.00'],
  ])('of %s %s is stored exactly', async (currency, amount, shown) => {
    const response = await postIntent(api, intentBody(amount, { currency }));
    expect(response.text).toContain(`"amount":${shown},"currency":"${currency}"`);
    expect(response.text).toContain(`"fee":0.00,"net_amount":${shown},`);
    await taken(Promise.resolve(response));
    const { rows } = await api.database.owner.raw(
      'select amount_minor from payment_intents where id = ?',
      [response.json.id],
    );
    expect(String(rows[0].amount_minor)).toBe(String(BigInt(shown.replace('.', ''))));
    // The gateway got the same amount.
    const [session] = readCheckouts(api).filter((line) => line.includes(response.json.id));
    expect(session).toContain(`"amount_minor":"${BigInt(shown.replace('.', ''))}"`);
  });

  it.each<[Currency, string]>([
    ['XOF', '0'],
    ['XOF', '0.00'],
    ['XOF', '-1'],
    ['XOF', '-0'],
    ['XOF', '0.01'],
    ['XOF', '0.5'],
    ['XOF', '5000.50'],
    ['XOF', '10000000.01'],
    ['XOF', '10000001'],
    ['EUR', '0'],
    ['EUR', '-0.01'],
    ['EUR', '0.001'],
    ['EUR', '0.009'],
    ['EUR', '1.000'],
    ['EUR', '1e3'],
    ['EUR', '1E3'],
    ['EUR', '1e-2'],
    ['EUR', '1e999'],
    ['EUR', '100000.01'],
    ['USD', '100000.01'],
    ['USD', '9007199254740993'],
    ['USD', '9999999999999.99'],
    ['USD', '99999999999999.99'],
    ['USD', `1${'0'.repeat(80)}`],
    ['USD', `0.01${'0'.repeat(80)}`],
    ['USD', '"5000"'],
    ['USD', '"0x10"'],
    ['USD', 'true'],
    ['USD', 'null'],
    ['USD', '[5000]'],
    ['USD', '{"value":5000}'],
  ])('of %s %s is refused', async (currency, amount) => {
    await refused(() => postIntent(api, intentBody(amount, { currency })), 'amount');
  });

  it.each(['05', '5.', '.5', '+5', 'NaN', 'Infinity', '5_000', '0x10'])(
    'written as %s is not JSON',
    async (amount) => {
      expect(await postIntent(api, intentBody(amount))).toMatchObject(refusal('invalid_json'));
    },
  );

  it('given twice is refused as invalid JSON', async () => {
    expect(await postIntent(api, '{"amount":1,"currency":"XOF","amount":5000}')).toMatchObject(
      refusal('invalid_json', 'amount'),
    );
  });

  it('has the maximum that is configured for payments, not for transfers', async () => {
    const { max_payment } = loadConfig({
      MAX_PAYMENT_XOF: '7',
      MAX_PAYMENT_EUR: '0.50',
      MAX_PAYMENT_USD: '200000',
      MAX_TRANSFER_XOF: '3',
    });
    const { gateway, task_queue } = api.service.config;
    const strict = await startTestService({
      database: api.database,
      overrides: { gateway, task_queue, max_payment },
    });
    const at = { service: strict, test_key: api.test_key };
    for (const [amount, currency] of [
      ['7', 'XOF'],
      ['0.50', 'EUR'],
      ['150000', 'USD'],
    ]) {
      expect((await postIntent(at, intentBody(amount, { currency }))).status).toBe(201);
    }
    for (const [amount, currency, maximum] of [
      ['8', 'XOF', '7.00 XOF'],
      ['0.51', 'EUR', '0.50 EUR'],
      ['200000.01', 'USD', '200000.00 USD'],
    ]) {
      const response = await postIntent(at, intentBody(amount, { currency }));
      expect(response).toMatchObject(refusal('invalid_request', 'amount'));
      expect(response.json.error.message).toContain(`at most ${maximum}`);
    }
  });
});

describe('currency', () => {
  it.each(['xof', 'GBP', '', 'XOF ', 'EURO', '978', 978, null, ['XOF']])(
    '%j is refused',
    async (currency) => {
      await refused(() => send({ currency }), 'currency');
    },
  );
});

describe('the body', () => {
  it('requires amount and currency, and nothing else', async () => {
    await refused(() => postIntent(api, '{"currency":"XOF"}'), 'amount');
    await refused(() => postIntent(api, '{"amount":5000}'), 'currency');
    const shown = await taken(postIntent(api, '{"amount":5000,"currency":"XOF"}'));
    expect(shown).toMatchObject({
      country: null,
      description: null,
      customer_email: null,
      customer_phone: null,
      metadata: {},
    });
    expect(Date.parse(shown.expires_at) - Date.parse(shown.created_at)).toBe(86_400_000);
  });

  it.each(['[]', '"x"', '5', 'null', 'true'])('must be an object: %s is refused', async (body) => {
    await refused(() => postIntent(api, body));
  });

  it('gets every fault listed at once', async () => {
    const response = await refused(() =>
      postIntent(api, {
        amount: -1,
        country: 'Senegal',
        expires_in: 1,
        metadata: { nested: {} },
        note: 'x',
      }),
    );
    const params: string[] = response.json.error.details.map(
      (fault: { param: string }) => fault.param,
    );
    expect(params.sort()).toEqual([
      'amount',
      'country',
      'currency',
      'expires_in',
      'metadata/nested',
      'note',
    ]);
  });
});

describe('country', () => {
  it.each(['SN', 'CI', 'FR', 'ZZ'])('%s is accepted', async (country) => {
    expect((await taken(send({ country }))).country).toBe(country);
  });

  it.each(['sn', 'S', 'SEN', '', 'S1', 'SN\n', ' SN', 'ÅL', 221, null])(
    '%j is refused',
    async (country) => {
      await refused(() => send({ country }), 'country');
    },
  );
});

describe('description', () => {
  it.each([
    ['of no character', ''],
    ['of one', 'x'],
    ['of 500', 'x'.repeat(500)],
    ['of 500 outside of the basic plane', '😀'.repeat(500)],
    ['with lines and tabs', 'two\nlines\tand \u2028 a separator'],
    ['with markup', '<script>alert("x")</script>&amp;'],
    ['from right to left', '\u0645\u0631\u062d\u0628\u0627 \u202e abc'],
    ['with quotes and backslashes', `"\\'\`\${}--;`],
  ])('%s is stored unchanged', async (_kind, description) => {
    expect((await taken(send({ description }))).description).toBe(description);
  });

  it.each([
    ['of 501 characters', 'x'.repeat(501)],
    ['of 501 outside of the basic plane', '😀'.repeat(501)],
    ['with a NUL', 'a\0b'],
    ['with a lone high surrogate', 'a\ud83d'],
    ['with a lone low surrogate', '\ude00b'],
    ['that is a number', 5],
    ['that is null', null],
    ['that is a list', ['x']],
  ])('%s is refused', async (_kind, description) => {
    await refused(() => send({ description }), 'description');
  });
});

describe('customer_email', () => {
  it.each([
    'a@b.co',
    'awa.diop+shop@example.com',
    "o'hara@example.travel",
    'élodie@exämple.fr',
    'A@EXAMPLE.COM',
    `${'x'.repeat(64)}@example.com`,
    `a@${'x'.repeat(248)}.com`,
  ])('%s is accepted', async (customer_email) => {
    expect((await taken(send({ customer_email }))).customer_email).toBe(customer_email);
  });

  it.each([
    '',
    'a',
    'a@b',
    '@b.co',
    'a@',
    'a@b.',
    'a@.co@x.co',
    'a b@c.co',
    'a@b.co\n',
    'a@b.co, c@d.co',
    `${'x'.repeat(65)}@example.com`,
    `a@${'x'.repeat(249)}.com`,
    'a\0@b.co',
    7,
    null,
  ])('%j is refused', async (customer_email) => {
    await refused(() => send({ customer_email }), 'customer_email');
  });
});

describe('customer_phone', () => {
  it.each(['+221771234567', '+1 (415) 555-2671', '+44 20.7946.0958', '+123456789012345'])(
    '%s is accepted',
    async (customer_phone) => {
      expect((await taken(send({ customer_phone }))).customer_phone).toBe(customer_phone);
    },
  );

  it.each([
    '',
    '+',
    '221771234567',
    '0771234567',
    '+0771234567',
    '+12345',
    '+1234567890123456',
    `+1${' '.repeat(30)}234567`,
    '+22177123456x',
    '+٢٢١٧٧١٢٣٤٥٦٧',
    '+221771234567\n',
    221771234567,
    null,
  ])('%j is refused', async (customer_phone) => {
    await refused(() => send({ customer_phone }), 'customer_phone');
  });

  it.each([
    ['customer_phone', '0771234567', 'an international phone number, such as +221771234567'],
    ['customer_email', 'awa', 'an e-mail address, such as awa@example.com'],
    ['country', 'Senegal', 'a country code of two capital letters, such as SN'],
  ])('of a wrong %s the message says what it must be', async (field, value, must_be) => {
    const { json } = await send({ [field]: value });
    expect(json.error.message).toBe(`${field} must be ${must_be}.`);
  });
});

describe('expires_in', () => {
  const life = ({ created_at, expires_at }: HttpResponse['json']): number =>
    Date.parse(expires_at) - Date.parse(created_at);

  it.each([3, 899, 900, 86_400, 2_592_000])(
    'of %i seconds is accepted in the sandbox',
    async (s) => {
      const response = await send({ expires_in: s });
      expect(response.status).toBe(201);
      expect(life(response.json)).toBe(s * 1000);
    },
  );

  it.each([900, 2_592_000])('of %i seconds is accepted with a live key', async (expires_in) => {
    const response = await postIntent(api, intentBody('5000', { expires_in }), {
      key: api.live_key,
    });
    expect([response.status, life(response.json)]).toEqual([201, expires_in * 1000]);
    expect(response.json.environment).toBe('live');
  });

  it.each([3, 899])('of %i seconds is too short with a live key', async (expires_in) => {
    await refused(
      () =>
        postIntent(api, intentBody('5000', { expires_in }), {
          key: api.live_key,
        }),
      'expires_in',
    );
  });

  it.each([2, 0, -1, 2_592_001, 3.5, 1e21, '900', true, null])('of %j is refused', async (s) => {
    await refused(() => send({ expires_in: s }), 'expires_in');
  });
});

describe('unknown fields', () => {
  it.each([
    ['status', 'succeeded'],
    ['fee', 0],
    ['net_amount', 1],
    ['id', '00000000-0000-4000-8000-000000000000'],
    ['short_code', '1111111111'],
    ['reference', 'TRX-00000000000000000000'],
    ['environment', 'live'],
    ['merchant_id', 'x'],
    ['user_id', 'x'],
    ['gateway', 'stripe'],
    ['checkout_url', 'https://evil.example.com'],
    ['success_url', 'https://evil.example.com'],
    ['created_at', '2026-01-01T00:00:00Z'],
    ['expires_at', '2026-01-01T00:00:00Z'],
    ['idempotency_key', 'k'],
    ['Amount', 5000],
    ['customerEmail', 'a@b.co'],
  ])('such as %s are refused', async (field, value) => {
    await refused(() => send({ [field]: value }), field);
  });

  it('such as __proto__ are refused', async () => {
    await refused(
      () => postIntent(api, '{"amount":1,"currency":"XOF","__proto__":{"status":"paid"}}'),
      '__proto__',
    );
  });
});

describe('the response', () => {
  it('has the specified fields and ours, and nothing internal', async () => {
    const response = await send({ description: 'x' });
    expect(Object.keys(response.json).sort()).toEqual(
      [
        ...['ok', 'id', 'short_code', 'reference', 'amount', 'currency', 'status', 'checkout_url'],
        ...['pay_url', 'environment', 'country', 'description', 'customer_email'],
        ...['customer_phone', 'metadata', 'fee', 'net_amount', 'last_payment_error'],
        ...['transaction_id', 'created_at', 'updated_at', 'expires_at', 'succeeded_at'],
        ...['failed_at', 'expired_at', 'canceled_at', 'return_url', 'cancel_url'],
        ...['amount_received', 'refunded_amount'],
      ].sort(),
    );
    const { id } = response.json;
    const { rows } = await api.database.owner.raw(
      `select i.user_id, i.idempotency_key, i.request_id, i.fingerprint -> 'amount' as hash
         from payment_intents i where i.id = ?`,
      [id],
    );
    const list = await listIntents(api, '?limit=1');
    for (const { text } of [response, await getIntent(api, id), list]) {
      for (const kept of Object.values(rows[0] as Record<string, string>)) {
        expect(text).not.toContain(kept);
      }
      expect(text).not.toContain(api.merchant.username);
      expect(text).not.toMatch(/fingerprint|idempotency|session_number|workflow/);
    }
  });

  it('lists each intent in the same bytes that show it', async () => {
    const response = await send({ metadata: { a: 1 }, country: 'SN' });
    const list = await listIntents(api, '?limit=1');
    expect(list.text).toContain(response.text.replace('{"ok":true,', '{'));
  });

  it('has times with six decimals, in UTC', async () => {
    const { json } = await send({});
    for (const name of ['created_at', 'updated_at', 'expires_at']) {
      expect(json[name]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    }
  });
});
