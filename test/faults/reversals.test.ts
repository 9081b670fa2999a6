// Transfers are given back in parts while everything around is killed, frozen and cut off: each key is one
// reversal, none is more than was sent, and what a caller was told is true.

import { ACCEPT_WITHIN_MS } from '../../domain/transfer';
import { promisesNoEffect } from './support/caller';
import { useCluster, type ExperimentContext } from './support/experiment';
import { holdTransfer } from './support/locks';
import { killed, pause } from './support/plan';
import { apisBehindProxy } from './support/proxy';
import { awaitDatabaseClock } from './support/recovery';
import {
  askReversal,
  judgeReversals,
  performReversal,
  reversalCall,
  sendTransfers,
} from './support/reversal-load';
import { FAULT_SECONDS } from './support/settings';

const TRANSFERS = 16;
/** Three parts of each transfer fit, and the rest are refused. */
const PARTS = 5;
const MARGIN_MS = 500;

describe('reversals', () => {
  const experiment = useCluster();

  /** All parts spread over the time of the faults. */
  const underFaults = (title: string, fault: (context: ExperimentContext) => Promise<void>): void =>
    experiment(title, async (context) => {
      const { random, cluster } = context;
      const transfers = await sendTransfers(context, TRANSFERS);
      const calls = transfers.flatMap((transfer, t) =>
        Array.from({ length: PARTS }, (_, n) =>
          reversalCall(transfer, `reversal-${t}-${n}`, { is_patient: random.chance(0.7) }),
        ),
      );
      const calling = calls.map(async (call, n) => {
        await pause(random, 0, FAULT_SECONDS * 1_000);
        const [first, second] = cluster.apis;
        await performReversal(context, call, n % 2 === 0 ? [first!, second!] : [second!, first!]);
      });
      const until = Date.now() + FAULT_SECONDS * 1_000;
      while (Date.now() < until) await fault(context);
      await cluster.heal();
      context.healed_at = Date.now();
      await Promise.all(calling);
      await judgeReversals(context, transfers, calls);
    });

  underFaults(
    'F1 each is one when APIs, workers, Temporal and Postgres are killed',
    async ({ cluster, random }) => {
      await pause(random, 300, 1_200);
      const victims = [
        random.pick(cluster.apis),
        ...(random.chance(0.5) ? [random.pick(cluster.workers)] : []),
        ...(random.chance(0.3) ? [random.pick([cluster.temporal, cluster.postgres])] : []),
      ];
      await killed(random, victims, 0, 1_500);
    },
  );

  experiment('F2 gives the reversal that was committed for a dead API', async (context) => {
    const { cluster, client } = context;
    const [first, second] = cluster.apis;
    const [transfer] = await sendTransfers(context, 1);
    const call = reversalCall(transfer!, 'killed-mid-request');
    const held = await holdTransfer(cluster, transfer!);
    const asked = askReversal({ client }, call, first!);
    await held.awaitPosting();
    await first!.kill();
    expect((await asked).status).toBeUndefined();
    await held.release();
    // Committed by its session, or not at all when the session noticed first: both are one reversal.
    await performReversal(context, call, [second!]);
    expect(call.final).toMatchObject({ status: 201 });
    await first!.start();
    await judgeReversals(context, [transfer!], [call]);
  });

  experiment('F6 refuses a statement that arrives after it was given up', async (context) => {
    const { cluster } = context;
    const { proxy, apis } = await apisBehindProxy(context);
    const [transfer] = await sendTransfers(context, 1);
    const call = reversalCall(transfer!, 'late', { is_patient: false });
    const held = proxy.holdNext('post_reversal');
    const done = performReversal(context, call, apis);
    await held.arrived;
    await awaitDatabaseClock(cluster, Date.now() + ACCEPT_WITHIN_MS + MARGIN_MS);
    held.release();
    await done;
    expect(promisesNoEffect(call.attempts[0]!)).toBe(true);
    await judgeReversals(context, [transfer!], [call]);
  });

  experiment('F8 each is one when responses of Postgres are lost', async (context) => {
    const { random } = context;
    const { proxy, apis } = await apisBehindProxy(context, 2);
    const transfers = await sendTransfers(context, TRANSFERS);
    const calls = transfers.flatMap((transfer, t) =>
      Array.from({ length: PARTS }, (_, n) =>
        reversalCall(transfer, `lost-${t}-${n}`, { is_patient: random.chance(0.7) }),
      ),
    );
    // Answers to the posting and the look-up of its response are lost often, others now and then.
    proxy.loseAnswerIf((statement) =>
      random.chance(/post_reversal|idempotency_keys/.test(statement) ? 0.3 : 0.01),
    );
    await Promise.all(
      calls.map(async (call) => {
        await pause(random, 0, FAULT_SECONDS * 1_000);
        await performReversal(context, call, apis);
      }),
    );
    proxy.loseAnswerIf(() => false);
    context.note('lost_answers', proxy.lost());
    expect(proxy.lost()).toBeGreaterThan(0);
    await judgeReversals(context, transfers, calls);
  });
});
