// The demo data of `npm start`: a merchant and a customer with funded wallets and keys, and the
// merchant's webhook endpoints. Made once; a restart finds them and keeps their keys, which are known
// only to the data folder.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  changeEndpoint,
  createEndpoint,
  type EndpointDependencies,
} from '../use-cases/webhook-endpoints';
import { createApiKey, isKeyActive } from '../db/api-keys';
import type { Db } from '../db/connect';
import { createUser, findUserByName, setKycStatus, type UserRow } from '../db/users';
import { creditWallet, listWallets } from '../db/wallets';
import { listWebhookEndpoints } from '../db/webhook-endpoints';
import type { Currency } from '../domain/currency';
import type { Environment } from '../domain/environment';
import { hashApiKey, makeApiKey } from '../secrets/api-key';
import { hashPassword } from '../secrets/hash';
import { makeAdjustmentReference, randomText } from '../secrets/random';

export interface DemoUser {
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly test_key: string;
  readonly live_key: string;
}

interface Person {
  readonly username: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly country: string;
  readonly funds_minor: Readonly<Record<Currency, bigint>>;
}

const PEOPLE: readonly Person[] = [
  {
    username: 'merchant',
    email: 'merchant@example.com',
    first_name: 'Awa',
    last_name: 'Diop',
    country: 'SN',
    funds_minor: { XOF: 500_000_000n, EUR: 5_000_000n, USD: 5_000_000n },
  },
  {
    username: 'customer',
    email: 'customer@example.com',
    first_name: 'Jean',
    last_name: 'Martin',
    country: 'FR',
    funds_minor: { XOF: 50_000_000n, EUR: 500_000n, USD: 500_000n },
  },
];

/** The merchant's live wallets are topped up to this, so that a worn demo still has money to move. */
const FLOOR_MINOR: Readonly<Record<Currency, bigint>> = {
  XOF: 100_000_000n,
  EUR: 1_000_000n,
  USD: 1_000_000n,
};

const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** The merchant first, then the customer. */
export async function seedDemo(
  db: Db,
  directory: string,
  key_prefix: string,
): Promise<readonly DemoUser[]> {
  const file = join(directory, 'demo-users.json');
  const known = readKnown(file);
  const users: DemoUser[] = [];
  for (const person of PEOPLE) {
    const before = known.find(({ username }) => username === person.username);
    users.push(await seedPerson(db, person, before, key_prefix));
  }
  // Renamed into place: a crash must not leave half a file of keys that are shown only once.
  writeFileSync(`${file}.new`, `${JSON.stringify(users, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return users;
}

function readKnown(file: string): readonly DemoUser[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as DemoUser[]) : [];
}

async function seedPerson(
  db: Db,
  person: Person,
  known: DemoUser | undefined,
  key_prefix: string,
): Promise<DemoUser> {
  const { username, email } = person;
  const password = known?.password ?? randomText(LETTERS, 16);
  const user = (await findUserByName(db, username)) ?? (await openDemoUser(db, person, password));
  await topUp(db, user, person.funds_minor);
  const keep = async (key: string | undefined, environment: Environment): Promise<string> => {
    if (key !== undefined && (await isKeyActive(db, hashApiKey(key)))) return key;
    return makeDemoKey(db, user, key_prefix, environment);
  };
  return {
    username,
    email,
    password,
    test_key: await keep(known?.test_key, 'sandbox'),
    live_key: await keep(known?.live_key, 'live'),
  };
}

async function openDemoUser(db: Db, person: Person, password: string): Promise<UserRow> {
  const { funds_minor: _, ...fields } = person;
  await createUser(db, { ...fields, password_hash: await hashPassword(password) });
  const user = await setKycStatus(db, person.username, 'approved');
  return user!;
}

async function topUp(
  db: Db,
  user: UserRow,
  funds: Readonly<Record<Currency, bigint>>,
): Promise<void> {
  for (const environment of ['live', 'sandbox'] as const) {
    for (const { currency, balance_minor } of await listWallets(db, user.id, environment)) {
      const floor = user.username === 'merchant' ? FLOOR_MINOR[currency] : 1n;
      if (balance_minor >= floor) continue;
      await creditWallet(db, {
        reference: makeAdjustmentReference(),
        user_id: user.id,
        environment,
        currency,
        source: environment === 'live' ? 'operator' : 'sandbox_source',
        amount_minor: funds[currency],
        reason: 'demo funds',
      });
    }
  }
}

async function makeDemoKey(
  db: Db,
  user: UserRow,
  prefix: string,
  environment: Environment,
): Promise<string> {
  const { key, ...material } = makeApiKey(prefix, environment);
  await createApiKey(db, material, {
    user_id: user.id,
    environment,
    name: 'demo',
    requests_per_minute: 60,
    writes_per_minute: 30,
  });
  return key;
}

const DEMO_HOOK = '/hooks/demo';
const DEMO_URL = /^http:\/\/127\.0\.0\.1:[0-9]+\/hooks\/demo$/;

/** The merchant's endpoints at the sink, one per environment; says their address, which may have moved. */
export async function seedDemoEndpoints(
  dependencies: EndpointDependencies,
  merchant: string,
  sink: string,
): Promise<string> {
  const url = new URL(DEMO_HOOK, sink).href;
  const user_id = (await findUserByName(dependencies.db, merchant))!.id;
  for (const environment of ['live', 'sandbox'] as const) {
    const owner = { user_id, environment };
    const all = await listWebhookEndpoints(dependencies.db, user_id, environment);
    const known = all.find((endpoint) => DEMO_URL.test(endpoint.url));
    if (known?.url === url) continue;
    const description = 'The sink of npm start';
    const made = known
      ? await changeEndpoint(dependencies, owner, known.id, { url })
      : await createEndpoint(dependencies, owner, { url, description });
    // An account that is full of endpoints needs none of ours.
    if (!made.ok && made.error !== 'limit') throw new Error(`the sink is refused: ${made.error}`);
  }
  return url;
}
