// Every test file can count on this; here is where each piece of it is.
//
// A run of Jest starts one embedded Postgres and one Temporal dev server (see global-setup.ts), unless
// none of its files imports this one. A test file takes what it needs and cleans up nothing: cleanup.ts closes
// everything after the file's last test.
//
//   import { createTestDatabase } from './database';   // a migrated database of its own
//   import { startTestService } from './service';      // API and worker, real HTTP
//   import { buildUser, buildApiKey } from './users';
//   import { request } from './http';
//   import { waitFor } from './wait';
//
//   let service: TestService;
//   let key: string;
//   beforeAll(async () => {
//     const database = await createTestDatabase();
//     service = await startTestService({ database });
//     const user = await buildUser(database.db, { funds: { live: { XOF: 500_000n } } });
//     ({ key } = await buildApiKey(database.db, { user }));
//   });
//
//   it('answers the wallets', async () => {
//     const answer = await request(service, 'GET', '/wallets', { key });
//     expect(answer.status).toBe(200);            // also .headers, .text (raw bytes), .json
//   });
//
// Two services of one test file share its database; with the same `task_queue` they are two
// processes of one installation in all but the process.

export interface Stack {
  readonly superuser_url: string;
  /** Migrated, granted, never connected to: databases are cloned from it. */
  readonly template: string;
  readonly app_role: string;
  readonly app_password: string;
  readonly operator_role: string;
  readonly operator_password: string;
  readonly temporal_address: string;
  readonly workflow_bundle: string;
  /** Temporary, gone after the run. */
  readonly folder: string;
  /** Its template and its workflows are this run's as well (test/mutants). */
  readonly is_shared?: true;
}

const VARIABLE = 'PAYMENT_API_TEST_STACK';

/** Jest's workers inherit the environment of the process that ran the global set-up. */
export function publishStack(stack: Stack): void {
  process.env[VARIABLE] = JSON.stringify(stack);
}

export function readStack(): Stack {
  const stack = findStack();
  if (stack === undefined) {
    throw new Error('The servers of the tests do not run: start tests with jest.');
  }
  return stack;
}

export function findStack(): Stack | undefined {
  const text = process.env[VARIABLE];
  return text === undefined ? undefined : (JSON.parse(text) as Stack);
}
