import { loadConfig } from '../../config/load';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { createTestDatabase, setUp } from '../support/database';
import { type HttpResponse, type RequestOptions, request } from '../support/http';
import { startTestService } from '../support/service';
import { buildAccount, type Account } from './support/accounts';
import { callApi, refusal } from './support/contract';
import { randomUUID } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { buildBusyAccount, finished, itemsOf, orderBatch } from './support/batches';
import { setFees } from '../support/fees';

const database = setUp(createTestDatabase);
const service = setUp(() => startTestService({ database }));
let sender: Account;
let recipient: Account;

beforeAll(async () => {
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
    const path = `/transfers/${reference.toLowerCase()}`;
    const shown = await callApi(service, 'GET', path, { key: recipient.live });
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

  it("deducts the policy's fee from what arrives", async () => {
    await setFees(database.owner, {
      kinds: ['transfer'],
      currency: 'USD',
      percent: 1,
      fixed_minor: 5,
    });
    const { reference } = (await send(bodyOf('10.00', 'USD'))).json;
    const shown = await callApi(service, 'GET', `/transfers/${reference}`, { key: sender.live });
    expect(shown.text).toContain('"amount":10.00,"fee":0.15,"tax":0.00,"total":10.00');
    const list = await callApi(service, 'GET', '/transactions?limit=1', { key: recipient.live });
    expect(list.text).toContain('"amount":10.00,"fee":0.15,"tax":0.00,"net_amount":9.85');
    expect(await balanceOf(database.db, recipient, 'USD')).toBe(985n);
  });
});

describe('amount', () => {
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

describe('the ledger', () => {
  it('holds after all of this', async () => {
    await expectBooksHold(database.db);
  });
});

describe('a transfer with a test key', () => {
  it('is answered like a real one, and says that it was simulated', async () => {
    const tester = await buildAccount(database, { sandbox: { XOF: 1_000_000n } });
    const response = await send(bodyOf('250'), { key: tester.sandbox });
    expect(response).toMatchObject({
      status: 200,
      json: { ok: true, status: 'simulated', simulated: true, environment: 'sandbox' },
    });
    expect(response.text).toContain('"amount":250.00');
  });
});

describe('a description and metadata', () => {
  beforeAll(async () => {
    const funds = { live: { XOF: 1_000_000n }, sandbox: { XOF: 1_000_000n } };
    sender = await buildBusyAccount(database, funds);
    recipient = await buildBusyAccount(database);
  });

  const METADATA = {
    order: 'A-1',
    count: 2,
    paid: true,
    none: null,
    '%1$s"\\': '%2$s\u2028\u0001',
  };

  const DESCRIPTION = 'Loyer "mars" % %1$s \\ \u2028\u0007 😀 é';

  const send = (more: object, { key = sender.live, ...options }: RequestOptions = {}) =>
    callApi(service, 'POST', '/transfers', {
      key,
      ...options,
      body: { to_username: recipient.username, currency: 'XOF', amount: 1, ...more },
    });

  const show = (path: string, key: string) => callApi(service, 'GET', path, { key });

  describe.each(['live', 'sandbox'] as const)('%s', (environment) => {
    it('shows the description to both sides, and the metadata to the sender', async () => {
      const given = { description: DESCRIPTION, metadata: METADATA };
      const sent = await send(given, { key: sender[environment] });
      expect(sent).toMatchObject({ status: 200, json: given });
      const { reference } = sent.json;
      const shown = await show(`/transfers/${reference}`, sender[environment]);
      expect(shown.json).toMatchObject(given);
      const received = await show(`/transfers/${reference}`, recipient[environment]);
      expect(received.json).toMatchObject({ description: DESCRIPTION, metadata: null });
      for (const side of [sender, recipient]) {
        const history = await show(`/transactions?reference=${reference}`, side[environment]);
        expect(history.json.transactions).toMatchObject([{ reference, description: DESCRIPTION }]);
        // None of it is beside the row either.
        expect(history.text).not.toContain('A-1');
      }
      const file = await request(service, 'GET', `/transactions?reference=${reference}`, {
        key: recipient[environment],
        headers: { Accept: 'text/csv' },
      });
      expect(parse(file.text, { columns: true })).toMatchObject([{ description: DESCRIPTION }]);
    });
  });

  it('has neither when none is given, nor with an empty object', async () => {
    for (const given of [{}, { metadata: {} }]) {
      const sent = await send(given);
      expect(sent.json).toMatchObject({ description: null, metadata: {} });
      const shown = await show(`/transfers/${sent.json.reference}`, sender.live);
      expect(shown.json).toMatchObject({ description: null, metadata: {} });
    }
  });

  describe('an idempotency key', () => {
    it('replays the first response with them, byte for byte, whatever the order of the metadata', async () => {
      const options = { idempotency_key: 'described-1' };
      const first = await send({ description: DESCRIPTION, metadata: METADATA }, options);
      const metadata = Object.fromEntries(Object.entries(METADATA).reverse());
      const again = await send({ description: DESCRIPTION, metadata }, options);
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect(again.text).toBe(first.text);
    });

    it.each([
      [{ description: 'x' }, { description: '' }, 'description'],
      [{ metadata: { a: 1 } }, { metadata: { a: '1' } }, 'metadata'],
    ])('is refused when %j becomes %j', async (first, second, param) => {
      const options = { idempotency_key: JSON.stringify([first, second]) };
      expect((await send(first, options)).status).toBe(200);
      expect(await send(second, options)).toMatchObject(refusal('idempotency_key_reuse', param));
    });
  });

  describe('an item of a batch', () => {
    const order = async (transfers: object[]) => {
      const body = {
        transfers: transfers.map((item) => ({
          to_username: recipient.username,
          currency: 'XOF',
          amount: 2,
          ...item,
        })),
      };
      const ordered = await orderBatch(service, body, { key: sender.live });
      expect([ordered.status, ordered.text]).toEqual([202, expect.any(String)]);
      await finished(service, ordered.json.id, sender.live);
      return itemsOf(service, ordered.json.id, sender.live);
    };

    it('has a description of its own, in its transfer and in both histories', async () => {
      const items = await order([{ description: DESCRIPTION }, {}]);
      expect(items).toMatchObject([{ description: DESCRIPTION }, { description: null }]);
      const received = await show(`/transfers/${items[0].reference}`, recipient.live);
      expect(received.json).toMatchObject({ description: DESCRIPTION, metadata: null });
      const history = await show(`/transactions?reference=${items[0].reference}`, recipient.live);
      expect(history.json.transactions).toMatchObject([{ description: DESCRIPTION }]);
    });

    it('shares its key with a single transfer of the same description, and of no other', async () => {
      const options = { idempotency_key: 'item-and-single' };
      const single = await send({ amount: 2, description: 'rent' }, options);
      const item = { idempotency_key: 'item-and-single' };
      expect(await order([{ ...item, description: 'rent' }])).toMatchObject([
        { reference: single.json.reference, replayed: true, status: 'completed' },
      ]);
      expect(await order([item])).toMatchObject([{ error: { code: 'idempotency_key_reuse' } }]);
    });
  });
});

describe('names that nobody has', () => {
  beforeAll(async () => {
    sender = await buildAccount(database, { live: { XOF: 100_000n }, sandbox: { XOF: 100_000n } });
    recipient = await buildAccount(database);
  });

  function send(
    to_username: string,
    key = sender.live,
    idempotency_key = randomUUID(),
  ): Promise<HttpResponse> {
    const body = { to_username, currency: 'XOF', amount: 1 };
    return callApi(service, 'POST', '/transfers', { key, idempotency_key, body });
  }

  describe.each(['live', 'sandbox'] as const)('a %s key', (environment) => {
    it('B4 gets 429 with Retry-After for the 31st name that nobody has, and still what it had before', async () => {
      const key = sender[environment];
      const first_key = randomUUID();
      const first = await send('nobody-0', key, first_key);
      expect(first).toMatchObject(refusal('recipient_not_found'));
      for (let i = 1; i < 30; i += 1) {
        expect(await send(`nobody-${i}`, key)).toMatchObject(refusal('recipient_not_found'));
      }
      const idempotency_key = randomUUID();
      for (let i = 0; i < 2; i += 1) {
        const refused = await send('nobody-30', key, idempotency_key);
        expect(refused).toMatchObject(refusal('rate_limited', 'to_username'));
        const seconds = Number(refused.headers['retry-after']);
        expect(seconds).toBeGreaterThan(0);
        expect(seconds).toBeLessThanOrEqual(3_600);
        expect(refused.headers['idempotent-replayed']).toBeUndefined();
      }
      const again = await send('nobody-0', key, first_key);
      expect([again.status, again.text]).toEqual([404, first.text]);
      expect(await send('nobody-1', key)).toMatchObject(refusal('recipient_not_found'));
      const stranger = await send(recipient.username, key);
      if (environment === 'live') expect(stranger.status).toBe(200);
      else expect(stranger).toMatchObject(refusal('rate_limited', 'to_username'));
    });
  });
});
