// The service with its database and somebody who is signed in: what a test of pages begins with, said once at the head of
// its file.

import { listWallets } from '../../db/ledger/wallets';
import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import type { MemberRole } from '../../domain/members';
import { startTestApi, type TestApi, type TestApiOptions } from '../support/api';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import type { TestUser, TestUserOptions } from '../support/users';
import { signInColleague, signInOwner, type Member } from './accounts';
import type { VisitedPage, Visitor } from './visitor';

export interface World {
  readonly database: TestDatabase;
  readonly service: TestService;
  /** Only of a world with a gateway. */
  readonly api: TestApi;
  /** The owner of an account, and the browser in which they are signed in. */
  readonly owner: Member;
  readonly user: TestUser;
  readonly visitor: Visitor;
  /** The owner of another account. */
  signIn(options?: TestUserOptions): Promise<Member>;
  /** Another person of the owner's account. */
  colleague(role: MemberRole): Promise<Visitor>;
  show(environment: Environment, visitor?: Visitor): Promise<VisitedPage>;
  sql<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  count(table: string): Promise<number>;
  /** The first wallet of the account is in XOF. */
  balance(environment?: Environment, user?: Pick<TestUser, 'id'>, of?: Currency): Promise<bigint>;
}

interface WorldOptions extends TestUserOptions, Pick<TestApiOptions, 'overrides' | 'webhooks'> {
  readonly gateway?: NonNullable<TestApiOptions['gateway']>;
  /** Each test has an owner of its own. */
  readonly of_each?: 'test';
}

/** Operators pay at once. */
export const PAYS_AT_ONCE = { durations: { settle_ms: 0 } } as const;

export function useWorld(options: WorldOptions = {}): World {
  const { gateway, webhooks = false, overrides = {}, of_each, ...person } = options;
  let [api, service, database, owner] = [] as unknown as [
    TestApi,
    TestService,
    TestDatabase,
    Member,
  ];
  const begin = async (): Promise<void> => {
    owner = await signInOwner(service, database, person);
  };
  beforeAll(async () => {
    if (gateway) {
      api = await startTestApi({ gateway, webhooks, overrides });
      ({ service, database } = api);
    } else {
      database = await createTestDatabase();
      service = await startTestService({ database, webhooks, overrides });
    }
    if (!of_each) await begin();
  });
  if (of_each) beforeEach(begin);
  const sql: World['sql'] = async <Row>(text: string, values: readonly unknown[] = []) =>
    (await database.owner.raw<{ rows: Row[] }>(text, values as never)).rows;
  return {
    get api() {
      return api;
    },
    get service() {
      return service;
    },
    get database() {
      return database;
    },
    get owner() {
      return owner;
    },
    get user() {
      return owner.user;
    },
    get visitor() {
      return owner.visitor;
    },
    signIn: (of = {}) => signInOwner(service, database, of),
    colleague: (role) => signInColleague(service, database, owner.user, role),
    async show(environment, visitor = owner.visitor) {
      await visitor.open('/');
      return visitor.submit('/environment', { environment });
    },
    sql,
    count: async (table) =>
      (await sql<{ count: number }>(`select count(*)::int as count from ${table}`))[0]!.count,
    balance: async (environment = 'sandbox', user = owner.user, of = 'XOF') =>
      (await listWallets(database.db, user.id, environment)).find(
        ({ currency }) => currency === of,
      )!.balance_minor,
  };
}
