// GET /transactions: its filters, and the same rows as a file.

import { connect, type Socket } from 'node:net';
import { parse } from 'csv-parse/sync';
import { Client } from 'pg';
import { buildLongHistory } from '../dashboard/history';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { closeAfterFile } from '../support/cleanup';
import { request } from '../support/http';
import { postOne } from '../support/postings';
import { startTestService, type TestService } from '../support/service';
import { credit } from '../support/users';
import { waitFor } from '../support/wait';
import { buildAccount, type Account } from './support/accounts';
import { callApi, refusal } from './support/contract';

let database: TestDatabase;
let service: TestService;
let merchant: Account;
let customer: Account;
let sent: string;

interface Row {
  readonly id: string;
  readonly reference: string;
  readonly created_at: string;
}

/** Counts, by user, the rows that files have asked the database for. */
const rowsRead = new Map<string, number>();

// oxlint-disable-next-line typescript/unbound-method -- called with its own `this` below
const query = Client.prototype.query as (this: Client, ...args: unknown[]) => unknown;

afterAll(() => {
  Client.prototype.query = query as typeof Client.prototype.query;
});

beforeAll(async () => {
  Client.prototype.query = function (this: Client, ...args: unknown[]) {
    const [given] = args as [{ readonly name?: string; readonly values?: unknown[] }];
    if (given.name === 'list_history') {
      const [user_id, , , , limit] = given.values as [string, string, string, string, number];
      rowsRead.set(user_id, (rowsRead.get(user_id) ?? 0) + limit);
    }
    return query.apply(this, args);
  } as typeof Client.prototype.query;
  database = await createTestDatabase();
  service = await startTestService({ database });
  merchant = await buildAccount(database, { live: { XOF: 500_000n, EUR: 10_000n } });
  customer = await buildAccount(database, { live: { EUR: 10_000n } });
  const { reference } = await postOne(database.db, {
    from: merchant,
    to: customer,
    amount: 120_000n,
  });
  sent = reference!;
  for (let n = 0; n < 5; n += 1) {
    await postOne(database.db, { from: customer, to: merchant, amount: 990n, currency: 'EUR' });
  }
});

const list = (query: string) =>
  callApi(service, 'GET', `/transactions?${query}`, { key: merchant.live });
const rowsOf = async (query: string): Promise<Row[]> => (await list(query)).json.transactions;
const fileOf = async (query: string, key = merchant.live): Promise<Record<string, string>[]> => {
  const file = await request(service, 'GET', `/transactions?${query}`, {
    key,
    headers: { Accept: 'text/csv' },
  });
  expect([file.status, file.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
  return parse(file.text, { columns: true });
};

describe('a filter', () => {
  it.each([
    ['currency=XOF', 2],
    ['currency=USD', 0],
    ['status=completed', 8],
    ['status=simulated', 0],
    ['status=pending', 0],
    ['direction=out', 1],
    ['direction=in&currency=EUR', 6],
    ['type=transfer&direction=in', 5],
    ['type=transfer_in&direction=out', 0],
    ['created_from=2020-01-01', 8],
    ['created_from=9999-01-01', 0],
    ['created_to=2020-01-01', 0],
    ['created_to=9999-01-01&currency=EUR&status=completed&type=adjustment', 1],
  ])('%s finds %i rows, in the file too', async (query, count) => {
    expect(await rowsOf(query)).toHaveLength(count);
    expect(await fileOf(query)).toHaveLength(count);
  });

  it('reference finds the rows of a transfer and of no other user, with the other filters', async () => {
    expect((await rowsOf(`reference=${sent}`)).map(({ reference }) => reference)).toEqual([sent]);
    expect(await rowsOf(`reference=${sent.toLowerCase()}`)).toHaveLength(1);
    expect(await fileOf(`reference=${sent}`)).toMatchObject([{ reference: sent }]);
    expect(await rowsOf(`reference=${sent}&currency=EUR`)).toEqual([]);
    expect(await rowsOf(`reference=${sent}&created_to=2020-01-01`)).toEqual([]);
    expect(await rowsOf(`reference=TRF-${'0'.repeat(20)}`)).toEqual([]);
    const others = await buildAccount(database, { live: { XOF: 1_000n } });
    const { reference } = await postOne(database.db, {
      from: others,
      to: customer,
      amount: 100n,
    });
    expect(await rowsOf(`reference=${reference}`)).toEqual([]);
  });

  it('created_from includes its instant, created_to does not', async () => {
    const rows = await rowsOf('');
    const [newer, older] = [rows[2]!, rows[4]!];
    const period = `created_from=${older.created_at}&created_to=${newer.created_at}`;
    const expected = rows.slice(3, 5).map(({ id }) => id);
    expect((await rowsOf(period)).map(({ id }) => id)).toEqual(expected);
    expect((await rowsOf(`${period}&currency=EUR`)).map(({ id }) => id)).toEqual(expected);
    expect((await fileOf(period)).map(({ id }) => id)).toEqual(expected);
    // The earlier of the cursor and the end counts.
    const cursor = `cursor=${rows[3]!.created_at}`;
    expect((await rowsOf(`${period}&${cursor}`)).map(({ id }) => id)).toEqual([older.id]);
    expect(await rowsOf(`cursor=${newer.created_at}&created_to=${older.created_at}`)).toEqual(
      await rowsOf(`cursor=${older.created_at}`),
    );
  });

  it('that is refused is refused for a file, too', async () => {
    const headers = { Accept: 'text/csv' };
    const path = '/transactions?currency=eur';
    const file = await request(service, 'GET', path, { key: merchant.live, headers });
    expect(file).toMatchObject(refusal('invalid_request', 'currency'));
  });
});

describe('the file', () => {
  it('has the rows and names of the JSON, and no cell that a spreadsheet would run', async () => {
    const reasons = ['=1+1', '+1', '-1', '@SUM(A1)', ' =1', '\t=1', 'a "quoted", word\nand more'];
    for (const [n, reason] of reasons.entries()) {
      await credit(database.db, {
        reference: `ADJ-FILTER-${n}`,
        user_id: customer.id,
        environment: 'sandbox',
        currency: 'EUR',
        source: 'sandbox_source',
        amount_minor: 5n,
        reason,
      });
    }
    const { json } = await callApi(service, 'GET', '/transactions', { key: customer.sandbox });
    const shown = json.transactions as Record<string, unknown>[];
    const rows = await fileOf('', customer.sandbox);
    expect(rows).toEqual(
      shown.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => {
            if (typeof value === 'number') return [name, value.toFixed(2)];
            const text = (value ?? '') as string;
            if (text === '\t=1') return [name, "'\t'=1"];
            return [name, reasons.indexOf(text) < 6 && reasons.includes(text) ? `'${text}` : text];
          }),
        ),
      ),
    );
    expect(Object.keys(rows[0]!)).toEqual(Object.keys(shown[0]!));
  });

  it('is for those who ask for it: JSON for everybody else', async () => {
    for (const accept of ['*/*', 'application/json', 'application/json, text/csv']) {
      const { headers } = await request(service, 'GET', '/transactions', {
        key: merchant.live,
        headers: { Accept: accept },
      });
      expect([accept, headers['content-type']]).toEqual([
        accept,
        'application/json; charset=utf-8',
      ]);
    }
  });
});

describe('a long file', () => {
  // A file of some 13 MB: more than the buffers of a connection hold.
  const ROWS = 20_000;

  const buildRich = async (): Promise<Account> => {
    const rich = await buildAccount(database);
    await buildLongHistory(database, { user: rich, rows: ROWS, days: 300 });
    await database.owner.transaction(async (tx) => {
      await tx.raw('set local statement_timeout = 0');
      await tx.raw(`update transactions set description = repeat('x', 500) where user_id = ?`, [
        rich.id,
      ]);
    });
    return rich;
  };

  /** Asks for a file, reads its status and nothing more. A busy machine is asked again. */
  const openSlowly = ({ live }: Account): Promise<Socket> =>
    waitFor(async () => {
      const { host, port } = service.config;
      const socket = connect(port, host);
      closeAfterFile(() => void socket.destroy());
      const path = `${new URL(service.base_url).pathname}/transactions`;
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${live}\r\nAccept: text/csv\r\n\r\n`,
      );
      const head = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
      socket.pause();
      if (head.toString().startsWith('HTTP/1.1 503 ')) return false;
      expect(head.toString().slice(0, 15)).toBe('HTTP/1.1 200 OK');
      return socket;
    });

  it('two files of an account at a time; one that is broken off makes room', async () => {
    const rich = await buildRich();
    const [first] = [await openSlowly(rich), await openSlowly(rich)];
    const options = { key: rich.live, headers: { Accept: 'text/csv' } };
    const third = await request(service, 'GET', '/transactions', options);
    expect(third).toMatchObject(refusal('rate_limited'));
    expect(third.headers['retry-after']).toBe('1');
    first.destroy();
    const again = await waitFor(async () => {
      const next = await request(service, 'GET', '/transactions?direction=out', options);
      return next.status === 200 && next;
    });
    expect(parse(again.text, { columns: true })).toEqual([]);
  });

  // More files than the pool has connections.
  it('that nobody reads holds up no other caller, and is not read ahead', async () => {
    const slow: Account[] = [];
    for (let n = 0; n < 6; n += 1) slow.push(await buildRich());
    const sockets = await Promise.all(slow.flatMap((one) => [openSlowly(one), openSlowly(one)]));
    expect(sockets).toHaveLength(12);
    const swift = await buildRich();
    expect(await fileOf('', swift.live)).toHaveLength(ROWS);
    expect(await rowsOf('currency=EUR')).toHaveLength(6);
    const transfer = await callApi(service, 'POST', '/transfers', {
      key: customer.live,
      body: { to_username: merchant.username, currency: 'EUR', amount: 1 },
    });
    expect(transfer.status).toBe(200);
    // The sockets' buffers hold this, and no more is read.
    const read_ahead = slow.map(({ id }) => rowsRead.get(id)!);
    expect(Math.max(...read_ahead)).toBeLessThan(ROWS);
    expect(rowsRead.get(swift.id)).toBeGreaterThanOrEqual(ROWS);
  });
});
