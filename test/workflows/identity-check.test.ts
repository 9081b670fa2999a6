// The workflow of an identity check, with real mails and short times: who is written to and when, what
// happens when no operator decides, and that nothing of it depends on the workflow's life.

import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { submitIdentityCheck } from '../../db/accounts/identity-checks';
import { IDENTITY_EDGES, type Identity } from '../../domain/identity';
import { identityCheckWorkflowId } from '../../domain/ids';
import { createSealer } from '../../secrets/seal';
import { createIdentityCheckWaker, type WakeIdentityCheck } from '../../temporal/identity-checks';
import { decideIdentityCheck, submitIdentity, viewIdentity } from '../../use-cases/identity-checks';
import { grantOperator } from '../../use-cases/operators';
import { mailsTo } from '../dashboard/mails';
import type { TestDatabase } from '../support/database';
import { TEST_SECRETS_KEY } from '../support/secrets';
import { textOf } from '../support/text-of';
import { buildUser, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import { startIntentWorker, type IntentWorker } from './intents';
import { keepHistory } from './saved-histories';

const sealer = createSealer([TEST_SECRETS_KEY]);
const DAY = 86_400;
const MONTH = { remind_after_seconds: [3 * DAY, 7 * DAY], expires_after_seconds: 30 * DAY };

const IDENTITY: Identity = {
  kind: 'person',
  legal_name: 'Aïssatou Confidentielle',
  birth_date: '1990-02-03',
  registration_number: '',
  address: '17 rue Secrète, Dakar',
  country: 'SN',
  document_type: 'passport',
  document_number: 'A0-SECRET-77',
};

let worker: IntentWorker;
let database: TestDatabase;
let client: Client;
let wake: WakeIdentityCheck;
let operator: TestUser;

beforeAll(async () => {
  worker = await startIntentWorker({ gateway: undefined });
  ({ database, temporal: client } = worker);
  wake = createIdentityCheckWaker(client, worker.worker.task_queue);
  operator = await buildUser(database.db);
  await grantOperator({ db: database.operator, actor: 'root' }, operator.username, true);
});

async function submit(times = MONTH): Promise<{ user: TestUser; check: string }> {
  const user = await buildUser(database.db, { kyc: 'not_started' });
  return { user, check: await submitAgain(user, times) };
}

async function submitAgain(user: TestUser, times = MONTH): Promise<string> {
  const { rows } = await database.owner.raw('select login_id from memberships where user_id = ?', [
    user.id,
  ]);
  const [{ login_id }] = rows as [{ login_id: string }];
  const owner = { user_id: user.id, login_id };
  const check = await submitIdentity({ db: database.db, sealer, times }, owner, IDENTITY);
  if (check === undefined) throw new Error('The check was refused.');
  return check;
}

const statusOf = async ({ id }: TestUser): Promise<string> => {
  const { rows } = await database.owner.raw('select kyc_status from users where id = ?', [id]);
  return (rows as [{ kyc_status: string }])[0].kyc_status;
};

const subjectsTo = async (recipient: string, about: string): Promise<string[]> =>
  (await mailsTo(database, recipient))
    .filter(({ text }) => text.includes(about))
    .map(({ subject }) => subject)
    .reverse();

const handleOf = ({ id }: TestUser) => client.workflow.getHandle(identityCheckWorkflowId(id));

/** Moves the check so many seconds back. */
async function letTimePass(check: string, seconds: number): Promise<void> {
  await database.owner.raw(
    `update identity_checks set created_at = created_at - make_interval(secs => :seconds),
            expires_at = expires_at - make_interval(secs => :seconds),
            due_at = due_at - make_interval(secs => :seconds),
            remind_at = array(select r - make_interval(secs => :seconds) from unnest(remind_at) r)
      where id = :check`,
    { check, seconds },
  );
}

function decide(user: TestUser, decision: 'approved' | 'rejected', reason?: string) {
  const deciding = { db: database.operator, actor: operator.email };
  return decideIdentityCheck(deciding, user.username, { decision, reason });
}

const isWaiting = (user: TestUser, reminders: number): Promise<unknown> =>
  waitFor(async () => {
    const { rows } = await database.owner.raw(
      `select from identity_checks where user_id = ? and reminders = ? and due_at > now()`,
      [user.id, reminders],
    );
    return (rows as unknown[]).length === 1;
  });

it('tells operators, reminds both, tells the merchant of the approval, and ends', async () => {
  const { user, check } = await submit();
  await wake(user.id);
  await isWaiting(user, 1);
  expect(await subjectsTo(operator.email, user.username)).toHaveLength(1);
  expect(await subjectsTo(user.email, user.username)).toEqual([]);

  await letTimePass(check, 4 * DAY);
  await wake(user.id);
  await isWaiting(user, 2);
  expect(await subjectsTo(operator.email, user.username)).toHaveLength(2);
  expect(await subjectsTo(user.email, user.username)).toEqual([
    expect.stringContaining('still waiting'),
  ]);

  await decide(user, 'approved');
  await wake(user.id);
  expect(await handleOf(user).result()).toBe('approved');
  const subjects = await subjectsTo(user.email, user.username);
  expect(subjects).toHaveLength(2);
  expect(subjects[1]).toContain('is approved');
  keepHistory('identity-check-approved', await handleOf(user).fetchHistory());
});

it('tells the reason of a rejection, and follows the next submission', async () => {
  const { user } = await submit();
  await wake(user.id);
  await decide(user, 'rejected', 'The document is not readable.');
  await wake(user.id);
  expect(await handleOf(user).result()).toBe('rejected');
  const [mail] = await mailsTo(database, user.email);
  expect(mail!.text).toContain('Reason: The document is not readable.');
  expect(mail!.text).toContain('Motif : The document is not readable.');

  await submitAgain(user);
  await wake(user.id);
  await isWaiting(user, 1);
  expect(await statusOf(user)).toBe('pending');
});

it('expires without a decision by its own timer, tells the merchant, and may be submitted again', async () => {
  const { user } = await submit({ remind_after_seconds: [], expires_after_seconds: 2 });
  await wake(user.id);
  expect(await handleOf(user).result()).toBe('expired');
  expect(await statusOf(user)).toBe('expired');
  expect(await subjectsTo(user.email, user.username)).toEqual([
    expect.stringContaining('has expired'),
  ]);
  await submitAgain(user);
  expect(await statusOf(user)).toBe('pending');
});

it('survives the loss of its workflow: the sweep starts it again when something is due', async () => {
  const { user, check } = await submit();
  await wake(user.id);
  await isWaiting(user, 1);
  await handleOf(user).terminate('lost');
  await letTimePass(check, 4 * DAY);
  expect(await worker.real.sweepNotifications()).toBeGreaterThan(0);
  await isWaiting(user, 2);

  await handleOf(user).terminate('lost again');
  await decide(user, 'approved');
  await letTimePass(check, 120);
  await worker.real.sweepNotifications();
  expect(await handleOf(user).result()).toBe('approved');
  expect((await subjectsTo(user.email, user.username)).at(-1)).toContain('is approved');
  // And then there is nothing left to sweep.
  const { rows } = await database.owner.raw(
    'select from identity_checks where user_id = ? and due_at is not null',
    [user.id],
  );
  expect(rows).toEqual([]);
});

it('writes a mail with its step or not at all', async () => {
  const { user, check } = await submit();
  await database.owner.raw(
    `create or replace function refuse_mail() returns trigger language plpgsql as
       $$ begin raise exception 'the disk is full' using errcode = '53100'; end $$;
     create trigger refuse_mail before insert on mails for each row execute function refuse_mail()`,
  );
  await expect(worker.real.advanceIdentityCheck(user.id)).rejects.toThrow('the disk is full');
  await database.owner.raw('drop trigger refuse_mail on mails');
  const { rows } = await database.owner.raw('select reminders from identity_checks where id = ?', [
    check,
  ]);
  expect(rows).toEqual([{ reminders: 0 }]);
  await worker.real.advanceIdentityCheck(user.id);
  expect(await subjectsTo(operator.email, user.username)).toHaveLength(1);
});

it('reveals nothing of the person: not to Temporal, not to a dump of the database, not to the audit log', async () => {
  const { user, check } = await submit();
  await wake(user.id);
  await decide(user, 'rejected', 'The name differs.');
  await wake(user.id);
  await handleOf(user).result();
  const viewed = await viewIdentity(
    { db: database.operator, actor: operator.email, sealer },
    check,
  );
  expect(viewed).toEqual(IDENTITY);

  const { rows: stored } = await database.owner.raw(
    `select row_to_json(c) as row from identity_checks c union all
     select row_to_json(d) from identity_data d union all
     select row_to_json(l) from audit_log l union all
     select row_to_json(m) from mails m`,
  );
  const histories = [await handleOf(user).fetchHistory(), await handleOf(user).describe()];
  const kept = textOf(histories) + JSON.stringify(stored);
  for (const secret of ['Confidentielle', 'Secrète', 'A0-SECRET-77', '1990-02-03']) {
    expect(kept).not.toContain(secret);
  }
  expect(textOf(histories)).not.toContain('The name differs');
  expect(textOf(histories)).not.toContain(user.email);

  const { rows } = await database.owner.raw(
    `select actor, subject from audit_log where action = 'kyc.view' and details ->> 'check' = ?`,
    [check],
  );
  expect(rows).toEqual([{ actor: operator.email, subject: `user/${user.username}` }]);
});

it('is refused while one is under way or approved, also when two submit at once', async () => {
  const user = await buildUser(database.db, { kyc: 'not_started' });
  const { rows } = await database.owner.raw('select login_id from memberships where user_id = ?', [
    user.id,
  ]);
  const [{ login_id }] = rows as [{ login_id: string }];
  const once = () =>
    submitIdentityCheck(database.db, {
      id: randomUUID(),
      user_id: user.id,
      login_id,
      sealed: Buffer.from('sealed'),
      ...MONTH,
    });
  const made = await Promise.all([once(), once(), once()]);
  expect(made.filter(Boolean)).toHaveLength(1);
  await decide(user, 'approved');
  expect(await once()).toBe(false);
});

it('has the same edges in code and database', async () => {
  const { rows } = await database.owner.raw('select from_status, to_status, cause from kyc_edges');
  const edges = Object.entries(IDENTITY_EDGES).flatMap(([from_status, targets]) =>
    Object.entries(targets).map(([to_status, cause]) => ({ from_status, to_status, cause })),
  );
  const sorted = (list: unknown): string[] =>
    (list as object[]).map((edge) => Object.values(edge).join(' ')).sort();
  expect(sorted(rows)).toEqual(sorted(edges));
});
