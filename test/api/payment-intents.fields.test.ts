// POST /payment-intents: which fields it accepts and refuses, and its responses.

import { loadConfig } from '../../config/load';
import type { Currency } from '../../domain/currency';
import { setUp } from '../support/database';
import { expectBooksHold } from '../support/books';
import type { HttpResponse } from '../support/http';
import { startTestApi } from '../support/api';
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

const api = setUp(startTestApi);

afterEach(() => expectBooksHold(api.database.db));

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
    ['XOF', '10000000', '10000000.00'],
    ['XOF', '10000000.00', '10000000.00'],
    ['EUR', '0.1', '0.10'],
    ['EUR', '0.29', '0.29'],
    ['EUR', '100000', '100000.00'],
    ['USD', '100000.00', '100000.00'],
  ])('of %s %s is stored exactly', async (currency, amount, shown) => {
    const response = await postIntent(api, intentBody(amount, { currency }));
    expect(response.text).toContain(`"amount":${shown},"currency":"${currency}"`);
    expect(response.text).toContain(`"fee":0.00,"tax":0.00,"net_amount":${shown},`);
    await taken(Promise.resolve(response));
    const { rows } = await api.database.owner.raw(
      'select amount_minor from payment_intents where id = ?',
      [response.json.id],
    );
    expect(String(rows[0].amount_minor)).toBe(String(BigInt(shown.replace('.', ''))));
    // The gateway got the same amount.
    const [session] = readCheckouts(api).filter((one) => one.intent_id === response.json.id);
    expect(session?.amount_minor).toBe(String(BigInt(shown.replace('.', ''))));
  });

  // Each spelling of a number: test/domain/money.test.ts.
  it.each<[Currency, string]>([
    ['XOF', '5000.50'],
    ['XOF', '10000000.01'],
    ['EUR', '0.001'],
    ['EUR', '1e3'],
    ['USD', '100000.01'],
    ['USD', `1${'0'.repeat(80)}`],
  ])('of %s %s is refused', async (currency, amount) => {
    await refused(() => postIntent(api, intentBody(amount, { currency })), 'amount');
  });

  it('has the maximum that is configured for payments, not for transfers', async () => {
    const { max_payment } = loadConfig({
      MAX_PAYMENT_XOF: '7',
      MAX_PAYMENT_EUR: '0.50',
      MAX_PAYMENT_USD: '200000',
      MAX_TRANSFER_XOF: '3',
    });
    const at = { service: await api.beside({ max_payment }), test_key: api.test_key };
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

describe('the body', () => {
  it('requires amount and currency, and nothing else', async () => {
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

describe('description', () => {
  it.each([
    ['of 500 outside of the basic plane', '😀'.repeat(500)],
    ['with lines and tabs', 'two\nlines\tand \u2028 a separator'],
    ['with markup', '<script>alert("x")</script>&amp;'],
  ])('%s is stored unchanged', async (_kind, description) => {
    expect((await taken(send({ description }))).description).toBe(description);
  });
});

// The rules for addresses: test/domain/email.test.ts.
describe('customer_email', () => {
  it.each([
    ['awa.diop+shop@example.com', 'awa.diop+shop@example.com'],
    [' E\u0301lodie@EXÄMPLE.fr', 'élodie@xn--exmple-cua.fr'],
  ])('%j is stored as %j, and found by either', async (customer_email, stored) => {
    const { id, customer_email: shown } = await taken(send({ customer_email }));
    expect(shown).toBe(stored);
    for (const spelling of [customer_email, stored]) {
      // A + in an address is a plus, so that a blank is %20.
      const { json } = await listIntents(api, `?customer_email=${encodeURIComponent(spelling)}`);
      expect(json.payment_intents.map((one: { id: string }) => one.id)).toEqual([id]);
    }
  });
});

describe('customer_phone', () => {
  it('that was pasted is stored without what nobody sees', async () => {
    const customer_phone = '\u202a+221\u00a077\u202f123\u201145\u201167\u202c';
    const { customer_phone: shown } = await taken(send({ customer_phone }));
    expect(shown).toBe('+221 77 123-45-67');
  });

  it('of which a spreadsheet has made a decimal is refused', async () => {
    const response = await refused(
      () => send({ customer_phone: '+221771234567.0' }),
      'customer_phone',
    );
    expect(response.json.error.message).toContain('a spreadsheet has made a decimal of it');
  });
});

describe('expires_in', () => {
  it.each([3, 899])('of %i seconds is too short with a live key', async (expires_in) => {
    const body = intentBody('5000', { expires_in });
    await refused(() => postIntent(api, body, { key: api.live_key }), 'expires_in');
  });
});

describe('the response', () => {
  it('has the specified fields and ours, and nothing internal', async () => {
    const response = await send({ description: 'x' });
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
});

describe('what is attached', () => {
  describe('metadata', () => {
    const keys = (count: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`key_${index}`, 'v']));

    it.each<[string, Record<string, unknown>]>([
      ['of 50 keys', keys(50)],
      ['with a key of 40 outside of the basic plane', { ['😀'.repeat(40)]: 'v' }],
      ['with a value of 500 characters', { k: 'v'.repeat(500) }],
      ['with every kind of value', { text: 'x', number: 1.5, yes: true, no: false, nothing: null }],
      ['with what Object has', { toString: 't', hasOwnProperty: 'h', valueOf: 'v' }],
      ['with signs of JSON pointers', { 'a/b': 1, 'a~b': 2, '~1': 3, '/': 4 }],
      ['with quotes, controls and separators', { 'a"b': '\\', '\n': '\t', '\u2028': '\u0001' }],
    ])('%s comes back unchanged', async (_kind, metadata) => {
      expect((await taken(send({ metadata }))).metadata).toEqual(metadata);
    });

    it.each([
      ['fifteen digits', '123456789012345', 123456789012345],
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
      ['sixteen decimals', '0.123456789012345'],
      ['an exponent', '1e3'],
    ])('refuses a number of %s, which would come back changed', async (_kind, text) => {
      const body = `{"amount":1,"currency":"XOF","metadata":{"n":${text}}}`;
      await refused(() => postIntent(api, body), 'metadata/n');
    });
  });
});
