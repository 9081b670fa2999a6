// Refunds of paid links under faults: a good merchant's calls, and the check that each key is one refund, that
// it ends as the gateway says, and that every unit is somewhere.

import { setTimeout as delay } from 'node:timers/promises';
import type { RefundCourse } from '../../../dev/simulators/gateway/courses';
import { balanceOf } from '../../support/balances';
import { actAt, recordsIn } from '../../support/sandbox-gateway';
import { waitFor } from '../../support/wait';
import type { ExperimentContext } from './experiment';
import { postAs, type Reply } from './http-client';
import { buildUsers, type FundedUser } from './users';

/** A refund succeeds at once, after a while, or not at all. */
const COURSES = [undefined, 'slow', 'fail'] as const;
type Course = Extract<RefundCourse, 'slow' | 'fail'> | undefined;
const PAID_MINOR = 500_000n;
const PART = 1_000;
const COURSE_MS = 300;
/** A deadline of the gateway, a task lost with its process and the sweeper may take so long, one after the other. */
const ENDED_WITHIN_MS = 90_000;

export interface PaidLink {
  readonly id: string;
  readonly merchant: FundedUser;
  readonly course: Course;
}

export interface RefundCall {
  readonly link: PaidLink;
  readonly key: string;
  final: Reply | undefined;
}

/** Makes the merchant, whose wallets nothing else touches. */
export async function payLinks(context: ExperimentContext, count: number): Promise<PaidLink[]> {
  const [merchant] = (await buildUsers(context.cluster.db, 1)) as [FundedUser];
  const links: PaidLink[] = [];
  for (let n = 0; n < count; n += 1) {
    const course = COURSES[n % COURSES.length];
    const body = '{"amount":5000,"currency":"XOF"}';
    const { text } = await call(context, merchant, '/payment-intents', `link-${n}`, body);
    const { id, checkout_url } = JSON.parse(text) as { id: string; checkout_url: string };
    const refunds = course === undefined ? {} : { refunds: course };
    await actAt(checkout_url, 'pay', { delay_ms: COURSE_MS, ...refunds });
    links.push({ id, merchant, course });
  }
  await waitFor(async () => {
    const { rows } = await context.cluster.database.owner.raw(
      `select count(*)::int as paid from payment_intents where status = 'succeeded' and user_id = ?`,
      [merchant.id],
    );
    return rows[0].paid === count;
  }, ENDED_WITHIN_MS);
  return links;
}

/** One part, with the same key until there is a final response. */
export async function refundPart(
  context: ExperimentContext,
  link: PaidLink,
  key: string,
): Promise<RefundCall> {
  const refund: RefundCall = { link, key, final: undefined };
  const body = `{"amount":${PART}}`;
  refund.final = await call(
    context,
    link.merchant,
    `/payment-intents/${link.id}/refunds`,
    key,
    body,
  );
  return refund;
}

async function call(
  { cluster: { apis }, client }: ExperimentContext,
  merchant: FundedUser,
  path: string,
  key: string,
  body: string,
): Promise<Reply> {
  for (let turn = 0; ; turn += 1) {
    const api = apis[turn % apis.length]!;
    const user_key = merchant.keys.sandbox;
    const reply = await postAs(client, api, { user_key, key, path, body });
    if (reply.status !== undefined && ![409, 502, 503, 504].includes(reply.status)) return reply;
    await delay(200);
  }
}

/** Waits for the end of each refund, then compares the service's books with the gateway's. */
export async function judgeRefunds(
  context: ExperimentContext,
  links: readonly PaidLink[],
  calls: readonly RefundCall[],
): Promise<void> {
  const { cluster, faults } = context;
  const { owner, db } = cluster.database;
  const ids = links.map(({ id }) => id);
  const read = async (): Promise<RefundRow[]> => {
    const { rows } = await owner.raw('select * from refunds where intent_id = any (?)', [ids]);
    return rows as RefundRow[];
  };
  await waitFor(
    async () => (await read()).every(({ status }) => status !== 'pending'),
    ENDED_WITHIN_MS,
  );
  const rows = await read();
  const made = calls.filter(({ final }) => final?.status === 201);
  if (rows.length !== made.length)
    faults.push(`${made.length} were answered, ${rows.length} exist`);
  for (const { key, final, link } of calls) {
    const of_key = rows.filter((row) => row.idempotency_key === key);
    if (final?.status === 422 && of_key.length === 0) continue;
    const [row] = of_key;
    if (final?.status !== 201 || of_key.length !== 1 || !final.text.includes(row!.reference)) {
      faults.push(`${key}: ${final?.status} and ${of_key.length} refunds`);
    } else if (row!.status !== (link.course === 'fail' ? 'failed' : 'succeeded')) {
      faults.push(`${key}: ${row!.status}, and the gateway's course was ${link.course}`);
    }
  }
  for (const [what, count] of countAtGateway(cluster.gateway.file, rows)) {
    if (count !== 1) faults.push(`${what}: the gateway has made ${count}`);
  }
  const [merchant] = links.map((link) => link.merchant) as [FundedUser];
  const out = rows.filter(({ status }) => status === 'succeeded');
  const expected =
    merchant.funds.XOF +
    BigInt(links.length) * PAID_MINOR -
    out.reduce((sum, { amount_minor }) => sum + amount_minor, 0n);
  const balance = await balanceOf(db, merchant, 'XOF', 'sandbox');
  if (balance !== expected) faults.push(`the wallet has ${balance}, not ${expected}`);
  context.note('refunds', rows.length);
  context.note('asked_again', rows.filter(({ asks }) => asks > 1).length);
}

interface RefundRow {
  readonly id: string;
  readonly reference: string;
  readonly idempotency_key: string;
  readonly status: string;
  readonly amount_minor: bigint;
  readonly asks: number;
}

/** How many refunds the gateway has made for each of ours. */
function countAtGateway(file: string, rows: readonly RefundRow[]): Map<string, number> {
  const counts = new Map(rows.map(({ id }) => [`refund/${id}`, 0]));
  for (const { idempotency_key: key } of recordsIn(file, 'refund')) {
    if (counts.has(key)) counts.set(key, counts.get(key)! + 1);
  }
  return counts;
}
