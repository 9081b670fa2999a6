// Refunds are ordered and made while everything around them is killed, frozen and cut off: each key is one
// refund, the gateway makes it once, and what it does not make is in the wallet again.

import { setFaults } from '../support/sandbox-gateway';
import { waitFor } from '../support/wait';
import { useCluster, type ExperimentContext } from './support/experiment';
import { killed, pause } from './support/plan';
import { judgeRefunds, payLinks, refundPart, type RefundCall } from './support/refund-load';
import { FAULT_SECONDS } from './support/settings';

const LINKS = 9;
/** Five parts of each link fit, and the rest are refused. */
const PARTS = 7;

describe('refunds', () => {
  const experiment = useCluster();

  /** All refunds at once, and the faults until they have been ordered and for some seconds. */
  const underFaults = (title: string, fault: (context: ExperimentContext) => Promise<void>): void =>
    experiment(title, async (context) => {
      const links = await payLinks(context, LINKS);
      const ordering = links.flatMap((link, l) =>
        Array.from({ length: PARTS }, async (_, n): Promise<RefundCall> => {
          await pause(context.random, 0, 4_000);
          return refundPart(context, link, `refund-${l}-${n}`);
        }),
      );
      const until = Date.now() + FAULT_SECONDS * 1_000;
      while (Date.now() < until) await fault(context);
      await setFaults(context.cluster.gateway, 'sandbox', {});
      await context.cluster.heal();
      context.healed_at = Date.now();
      await judgeRefunds(context, links, await Promise.all(ordering));
    });

  underFaults(
    'F1 each is made once when APIs, workers, Temporal and Postgres are killed',
    async ({ cluster, random }) => {
      await pause(random, 300, 1_500);
      const victims = [
        random.pick(cluster.workers),
        ...(random.chance(0.5) ? [random.pick(cluster.apis)] : []),
        ...(random.chance(0.3) ? [random.pick([cluster.temporal, cluster.postgres])] : []),
      ];
      await killed(random, victims, 0, 1_500);
    },
  );

  underFaults(
    'F7 each is made once over a bad line to the gateway',
    async ({ cluster, random }) => {
      const { calls, notifications } = cluster.links;
      const line = random.pick([calls, notifications]);
      line.set(
        random.pick([
          { line: 'cut' } as const,
          { line: 'silent' } as const,
          { loseAnswer: () => random.chance(0.5) },
        ]),
      );
      await pause(random, 500, 3_000);
      line.set({});
    },
  );

  underFaults('F9 each is made once by a slow or failing gateway', async ({ cluster, random }) => {
    const only = 'refund' as const;
    await setFaults(
      cluster.gateway,
      'sandbox',
      random.pick([
        { only, fail: '5xx' } as const,
        { only, fail: 'reset', after_work: true } as const,
        { only, answer_after_timeout: true },
        { only, delay_ms: 3_000 },
      ]),
    );
    await pause(random, 500, 3_000);
  });

  experiment(
    'F1 one that was reserved is made although its process died before the start',
    async (context) => {
      const { cluster } = context;
      const [link] = await payLinks(context, 1);
      await cluster.temporal.kill();
      const ordered = await refundPart(context, link!, 'reserved');
      expect(ordered.final?.status).toBe(201);
      await Promise.all([...cluster.apis, ...cluster.workers].map((process) => process.kill()));
      await cluster.heal();
      context.healed_at = Date.now();
      await judgeRefunds(context, [link!], [ordered]);
    },
  );

  experiment(
    'F1 one that the gateway has made is settled although every process died before',
    async (context) => {
      const { cluster } = context;
      const [link] = await payLinks(context, 1);
      await setFaults(cluster.gateway, 'sandbox', {
        only: 'refund',
        fail: 'hang',
        after_work: true,
      });
      const ordered = await refundPart(context, link!, 'made');
      // The gateway was asked and has it; the service does not know.
      await waitFor(async () => {
        const { rows } = await cluster.database.owner.raw(
          'select asks, gateway_refund_id from refunds where idempotency_key = ?',
          ['made'],
        );
        return rows[0].asks > 0 && rows[0].gateway_refund_id === null;
      });
      await Promise.all([...cluster.apis, ...cluster.workers].map((process) => process.kill()));
      await setFaults(cluster.gateway, 'sandbox', {});
      await cluster.heal();
      context.healed_at = Date.now();
      await judgeRefunds(context, [link!], [ordered]);
    },
  );
});
