import { loadConfig } from '../../config/load';
import { verifyLedger } from '../../db/verify';
import type { Currency } from '../../domain/currency';
import { balanceOf } from '../support/balances';
import { createTestDatabase, type TestDatabase } from '../support/database';
import type { HttpResponse, RequestOptions } from '../support/http';
import { buildUser, fund } from '../support/users';
import { startTestService, type TestService } from '../support/service';
import { buildAccount, type Account } from './support/accounts';
import { callApi, refusal } from './support/contract';

let database: TestDatabase;
let service: TestService;
let sender: Account;
let recipient: Account;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  sender = await buildAccount(database, {
    live: { XOF: 5_000_000_000n, EUR: 50_000_000n, USD: 50_000_000n },
  });
  recipient = await buildAccount(database);
});

/** The amount is its source text in the body. */
function bodyOf(amount: string, currency = 'XOF', to_username = recipient.username): string {
  return `{"to_username":${JSON.stringify(to_username)},"currency":"${currency}","amount":${amount}}`;
}

function send(body: unknown, options: RequestOptions = {}, to = service): Promise<HttpResponse> {
  return callApi(to, 'POST', '/transfers', { key: sender.live, body, ...options });
}

describe('POST /transfers', () => {
  it('§4 moves the money and answers ok with a reference', async () => {
    const before = await balanceOf(database.db, sender);
    const response = await send(bodyOf('5000'));
    expect(response.status).toBe(200);
    expect(response.json).toMatchObject({
      ok: true,
      status: 'completed',
      environment: 'live',
      to_username: recipient.username,
      currency: 'XOF',
      simulated: false,
    });
    expect(response.json.reference).toMatch(/^TRF-[0-9A-HJKMNP-TV-Z]{20}$/);
    expect(response.text).toContain('"amount":5000.00');
    expect(await balanceOf(database.db, sender)).toBe(before - 500_000n);
    const wallets = await callApi(service, 'GET', '/wallets', { key: recipient.live });
    expect(wallets.text).toContain('"currency":"XOF","balance":5000.00');
  });

  it('is readable by its reference and in the history of both sides', async () => {
    const { reference } = (await send(bodyOf('12.34', 'EUR'))).json;
    const shown = await callApi(service, 'GET', `/transfers/${reference}`, { key: recipient.live });
    expect(shown.json).toMatchObject({
      direction: 'in',
      from_username: sender.username,
      to_username: recipient.username,
      amount: 12.34,
      fee: 0,
      net_amount: 12.34,
      status: 'completed',
    });
    for (const [key, type] of [
      [sender.live, 'transfer_out'],
      [recipient.live, 'transfer_in'],
    ] as const) {
      const list = await callApi(service, 'GET', '/transactions?limit=1', { key });
      expect(list.json.transactions[0]).toMatchObject({ type, reference, amount: 12.34 });
    }
  });

  it('§7 insufficient_funds: answers 402 and moves nothing', async () => {
    const poor = await buildAccount(database, { live: { XOF: 99_900n } });
    const response = await send(bodyOf('1000'), { key: poor.live });
    expect(response).toMatchObject(refusal('insufficient_funds', 'amount'));
    expect(await balanceOf(database.db, poor)).toBe(99_900n);
    expect((await send(bodyOf('999'), { key: poor.live })).status).toBe(200);
    expect(await balanceOf(database.db, poor)).toBe(0n);
  });

  it('§7 recipient_not_found: answers 404', async () => {
    const response = await send(bodyOf('1', 'XOF', 'nobody-of-this-name'));
    expect(response).toMatchObject(refusal('recipient_not_found', 'to_username'));
  });

  it('says that the recipient is unknown before it checks the funds', async () => {
    const poor = await buildAccount(database);
    const response = await send(bodyOf('1', 'XOF', 'nobody-of-this-name'), { key: poor.live });
    expect(response).toMatchObject(refusal('recipient_not_found'));
  });

  it.each(['', ' in capitals'])('refuses a transfer to oneself%s', async (capitals) => {
    const name = capitals ? sender.username.toUpperCase() : sender.username;
    expect(await send(bodyOf('1', 'XOF', name))).toMatchObject(
      refusal('invalid_request', 'to_username'),
    );
  });

  it("accepts capitals in the recipient's name", async () => {
    const response = await send(bodyOf('1', 'XOF', recipient.username.toUpperCase()));
    expect(response).toMatchObject({ status: 200, json: { to_username: recipient.username } });
  });

  it("refuses an amount that the recipient's wallet cannot hold", async () => {
    const full = await buildUser(database.db);
    await fund(database.db, full.id, 'live', 'EUR', 999_999_999_999_990n);
    const options = { idempotency_key: 'to-a-full-wallet' };
    expect(await send(bodyOf('0.10', 'EUR', full.username), options)).toMatchObject(
      refusal('invalid_request', 'amount'),
    );
    // Nothing was stored for the key: a request with the same key may have an amount that fits.
    const fits = await send(bodyOf('0.09', 'EUR', full.username), options);
    expect(fits.status).toBe(200);
    expect(fits.headers['idempotent-replayed']).toBeUndefined();
  });

  it("deducts the policy's fee from what arrives", async () => {
    await database.owner.raw(
      `update fee_policies set basis_points = 100, fixed_minor = 5
        where kind = 'transfer' and currency = 'USD'`,
    );
    const { reference } = (await send(bodyOf('10.00', 'USD'))).json;
    const shown = await callApi(service, 'GET', `/transfers/${reference}`, { key: sender.live });
    expect(shown.text).toContain('"amount":10.00,"fee":0.15,"net_amount":9.85');
    const list = await callApi(service, 'GET', '/transactions?limit=1', { key: recipient.live });
    expect(list.text).toContain('"amount":10.00,"fee":0.15,"net_amount":9.85');
    expect(await balanceOf(database.db, recipient, 'USD')).toBe(985n);
  });
});

describe('amount', () => {
  it.each<[Currency, string, string]>([
    ['XOF', '1', '1.00'],
    ['XOF', '1.0', '1.00'],
    ['XOF', '1.00', '1.00'],
    ['XOF', '10000000', '10000000.00'],
    ['XOF', '10000000.00', '10000000.00'],
    ['EUR', '0.01', '0.01'],
    ['EUR', '0.1', '0.10'],
    ['EUR', '0.29', '0.29'],
    ['EUR', '19.99', '19.99'],
    ['EUR', '100000', '100000.00'],
    ['USD', '0.01', '0.01'],
    ['USD', '1.15', '1.15'],
    ['USD', '100000.00', '100000.00'],
  ])('of %s %s is transferred exactly', async (currency, amount, shown) => {
    const before = await balanceOf(database.db, sender, currency);
    const response = await send(bodyOf(amount, currency));
    expect(response.status).toBe(200);
    expect(response.text).toContain(`"amount":${shown},`);
    const moved = before - (await balanceOf(database.db, sender, currency));
    expect(moved).toBe(BigInt(shown.replace('.', '')));
  });

  it.each<[Currency, string]>([
    ['XOF', '0'],
    ['XOF', '0.01'],
    ['XOF', '0.5'],
    ['XOF', '5000.50'],
    ['XOF', '10000000.01'],
    ['XOF', '10000001'],
    ['EUR', '0'],
    ['EUR', '0.00'],
    ['EUR', '0.001'],
    ['EUR', '0.009'],
    ['EUR', '1.000'],
    ['EUR', '100000.01'],
    ['USD', '100000.01'],
    ['USD', '9999999999999.99'],
    ['USD', '99999999999999.99'],
  ])('of %s %s is refused', async (currency, amount) => {
    const before = await balanceOf(database.db, sender, currency);
    const response = await send(bodyOf(amount, currency));
    expect(response).toMatchObject(refusal('invalid_request', 'amount'));
    expect(await balanceOf(database.db, sender, currency)).toBe(before);
  });

  it('has the configured maxima', async () => {
    const { max_transfer } = loadConfig({
      MAX_TRANSFER_XOF: '7',
      MAX_TRANSFER_EUR: '0.50',
      MAX_TRANSFER_USD: '200000',
    });
    const strict = await startTestService({ database, overrides: { max_transfer } });
    expect((await send(bodyOf('7'), {}, strict)).status).toBe(200);
    expect((await send(bodyOf('0.50', 'EUR'), {}, strict)).status).toBe(200);
    expect((await send(bodyOf('150000', 'USD'), {}, strict)).status).toBe(200);
    for (const body of [bodyOf('8'), bodyOf('0.51', 'EUR'), bodyOf('200000.01', 'USD')]) {
      expect(await send(body, {}, strict)).toMatchObject(refusal('invalid_request', 'amount'));
    }
  });
});

describe('the other fields', () => {
  it.each([1, 2, 3, 32, 33, 64])('to_username may be %i characters long', async (length) => {
    const response = await send(bodyOf('1', 'XOF', 'x'.repeat(length)));
    expect(response).toMatchObject(refusal('recipient_not_found'));
  });

  it.each([
    ['of no character', ''],
    ['of 65 characters', 'x'.repeat(65)],
    ['of 65 characters outside of ASCII', 'é'.repeat(65)],
  ])('to_username %s is refused', async (_length, name) => {
    expect(await send(bodyOf('1', 'XOF', name))).toMatchObject(
      refusal('invalid_request', 'to_username'),
    );
  });

  it.each(['ａｄｍｉｎ', "x' or '1'='1", 'x%', '../x', 'x\u202ey', '😀', 'İ'])(
    'to_username %j is an unknown recipient',
    async (name) => {
      expect(await send(bodyOf('1', 'XOF', name))).toMatchObject(refusal('recipient_not_found'));
    },
  );

  it.each(['xof', 'GBP', '', 'XOF ', 'EURO', '978'])('currency %j is refused', async (currency) => {
    expect(await send(bodyOf('1', currency))).toMatchObject(refusal('invalid_request', 'currency'));
  });

  it.each(['to_username', 'currency', 'amount'])('%s is required', async (field) => {
    const { [field]: _, ...body } = JSON.parse(bodyOf('1')) as Record<string, unknown>;
    expect(await send(body)).toMatchObject(refusal('invalid_request', field));
  });

  it('lists every fault at once', async () => {
    const response = await send({ currency: 'GBP', amount: -1, note: 'x' });
    const params = response.json.error.details.map(({ param }: { param: string }) => param);
    expect(params.sort()).toEqual(['amount', 'currency', 'note', 'to_username']);
  });
});

describe('an overdraft race', () => {
  it.each(['live', 'sandbox'] as const)(
    'in %s of 50 transfers over a balance for ten has its exact outcome',
    async (environment) => {
      const racer = await buildAccount(database, { [environment]: { EUR: 1_000n } });
      const responses = await Promise.all(
        Array.from({ length: 50 }, () => send(bodyOf('1.00', 'EUR'), { key: racer[environment] })),
      );
      const count = (status: number) =>
        responses.filter((response) => response.status === status).length;
      // Simulated transfers never use the balance up.
      const expected =
        environment === 'live' ? { paid: 10, refused: 40 } : { paid: 50, refused: 0 };
      expect({ paid: count(200), refused: count(402) }).toEqual(expected);
      const left = await balanceOf(database.db, racer, 'EUR', environment);
      expect(left).toBe(environment === 'live' ? 0n : 1_000n);
      const references = responses.flatMap(({ json }) => json.reference ?? []);
      expect(new Set(references).size).toBe(expected.paid);
    },
  );

  it('between two users who pay each other preserves their total', async () => {
    const [one, two] = [
      await buildAccount(database, { live: { USD: 10_000n } }),
      await buildAccount(database, { live: { USD: 10_000n } }),
    ];
    await database.owner.raw(`update fee_policies set basis_points = 0, fixed_minor = 0`);
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const [from, to] = index % 2 ? [one, two] : [two, one];
        return send(bodyOf('2.50', 'USD', to.username), { key: from.live });
      }),
    );
    expect(responses.every(({ status }) => status === 200)).toBe(true);
    expect(await balanceOf(database.db, one, 'USD')).toBe(10_000n);
    expect(await balanceOf(database.db, two, 'USD')).toBe(10_000n);
  });
});

describe('the ledger', () => {
  it('holds after all of this', async () => {
    expect(await verifyLedger(database.db)).toEqual([]);
  });
});
