// §1: with a test key, transfers are simulated and move no funds.

import { randomUUID } from 'node:crypto';
import { verifyLedger } from '../../db/verify';
import { createTestDatabase, type TestDatabase } from '../support/database';
import type { HttpResponse } from '../support/http';
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
  const funds = { XOF: 1_000_000n, EUR: 5_000n };
  sender = await buildAccount(database, { live: funds, sandbox: funds });
  recipient = await buildAccount(database, { sandbox: { XOF: 70_000n } });
});

function simulate(
  fields: object = {},
  idempotency_key: string = randomUUID(),
): Promise<HttpResponse> {
  const body = { to_username: recipient.username, currency: 'XOF', amount: 250, ...fields };
  return callApi(service, 'POST', '/transfers', { key: sender.sandbox, body, idempotency_key });
}

async function walletsOf(account: Account): Promise<string[]> {
  const responses = await Promise.all(
    [account.live, account.sandbox].map((key) => callApi(service, 'GET', '/wallets', { key })),
  );
  return responses.map(({ text }) => text);
}

async function countLedger(): Promise<unknown> {
  const { rows } = await database.owner.raw(
    `select (select count(*) from ledger_transactions) as journal,
            (select count(*) from ledger_entries) as entries,
            (select sum(version) from ledger_accounts) as versions`,
  );
  return rows[0];
}

describe('a transfer with a test key', () => {
  it('is answered like a real one, and says that it was simulated', async () => {
    const response = await simulate();
    expect(response).toMatchObject({
      status: 200,
      json: { ok: true, status: 'simulated', simulated: true, environment: 'sandbox' },
    });
    expect(response.text).toContain('"amount":250.00');
  });

  it('leaves every wallet and the ledger byte for byte as they were', async () => {
    const wallets = [await walletsOf(sender), await walletsOf(recipient)];
    const ledger = await countLedger();
    for (let i = 0; i < 3; i += 1) expect((await simulate()).status).toBe(200);
    expect([await walletsOf(sender), await walletsOf(recipient)]).toEqual(wallets);
    expect(await countLedger()).toEqual(ledger);
    expect(await verifyLedger(database.db)).toEqual([]);
  });

  it('appears in the history of both sides with the balance after it unchanged', async () => {
    const { reference } = (await simulate()).json;
    for (const [account, direction, balance] of [
      [sender, 'out', '10000.00'],
      [recipient, 'in', '700.00'],
    ] as const) {
      const list = await callApi(service, 'GET', '/transactions?limit=1', { key: account.sandbox });
      expect(list.json.transactions[0]).toMatchObject({
        reference,
        direction,
        type: `transfer_${direction}`,
        status: 'simulated',
        amount: 250,
      });
      expect(list.text).toContain(`"balance_after":${balance}`);
      const shown = await callApi(service, 'GET', `/transfers/${reference}`, {
        key: account.sandbox,
      });
      expect(shown.json).toMatchObject({ direction, simulated: true, status: 'simulated' });
    }
  });

  it('never uses up the balance, however often all of it is sent', async () => {
    for (let i = 0; i < 5; i += 1) {
      expect((await simulate({ currency: 'EUR', amount: 50 })).status).toBe(200);
    }
  });

  it('is refused like a real one', async () => {
    expect(await simulate({ currency: 'EUR', amount: 50.01 })).toMatchObject(
      refusal('insufficient_funds'),
    );
    expect(await simulate({ to_username: 'nobody-at-all' })).toMatchObject(
      refusal('recipient_not_found'),
    );
    expect(await simulate({ to_username: sender.username })).toMatchObject(
      refusal('invalid_request', 'to_username'),
    );
    expect(await simulate({ amount: 0.5 })).toMatchObject(refusal('invalid_request', 'amount'));
  });

  it('looks at the sandbox wallet only: live money does not help', async () => {
    const rich = await buildAccount(database, { live: { USD: 1_000_000n } });
    const body = { to_username: recipient.username, currency: 'USD', amount: 1 };
    const response = await callApi(service, 'POST', '/transfers', { key: rich.sandbox, body });
    expect(response).toMatchObject(refusal('insufficient_funds'));
  });

  it('is replayed by its key like a real one', async () => {
    const key = randomUUID();
    const first = await simulate({}, key);
    const again = await simulate({}, key);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await simulate({ amount: 251 }, key)).toMatchObject(
      refusal('idempotency_key_reuse', 'amount'),
    );
    const list = await callApi(service, 'GET', '/transactions?limit=100', { key: sender.sandbox });
    const shown = list.json.transactions.filter(
      (row: { reference: string }) => row.reference === first.json.reference,
    );
    expect(shown).toHaveLength(1);
  });
});
