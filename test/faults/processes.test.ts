// Processes of the service are killed or frozen; Postgres and Temporal stay up.

import { ACCEPT_WITHIN_MS } from '../../domain/transfer';
import { waitFor } from '../support/wait';
import { ask, perform, promisesNoEffect, recordOf } from './support/caller';
import { underLoad, useCluster } from './support/experiment';
import { holdKey } from './support/locks';
import { plainTransfer } from './support/operations';
import { frozen, killWorkers, pause } from './support/plan';
import { apisBehindProxy } from './support/proxy';
import { awaitDatabaseClock, awaitNoOpenWorkflow, countLostTransfers } from './support/recovery';

/** Callers lose patience with a frozen process before it thaws, and send to the other one. */
const IMPATIENT_MS = 3_000;
const MARGIN_MS = 500;
/** The task of a dead process is given to another after 5 s (WORKFLOW_TASK_TIMEOUT_MS). */
const COMPLETED_WITHIN_MS = 10_000;

describe('killed and frozen processes', () => {
  const experiment = useCluster();

  experiment('F1 loses and doubles nothing when workers are killed', async (context) => {
    await underLoad(context, ({ until }) => killWorkers(context, until), { length: 2 });
  });

  experiment('F2 loses and doubles nothing when an API is killed', async (context) => {
    const { cluster, random } = context;
    const began_at = new Date().toISOString();
    let kills = 0;
    const plan = async ({ until }: { readonly until: number }): Promise<void> => {
      while (Date.now() < until) {
        await pause(random, 300, 1_500);
        const victim = random.pick(cluster.apis);
        await victim.kill();
        kills += 1;
        await pause(random, 0, 1_000);
        await victim.start();
      }
    };
    await underLoad(context, plan, { length: 2 });
    await awaitNoOpenWorkflow(cluster);
    const lost = await countLostTransfers(cluster, began_at);
    for (const [name, count] of Object.entries({ kills, ...lost })) context.note(name, count);
  });

  experiment(
    'F2 has a transfer that a killed API began carried out by another',
    async (context) => {
      const { cluster, client, users } = context;
      const { proxy, apis } = await apisBehindProxy(context);
      const [from, to] = users;
      const record = recordOf(plainTransfer({ key: 'begun', from: from!, to: to! }));
      context.records.push(record);
      const posting = proxy.holdNext('post_transfer_batch');
      const asked = ask(record, apis[0]!, { client });
      await posting.arrived;
      await apis[0]!.kill();
      const killed_at = Date.now();
      expect((await asked).status).toBeUndefined();
      const of = { sender_id: from!.id, idempotency_key: 'begun' };
      const found = await waitFor(
        () => cluster.db('transfers').where(of).first<{ reference: string }>('reference'),
        COMPLETED_WITHIN_MS * cluster.slowness,
      );
      context.note('completed_ms', Date.now() - killed_at);
      await perform(record, { client, apis: cluster.apis });
      expect(JSON.parse(record.final!.text)).toMatchObject({
        ok: true,
        reference: found.reference,
      });
    },
  );

  experiment('F2 gives the reference that was committed for a dead API', async (context) => {
    const { cluster, client, users } = context;
    const [first, second] = cluster.apis;
    const [from, to] = users;
    const record = recordOf(plainTransfer({ key: 'killed-mid-request', from: from!, to: to! }));
    context.records.push(record);
    const held = await holdKey(cluster, record.operation);
    const asked = ask(record, first!, { client });
    await held.awaitPosting();
    await first!.kill();
    expect((await asked).status).toBeUndefined();
    await held.release();
    const reference = await waitFor(async () => {
      const found = await cluster.db('transfers').where({ sender_id: from!.id }).first('reference');
      return (found as { reference: string } | undefined)?.reference;
    });
    await perform(record, { client, apis: [second!] });
    expect(JSON.parse(record.final!.text)).toMatchObject({ ok: true, reference });
    await first!.start();
  });

  experiment('F6 commits nothing late for a process that was frozen', async (context) => {
    const { cluster, random } = context;
    const options = { timeout_ms: IMPATIENT_MS };
    await underLoad(
      context,
      async () => {
        await pause(random, 1_000, 2_000);
        const victim = random.pick(cluster.apis);
        await frozen(random, [victim], ACCEPT_WITHIN_MS + MARGIN_MS, ACCEPT_WITHIN_MS + 2_000);
        await pause(random, 1_000, 1_500);
      },
      options,
    );
  });

  experiment('F6 refuses a statement that arrives after it was given up', async (context) => {
    const { cluster, client, users } = context;
    const { proxy, apis } = await apisBehindProxy(context);
    const [from, to] = users;
    const operation = plainTransfer({ key: 'late', from: from!, to: to!, is_patient: false });
    const record = recordOf(operation);
    context.records.push(record);
    const held = proxy.holdNext('post_transfer_batch');
    const done = perform(record, { client, apis });
    await held.arrived;
    await awaitDatabaseClock(cluster, Date.now() + ACCEPT_WITHIN_MS + MARGIN_MS);
    held.release();
    await done;
    expect(promisesNoEffect(record.attempts[0]!)).toBe(true);
  });

  experiment('F6 posts what arrives late, while its caller still waits', async (context) => {
    const { cluster, client, users } = context;
    const { proxy, apis } = await apisBehindProxy(context);
    const [from, to] = users;
    const operation = plainTransfer({ key: 'late-body', from: from!, to: to!, is_patient: false });
    const record = recordOf(operation);
    context.records.push(record);
    // Other orders would have lapsed: their time runs from before a slow body, the caller's wait from after it.
    const asked_at = Date.now();
    const body_after = awaitDatabaseClock(cluster, asked_at + 1_500);
    const done = perform(record, { client, apis, body_after });
    await body_after;
    const posting = proxy.holdNext('post_transfer_batch');
    await posting.arrived;
    await awaitDatabaseClock(cluster, asked_at + ACCEPT_WITHIN_MS + MARGIN_MS);
    posting.release();
    await done;
    expect(record.attempts[0]).toMatchObject({ status: 200 });
  });

  experiment(
    'F6 carries out what was held up, or says truly that it gave it up',
    async (context) => {
      const { cluster, client, users } = context;
      const [from, to] = users;
      const operation = plainTransfer({ key: 'held', from: from!, to: to!, is_patient: false });
      const record = recordOf(operation);
      context.records.push(record);
      const held = await holdKey(cluster, operation);
      const done = perform(record, { client, apis: cluster.apis });
      await held.awaitPosting();
      await awaitDatabaseClock(cluster, Date.now() + ACCEPT_WITHIN_MS + MARGIN_MS);
      await held.release();
      await done;
      const [first] = record.attempts;
      expect(first!.status === 200 || promisesNoEffect(first!)).toBe(true);
    },
  );
});
