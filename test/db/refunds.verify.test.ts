// I17: each defect is made as a superuser, with triggers and foreign keys switched off, in a database of its
// own, and must be named.

import { getRefund } from '../../db/refunds';
import { verifyLedger, type Violation } from '../../db/verify';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { acceptIntent, answer, notice, ordered, payIntent } from '../support/refunds';
import { buildUser } from '../support/users';

interface Seed {
  readonly database: TestDatabase;
  /** References. */
  readonly pending: string;
  readonly made: string;
  readonly failed: string;
  /** Made, and taken back. */
  readonly undone: string;
  readonly payment: string;
  /** Ended by an operator with what had arrived, and refunded. */
  readonly accepted: string;
}

const databases: TestDatabase[] = [];

// Each test has one, and together they would take all the connections that Postgres has.
afterEach(async () => {
  await databases.pop()?.close();
});

async function seed(): Promise<Seed> {
  const database = await createTestDatabase();
  databases.push(database);
  const { db, owner } = database;
  const merchant = await buildUser(db);
  const intent = await payIntent(db, merchant);
  const accepted = await acceptIntent(database, merchant, 300_000n);
  await answer(db, await ordered(db, accepted), 'succeeded');
  const order = () => ordered(db, intent, { amount_minor: '100000' });
  const [pending, made, failed, undone] = [
    await order(),
    await order(),
    await order(),
    await order(),
  ];
  await answer(db, pending, 'pending');
  await answer(db, made, 'succeeded');
  await answer(db, failed, 'failed');
  await answer(db, undone, 'succeeded');
  await notice(owner, undone);
  await answer(db, undone, 'failed');
  expect(await verifyLedger(db)).toEqual([]);
  const reference = async (id: string): Promise<string> => (await getRefund(db, id)).reference;
  return {
    database,
    pending: await reference(pending),
    made: await reference(made),
    failed: await reference(failed),
    undone: await reference(undone),
    payment: intent.reference,
    accepted: accepted.reference,
  };
}

/** What is named after the change. */
async function damage({ database }: Seed, sql: string): Promise<Violation[]> {
  await database.owner.transaction(async (tx) => {
    await tx.raw('set local session_replication_role = replica');
    const { rowCount } = (await tx.raw(sql)) as { rowCount: number | null };
    expect(rowCount).not.toBe(0);
  });
  return verifyLedger(database.db);
}

const NAMED: readonly (readonly [
  what: string,
  damage: (seed: Seed) => string,
  violation: string,
  reference: (seed: Seed) => string,
])[] = [
  [
    'that nobody ordered',
    ({ pending }) => `delete from refunds where reference = '${pending}'`,
    'refund without its one reservation in the journal, or the reverse',
    ({ pending }) => pending,
  ],
  [
    'whose reservation is of another kind',
    ({ pending }) =>
      `update ledger_transactions set kind = 'adjustment' where reference = '${pending}'`,
    'refund without its one reservation in the journal, or the reverse',
    ({ pending }) => pending,
  ],
  [
    'that is made and not in the journal',
    ({ pending }) => `update refunds set status = 'succeeded' where reference = '${pending}'`,
    'refund was made or given back without the journal, or the reverse',
    ({ pending }) => pending,
  ],
  [
    'that is in the journal and not made',
    ({ made }) => `update refunds set status = 'pending' where reference = '${made}'`,
    'refund was made or given back without the journal, or the reverse',
    ({ made }) => made,
  ],
  [
    'that was given back and is said to be made',
    ({ undone }) =>
      `update refunds set status = 'succeeded', failure = null where reference = '${undone}'`,
    'refund was made or given back without the journal, or the reverse',
    ({ undone }) => undone,
  ],
  [
    'of another amount than its entries',
    ({ made }) => `update refunds set amount_minor = 90000 where reference = '${made}'`,
    'refund moved other figures than its own',
    ({ made }) => made,
  ],
  [
    'whose money went to another wallet',
    ({ failed }) =>
      `update ledger_entries e set account_id = (select id from ledger_accounts
          where user_id is not null and environment = 'sandbox' and currency = 'EUR' limit 1),
          account_version = 999
        from ledger_transactions t, ledger_accounts a
       where t.id = e.transaction_id and t.reference = '${failed}/returned' and a.id = e.account_id
         and a.kind = 'wallet'`,
    'refund moved other figures than its own',
    ({ failed }) => failed,
  ],
  [
    'that waits for money which is not there',
    () => `update ledger_accounts set balance_minor = balance_minor - 100
            where kind = 'refunds' and environment = 'sandbox' and currency = 'XOF'`,
    'account of pending refunds does not hold what they wait for',
    () => 'sandbox/XOF',
  ],
  [
    'beyond what was paid',
    ({ payment }) =>
      `update gateway_payments set amount_minor = 150000 where ledger_reference = '${payment}'`,
    'more was refunded than was paid, or the intent says another sum',
    ({ payment }) => payment,
  ],
  [
    'beyond what an operator accepted from suspense',
    ({ accepted }) =>
      `update gateway_payments p set amount_minor = 250000 from ledger_transactions j
        where j.reference = '${accepted}' and p.ledger_reference = j.description`,
    'more was refunded than was paid, or the intent says another sum',
    ({ accepted }) => accepted,
  ],
  [
    'that its intent does not count',
    ({ payment }) =>
      `update payment_intents set refunded_minor = 100000 where reference = '${payment}'`,
    'more was refunded than was paid, or the intent says another sum',
    ({ payment }) => payment,
  ],
  [
    'that the history does not show',
    ({ made }) => `delete from transactions where reference = '${made}'`,
    'refund is not shown exactly once with its figures, and given back once if it failed',
    ({ made }) => made,
  ],
  [
    'whose way back the history does not show',
    ({ failed }) => `delete from transactions where reference = '${failed}' and type = 'reversal'`,
    'refund is not shown exactly once with its figures, and given back once if it failed',
    ({ failed }) => failed,
  ],
  [
    'in the history only',
    ({ made }) => `update transactions set reference = 'RFD-NOBODY' where reference = '${made}'`,
    'history shows a refund that nobody ordered',
    () => 'RFD-NOBODY',
  ],
  [
    'of another payment',
    ({ made }) =>
      `update refunds set provider_payment_id = 'pay_other' where reference = '${made}'`,
    'refund is of another payment than that of its intent',
    ({ made }) => made,
  ],
  [
    'that the gateway made after it was given back',
    ({ failed }) => `update refunds set gateway_status = 'succeeded' where reference = '${failed}'`,
    'gateway made a refund that was given back, or one refund for two',
    ({ failed }) => failed,
  ],
  [
    'that is the same one of the gateway as another',
    ({ made, pending }) =>
      `update refunds set gateway_refund_id = (select gateway_refund_id from refunds
         where reference = '${made}') where reference = '${pending}'`,
    'gateway made a refund that was given back, or one refund for two',
    ({ pending }) => pending,
  ],
  [
    'that ended without its event',
    ({ made }) =>
      `delete from events where refund_id = (select id from refunds where reference = '${made}')`,
    'ended refund without its event, or the reverse',
    ({ made }) => made,
  ],
  [
    'whose event says something else',
    ({ made }) =>
      `update events set body = replace(body, '1000.00', '1000.01')
        where refund_id = (select id from refunds where reference = '${made}')`,
    'event does not match its refund',
    ({ made }) => made,
  ],
  [
    'without the response of its key',
    ({ made }) => `delete from idempotency_keys where reference = '${made}'`,
    'refund without the response stored for its key, or the reverse',
    ({ made }) => made,
  ],
];

describe('ledger verify names a refund', () => {
  it.each(NAMED)('%s', async (_, sql, what, reference) => {
    const seeded = await seed();
    const invariant = what.includes('response stored') ? 'I14' : 'I17';
    expect(await damage(seeded, sql(seeded))).toContainEqual({
      invariant,
      what,
      reference: reference(seeded),
    });
  });
});
