// The demo users of `npm start`: a merchant and a customer with funded wallets and keys, and two operators.
// They are created once. A restart keeps their keys, which only a file in the data folder knows.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isKeyActive } from '../db/keys/api-keys';
import type { Db } from '../db/connect';
import { createUser, findUserByName, setKycStatus, type UserRow } from '../db/accounts/users';
import { approveRequest } from '../db/operators/approvals';
import { listWallets } from '../db/ledger/wallets';
import type { Currency } from '../domain/currency';
import { ENVIRONMENTS, type Environment } from '../domain/environment';
import { SCOPES } from '../domain/scopes';
import { hashApiKey } from '../secrets/api-key';
import { hashPassword } from '../secrets/password';
import { makeAdjustmentReference, randomText } from '../secrets/random';
import { createKey } from '../use-cases/api-keys';
import { grantOperator } from '../use-cases/operators';
import { postCredit } from '../use-cases/wallet-credits';

export interface DemoUser {
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly test_key: string;
  readonly live_key: string;
}

interface DemoPerson {
  readonly username: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly country: string;
  /** Null: none. */
  readonly funds_minor: Readonly<Record<Currency, bigint>> | null;
  readonly is_operator: boolean;
}

const PEOPLE: readonly DemoPerson[] = [
  {
    username: 'merchant',
    email: 'merchant@example.com',
    first_name: 'Awa',
    last_name: 'Diop',
    country: 'SN',
    funds_minor: { XOF: 500_000_000n, EUR: 5_000_000n, USD: 5_000_000n },
    is_operator: false,
  },
  {
    username: 'customer',
    email: 'customer@example.com',
    first_name: 'Jean',
    last_name: 'Martin',
    country: 'FR',
    funds_minor: { XOF: 50_000_000n, EUR: 500_000n, USD: 500_000n },
    is_operator: false,
  },
  {
    username: 'operator',
    email: 'operator@example.com',
    first_name: 'Fatou',
    last_name: 'Ndiaye',
    country: 'SN',
    funds_minor: null,
    is_operator: true,
  },
  {
    username: 'supervisor',
    email: 'supervisor@example.com',
    first_name: 'Ousmane',
    last_name: 'Ba',
    country: 'SN',
    funds_minor: null,
    is_operator: true,
  },
];

/** Approves the demo's funds where a limit asks for a second operator. */
const SECOND_OPERATOR = 'supervisor@example.com';

/** The merchant's wallets are topped up when they hold less, so that an old demo still has money. */
const FLOOR_MINOR: Readonly<Record<Currency, bigint>> = {
  XOF: 100_000_000n,
  EUR: 1_000_000n,
  USD: 1_000_000n,
};

const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

export interface SeedDependencies {
  /** Connects with the operators' role. */
  readonly db: Db;
  /** Named in the audit log. */
  readonly actor: string;
}

/** The merchant first, then the customer, then the two operators. */
export async function seedDemoUsers(
  dependencies: SeedDependencies,
  directory: string,
): Promise<readonly DemoUser[]> {
  const file = join(directory, 'demo-users.json');
  const known = readKnown(file);
  const users: DemoUser[] = [];
  for (const person of PEOPLE) {
    const before = known.find(({ username }) => username === person.username);
    users.push(await seedUser(dependencies, person, before));
  }
  // Renamed into place: a crash must not leave half a file, as the keys cannot be shown again.
  writeFileSync(`${file}.new`, `${JSON.stringify(users, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return users;
}

function readKnown(file: string): readonly DemoUser[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as DemoUser[]) : [];
}

async function seedUser(
  dependencies: SeedDependencies,
  person: DemoPerson,
  known: DemoUser | undefined,
): Promise<DemoUser> {
  const { db, actor } = dependencies;
  const { username, email } = person;
  const password = known?.password ?? randomText(LETTERS, 16);
  const user =
    (await findUserByName(db, username)) ?? (await createDemoUser(dependencies, person, password));
  if (person.funds_minor !== null) await topUp(dependencies, user, person.funds_minor);
  if (person.is_operator) await grantOperator({ db, actor }, username, true);
  const keyFor = async (environment: Environment, key: string | undefined): Promise<string> => {
    if (key !== undefined && (await isKeyActive(db, hashApiKey(key)))) return key;
    const fields = { user_id: user.id, environment, name: 'demo', scopes: SCOPES };
    const author = { actor };
    const created = await createKey({ db, payout_keys_need_addresses: false, author }, fields);
    // Refused only after an operator has rejected the identity check: the revoked key stays shown.
    return created.ok ? created.key : (key ?? '');
  };
  return {
    username,
    email,
    password,
    test_key: await keyFor('sandbox', known?.test_key),
    live_key: await keyFor('live', known?.live_key),
  };
}

/**
 * Makes no use of `signUp`: its wallets are topped up with more than the sandbox's opening
 * balances.
 */
async function createDemoUser(
  { db, actor }: SeedDependencies,
  person: DemoPerson,
  password: string,
): Promise<UserRow> {
  const { funds_minor: _, is_operator: __, ...fields } = person;
  const password_hash = await hashPassword(password);
  const user = await createUser(db, { ...fields, password_hash }, [], actor);
  // No mail tells of it: the demo's mails begin with those that its people cause.
  await setKycStatus(db, user.username, 'approved', actor);
  return user;
}

async function topUp(
  { db, actor }: SeedDependencies,
  user: UserRow,
  funds: Readonly<Record<Currency, bigint>>,
): Promise<void> {
  for (const environment of ENVIRONMENTS) {
    for (const { currency, balance_minor } of await listWallets(db, user.id, environment)) {
      const floor = user.username === 'merchant' ? FLOOR_MINOR[currency] : 1n;
      if (balance_minor >= floor) continue;
      // Never refused: a wallet below its floor can hold these funds.
      const posted = await postCredit(
        { db, actor },
        {
          reference: makeAdjustmentReference(),
          user_id: user.id,
          environment,
          currency,
          source: environment === 'live' ? 'operator' : 'sandbox_source',
          amount_minor: funds[currency],
          reason: 'demo funds',
        },
      );
      // A credit has no endpoints to wake, and so no links.
      if ('approval' in posted) await approveRequest(db, posted.approval, SECOND_OPERATOR, '');
    }
  }
}
