// Transfers are held, released, refused and expire while everything around is killed: each order is one case and each
// case has one end, whatever operators were told.

import { setTimeout as delay } from 'node:timers/promises';
import { expireCase, listCases } from '../../db/risk/cases';
import { balanceOf } from '../support/balances';
import { decide, removeRules, setRule } from '../support/risk';
import type { Attempt } from './support/caller';
import { useCluster, type ExperimentContext } from './support/experiment';
import { postAs, type Reply } from './support/http-client';
import { killed, pause } from './support/plan';
import { awaitFreshTransfers } from './support/recovery';
import { FAULT_SECONDS } from './support/settings';
import { buildUsers, type FundedUser } from './support/users';

const ORDERS = 40;
const SENT = 2_000;
const SENT_MINOR = 200_000n;
const PAY_URL = 'https://pay.example.com';

interface HeldOrder {
  readonly key: string;
  readonly attempts: Attempt[];
}

describe('holds', () => {
  const experiment = useCluster();

  experiment('F1 each has one end when APIs, workers and Postgres are killed', async (context) => {
    const { cluster, random } = context;
    const [from, to] = (await buildUsers(cluster.db, 2, {
      XOF: 100_000_000n,
      EUR: 0n,
      USD: 0n,
    })) as [FundedUser, FundedUser];
    await setRule(cluster.database.operator, { user_id: from.id, watches: ['transfer'] });
    context.onEnd(() => removeRules(cluster.database.owner));

    const until = Date.now() + FAULT_SECONDS * 1_000;
    const orders = Array.from({ length: ORDERS }, (_, n) => ({ key: `held-${n}`, attempts: [] }));
    const ordering = Promise.all(
      orders.map(async (order) => {
        await pause(random, 0, FAULT_SECONDS * 900);
        await insist(context, from, to, order);
      }),
    );
    let isOver = false;
    // Two operators and the clock decide about the same cases.
    const deciding = ['olivia', 'omar', null].map(async (actor) => {
      while (!isOver) await decideAll(context, from, actor).catch(() => delay(100));
    });
    while (Date.now() < until) {
      await pause(random, 200, 900);
      const victims = [
        random.pick([...cluster.apis, ...cluster.workers]),
        ...(random.chance(0.3) ? [cluster.postgres] : []),
      ];
      await killed(random, victims, 0, 800);
    }
    await cluster.heal();
    context.healed_at = Date.now();
    await ordering;
    await awaitFreshTransfers(cluster, context.users, context.records, context);
    isOver = true;
    await Promise.all(deciding);
    await decideAll(context, from, 'olivia');
    await judge(context, from, to, orders);
  });
});

/** The same request with the same key until it has an answer. */
async function insist(
  { client, cluster }: ExperimentContext,
  from: FundedUser,
  to: FundedUser,
  { key, attempts }: HeldOrder,
): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    const api = cluster.apis[turn % cluster.apis.length]!;
    const at = Date.now();
    const reply = await postAs(client, api, {
      user_key: from.keys.live,
      key,
      path: '/transfers',
      body: JSON.stringify({ to_username: to.username, currency: 'XOF', amount: SENT }),
    });
    attempts.push({ ...reply, api: api.name, at });
    if (reply.status !== undefined && ![409, 503].includes(reply.status)) return;
    await delay(200);
  }
}

/** @param actor releases every second case and refuses the others; null: the time of every third is over */
async function decideAll(
  { cluster, random }: ExperimentContext,
  { id }: FundedUser,
  actor: string | null,
): Promise<void> {
  const { operator, owner, db } = cluster.database;
  for (const { reference } of await listCases(operator, {
    status: 'held',
    user_id: id,
    limit: 100,
  })) {
    if (actor !== null) {
      await decide(operator, reference, random.chance(0.5) ? 'release' : 'refuse', actor);
    } else if (random.chance(0.3)) {
      const over =
        'update risk_cases set expires_at = clock_timestamp() where reference = ? and status = ?';
      await owner.raw(over, [reference, 'held']);
      await expireCase(db, reference, PAY_URL);
    }
  }
  await delay(50);
}

interface HeldRow {
  readonly key: string;
  readonly reference: string;
  readonly transfer: string;
  readonly ended: string;
  readonly received: number;
  readonly returned: number;
}

async function judge(
  context: ExperimentContext,
  from: FundedUser,
  to: FundedUser,
  orders: readonly HeldOrder[],
): Promise<void> {
  const { cluster, faults } = context;
  const { rows } = (await cluster.database.owner.raw(
    `select t.idempotency_key as key, t.reference, t.status as transfer, c.status as ended,
            (select count(*)::int from transactions x where x.reference = t.reference and x.type = 'transfer_in') as received,
            (select count(*)::int from transactions x where x.reference = t.reference and x.type = 'reversal') as returned
       from risk_cases c left join transfers t on t.reference = c.subject where c.user_id = ?`,
    [from.id],
  )) as { rows: HeldRow[] };
  if (rows.length !== orders.length) faults.push(`${rows.length} cases of ${orders.length} orders`);
  for (const { key, attempts } of orders) {
    const of_key = rows.filter((row) => row.key === key);
    const told = new Set(
      (attempts.filter(({ status }) => status === 202) as Reply[]).map(({ text }) => text),
    );
    if (of_key.length !== 1 || told.size !== 1 || ![...told][0]!.includes(of_key[0]!.reference)) {
      faults.push(`${key}: ${of_key.length} transfers, ${told.size} answers`);
    }
  }
  const count = { released: 0, refused: 0, expired: 0 };
  for (const { reference, transfer, ended, received, returned } of rows) {
    const isReleased = ended === 'released';
    if (ended in count) count[ended as keyof typeof count] += 1;
    else faults.push(`${reference} is ${ended}`);
    const [status, arrived, back] = isReleased ? ['completed', 1, 0] : ['refused', 0, 1];
    if (transfer !== status || received !== arrived || returned !== back) {
      faults.push(`${reference}: ${ended}, and it is ${transfer}, +${received}, back ${returned}`);
    }
  }
  const moved = BigInt(count.released) * SENT_MINOR;
  for (const [user, expected] of [
    [from, from.funds.XOF - moved],
    [to, to.funds.XOF + moved],
  ] as const) {
    const balance = await balanceOf(cluster.db, user);
    if (balance !== expected) faults.push(`${user.username} has ${balance}, not ${expected}`);
  }
  for (const [name, figure] of Object.entries(count)) context.note(name, figure);
  context.note(
    'asked_again',
    orders.reduce((sum, { attempts }) => sum + attempts.length - 1, 0),
  );
}
