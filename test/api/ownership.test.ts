// Who may see what: two merchants, each in two environments, and everything that each owns.

import { randomUUID } from 'node:crypto';
import { ENVIRONMENTS, type Environment } from '../../domain/environment';
import { makeTransferReference } from '../../secrets/random';
import { createTestDatabase, type TestDatabase } from '../support/database';
import type { HttpResponse } from '../support/http';
import { startTestService, type TestService } from '../support/service';
import { buildAccount, type Account } from './support/accounts';
import { callApi, refusal } from './support/contract';

let database: TestDatabase;
let service: TestService;
let keys: Record<string, string>;
let owned: Record<string, { references: string[]; transactions: string[] }>;
let stranger: Account;

const FUNDS = { XOF: 100_000n, EUR: 100_000n };
const NAMES = ['first', 'second'] as const;
const VIEWS = NAMES.flatMap((name) => ENVIRONMENTS.map((environment) => `${name} ${environment}`));

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  stranger = await buildAccount(database, { live: FUNDS, sandbox: FUNDS });
  keys = {};
  owned = {};
  for (const name of NAMES) {
    const merchant = await buildAccount(database, { live: FUNDS, sandbox: FUNDS });
    for (const environment of ENVIRONMENTS) {
      const key = merchant[environment];
      const references = [await send(key, stranger), await send(stranger[environment], merchant)];
      const { json } = await callApi(service, 'GET', '/transactions', { key });
      keys[`${name} ${environment}`] = key;
      owned[`${name} ${environment}`] = {
        references,
        transactions: json.transactions.map(({ id }: { id: string }) => id),
      };
    }
  }
});

async function send(key: string, to: Account): Promise<string> {
  const body = { to_username: to.username, currency: 'XOF', amount: 1 };
  const response = await callApi(service, 'POST', '/transfers', { key, body });
  expect(response.status).toBe(200);
  return response.json.reference;
}

const get = (view: string, path: string): Promise<HttpResponse> =>
  callApi(service, 'GET', path, { key: keys[view]!, headers: { 'x-request-id': 'same' } });

function essence({ status, text, headers }: HttpResponse) {
  const names = Object.keys(headers).sort();
  return { status, text, names };
}

const strangers = VIEWS.flatMap((viewer) =>
  VIEWS.filter((owner) => owner !== viewer).map((owner) => [viewer, owner] as const),
);

describe('GET /transactions/{id}', () => {
  it.each(VIEWS)('shows the %s account everything it owns', async (view) => {
    expect(owned[view]!.transactions.length).toBeGreaterThanOrEqual(4);
    for (const id of owned[view]!.transactions) {
      expect((await get(view, `/transactions/${id}`)).json.id).toBe(id);
    }
  });

  it.each(strangers)('shows %s nothing that belongs to %s', async (viewer, owner) => {
    const random = essence(await get(viewer, `/transactions/${randomUUID()}`));
    expect(JSON.parse(random.text)).toMatchObject({ error: { code: 'transaction_not_found' } });
    for (const id of owned[owner]!.transactions) {
      expect(essence(await get(viewer, `/transactions/${id}`))).toEqual(random);
    }
    expect(essence(await get(viewer, '/transactions/not-an-id'))).toEqual(random);
  });
});

describe('GET /transfers/{reference}', () => {
  it.each(VIEWS)('shows the %s account what it sent and received', async (view) => {
    const [sent, received] = owned[view]!.references;
    const [, environment] = view.split(' ') as [string, Environment];
    expect((await get(view, `/transfers/${sent}`)).json).toMatchObject({
      reference: sent,
      direction: 'out',
      environment,
      to_username: stranger.username,
      simulated: environment === 'sandbox',
    });
    expect((await get(view, `/transfers/${received}`)).json).toMatchObject({
      reference: received,
      direction: 'in',
      from_username: stranger.username,
    });
  });

  it.each(strangers)('shows %s nothing that belongs to %s', async (viewer, owner) => {
    const random = essence(await get(viewer, `/transfers/${makeTransferReference()}`));
    expect(JSON.parse(random.text)).toMatchObject({ error: { code: 'transfer_not_found' } });
    for (const reference of owned[owner]!.references) {
      expect(essence(await get(viewer, `/transfers/${reference}`))).toEqual(random);
    }
    for (const odd of ['TRF-', 'trf-x', `${makeTransferReference()}0`, '%00']) {
      expect(essence(await get(viewer, `/transfers/${odd}`))).toEqual(random);
    }
  });

  it('does not show a transfer in another spelling', async () => {
    const [sent] = owned['first live']!.references;
    expect(await get('first live', `/transfers/${sent!.toLowerCase()}`)).toMatchObject(
      refusal('transfer_not_found'),
    );
  });
});

describe('lists', () => {
  it.each(VIEWS)('of the %s account contain nothing of another', async (view) => {
    const { json } = await get(view, '/transactions?limit=100');
    const ids = json.transactions.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(owned[view]!.transactions);
  });

  it('of wallets share no id', async () => {
    const ids = [];
    for (const view of VIEWS) {
      const { json } = await get(view, '/wallets');
      ids.push(...json.wallets.map(({ id }: { id: string }) => id));
    }
    expect(new Set(ids).size).toBe(VIEWS.length * 3);
  });

  it.each(['merchant_id', 'user_id', 'owner_id', 'environment', 'account'])(
    'cannot be filtered by %s',
    async (name) => {
      const response = await get('first live', `/transactions?${name}=${stranger.id}`);
      expect(response).toMatchObject(refusal('invalid_request', name));
    },
  );
});

describe('POST /transfers', () => {
  it.each([
    ['status', 'completed'],
    ['fee', 0],
    ['balance', 1],
    ['from_username', 'somebody'],
    ['sender_id', randomUUID()],
    ['merchant_id', randomUUID()],
    ['environment', 'live'],
    ['simulated', false],
    ['reference', 'TRF-00000000000000000000'],
    ['idempotency_key', 'k'],
    ['created_at', '2026-01-01T00:00:00Z'],
  ])('accepts no %s from a caller', async (field, value) => {
    const body = { to_username: stranger.username, currency: 'XOF', amount: 1, [field]: value };
    const response = await callApi(service, 'POST', '/transfers', {
      key: keys['first sandbox']!,
      body,
    });
    expect(response).toMatchObject(refusal('invalid_request', field));
  });
});
