// The released version runs, and has work of every kind under way; the next one's schema is applied and the processes are
// replaced one by one, back again on the new schema, and forth: no request fails, no process errs, everything comes to its end.

import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { judgeBulk, orderBulk } from '../faults/support/bulk';
import { startCluster, type Api, type Cluster, type Target } from '../faults/support/cluster';
import { underLoad, useSystem, type ExperimentContext } from '../faults/support/experiment';
import { postAs } from '../faults/support/http-client';
import { plainOrder } from '../faults/support/orders';
import { inParallel } from '../faults/support/parallel';
import { buildMerchants } from '../faults/support/payout-load';
import {
  cancelIntent,
  orderRecordOf,
  readCreated,
  runOrder,
  type OrderRecord,
} from '../faults/support/run-order';
import { buildUsers } from '../faults/support/users';
import { migrateToNext, nextProgram } from './support/next';

/** 100,000 transfers, in orders of the most that one may have. */
const BULKS = 10;
const BULK_ITEMS = 10_000;
const LINKS = 1_000;
const PAYOUTS = 100;
/** Its operator is closed, so the payout waits until it is canceled. */
const CLOSED_PHONE = '+221770000007';
/** Long enough under load that what was begun by the version before ends in this one. */
const BETWEEN_MS = 3_000;
const START_LIMIT_MS = 300_000;

const experiment = useSystem(() => startCluster(), START_LIMIT_MS);

describe('an upgrade with data, under load', () => {
  experiment('U1 forth, back on the new schema, and forth', async (context) => {
    const { cluster, users, records, orders, faults } = context;
    const bulks = [];
    for (let i = 0; i < BULKS; i += 1) {
      const ordered = await orderBulk(context, BULK_ITEMS);
      await judgeBulk(context, ordered);
      bulks.push(ordered);
    }
    const links = await openLinks(context);
    const waiting = await openPayouts(context);

    const serving: Target[] = [...cluster.apis];
    const next = nextProgram();
    await underLoad(
      context,
      async () => {
        const began_at = Date.now();
        expect(await migrateToNext(cluster.database).ended).toBe(0);
        for (const program of [next, cluster.program, next]) {
          await replaceAll(cluster, serving, program);
        }
        const seconds = (Date.now() - began_at) / 1_000;
        const asked = allAttempts(context).filter(({ at }) => at >= began_at).length;
        context.note('requests', asked);
        context.note('a_second', Math.round(asked / seconds));
      },
      {
        users: users.slice(2),
        apis: serving,
        order_options: { merchants: users.slice(2), per_second: 4 },
        payout_options: { per_second: 2 },
      },
    );
    const failed = allAttempts(context).filter(({ status }) => (status ?? 500) >= 500);
    faults.push(...failed.map((attempt) => `a request failed: ${JSON.stringify(attempt)}`));
    faults.push(...errorsOf(cluster));

    await endLinks(context, links);
    orders.push(...links);
    for (const { id, user_key } of waiting) {
      const path = `/payouts/${id}/cancel`;
      const answer = await postAs(context.client, cluster.apis[0]!, { user_key, key: path, path });
      if (answer.status !== 200)
        faults.push(`a payout was not canceled: ${JSON.stringify(answer)}`);
    }
    for (const bulk of bulks) await judgeBulk(context, bulk);
    const seeded = await cluster.db('transfers').whereNull('purpose').count();
    context.note('transfers', records.length + BULKS * BULK_ITEMS);
    context.note('made_since_without_purpose', Number(seeded[0]!['count']));
  });
});

/** One process after the other, as deploy/README.md does it: an API gets no new request once it is told to end. */
async function replaceAll(cluster: Cluster, serving: Target[], program: string): Promise<void> {
  for (const process of [...cluster.apis, ...cluster.workers]) {
    const place = serving.indexOf(process as Api);
    if (place >= 0) serving.splice(place, 1);
    await process.terminate();
    process.useProgram(program);
    await process.start();
    if (place >= 0) serving.splice(place, 0, process as Api);
    await delay(BETWEEN_MS);
  }
}

function allAttempts({ records, orders }: ExperimentContext) {
  return [
    ...records.flatMap(({ attempts }) => attempts),
    ...orders.flatMap(({ attempts, cancels }) => [...attempts, ...cancels]),
  ];
}

/** Lines of the processes' logs that tell of a fault. */
function errorsOf(cluster: Cluster): string[] {
  const { apis, workers } = cluster;
  return [...apis, ...workers].flatMap(({ name }) =>
    readFileSync(cluster.logOf(name), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"log":"error"'))
      .map((line) => `${name} erred: ${line}`),
  );
}

/** Links of payments that nobody has paid yet. */
async function openLinks({
  cluster,
  client,
  users,
  hooks,
}: ExperimentContext): Promise<OrderRecord[]> {
  const [merchant] = await buildUsers(cluster.db, 1);
  // The judges look at what these have, and at their webhooks.
  users.push(merchant!);
  for (const environment of ['live', 'sandbox'] as const) {
    await hooks.add({ user: merchant!, environment });
  }
  const links = Array.from({ length: LINKS }, (_, i) =>
    orderRecordOf(plainOrder({ key: `link-${i}`, merchant: merchant!, environment: 'live' })),
  );
  const options = { client, apis: cluster.apis, give_up_at: Infinity };
  await inParallel(links, (link) => runOrder(link, options));
  return links;
}

/** Every second one is paid, the others are canceled. */
async function endLinks(
  { cluster, client }: ExperimentContext,
  links: readonly OrderRecord[],
): Promise<void> {
  await inParallel(links, async (link) => {
    const { id, checkout_url } = readCreated(link.final!);
    if (Number(link.order.key.split('-')[1]) % 2 === 0) {
      link.cancels.push(await cancelIntent(client, cluster.apis[0]!, link.order, id));
      return;
    }
    const reply = await client.send({
      method: 'POST',
      url: checkout_url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'action=pay',
      timeout_ms: 20_000,
    });
    link.acts.push({ action: 'pay', tries: [reply] });
  });
}

async function openPayouts({ cluster, client }: ExperimentContext) {
  const [merchant] = await buildMerchants(cluster);
  const user_key = merchant!.keys.live;
  const destination = { type: 'mobile_money', phone: CLOSED_PHONE };
  const body = JSON.stringify({ currency: 'XOF', amount: 100, destination });
  const made: { id: string; user_key: string }[] = [];
  await inParallel([...Array(PAYOUTS).keys()], async (i) => {
    const request = { user_key, key: `waiting-${i}`, path: '/payouts', body };
    const answer = await postAs(client, cluster.apis[i % 2]!, request);
    expect(answer).toMatchObject({ status: 201 });
    made.push({
      id: (JSON.parse((answer as { text: string }).text) as { id: string }).id,
      user_key,
    });
  });
  return made;
}
