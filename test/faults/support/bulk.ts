// Bulk transfers and payout batches of an experiment, of users of their own: the load counts the money of the others.

import { balanceOf } from '../../support/balances';
import { waitFor } from '../../support/wait';
import type { System } from './cluster';
import type { ExperimentContext } from './experiment';
import { buildMerchants, createPayouts, outcomeAt, type PayoutRecord } from './payout-load';
import { postAs } from './http-client';
import { atLast, buildUsers, type FundedUser } from './users';

const RECIPIENTS = 20;
/** The machine does other work, too. */
export const OVER_WITHIN_MS = 120_000;

export interface OrderedBulk {
  readonly id: string;
  readonly items: number;
  readonly sender: FundedUser;
  readonly recipients: readonly FundedUser[];
}

interface Row {
  readonly status: string;
  readonly completed: number;
  readonly failed: number;
}

/** @param items a multiple of twenty, a cent each */
export async function orderBulk(
  context: ExperimentContext<System>,
  items: number,
  mode: 'independent' | 'atomic' = 'independent',
): Promise<OrderedBulk> {
  const [sender, ...recipients] = await atLast(() =>
    buildUsers(context.cluster.db, 1 + RECIPIENTS),
  );
  const transfers = Array.from({ length: items }, (_, i) => ({
    to_username: recipients[i % RECIPIENTS]!.username,
    currency: 'EUR',
    amount: 0.01,
    // Half of them are also single transfers' keys.
    ...(i % 2 === 0 ? { idempotency_key: `item-${i}` } : {}),
  }));
  const body = JSON.stringify({ transfers, mode });
  const id = await takeOrder(context, sender!, '/transfer-batches', body);
  return { id, items, sender: sender!, recipients };
}

export interface OrderedPayouts {
  readonly id: string;
  readonly records: readonly PayoutRecord[];
}

/** A payout batch to phones of every kind but those whose operator is closed. */
export async function orderPayoutBulk(
  context: ExperimentContext<System>,
  items: number,
): Promise<OrderedPayouts> {
  const [merchant] = await buildMerchants(context.cluster);
  const next = createPayouts([merchant!], context.random, ['live']);
  const plain = { is_confirmed: false, is_canceled: false, is_repeated: false };
  const records: PayoutRecord[] = [];
  while (records.length < items) {
    const record = { ...next(), ...plain };
    if (outcomeAt(record) !== 'waits') records.push(record);
  }
  const payouts = records.map(({ phone, amount }) => ({
    destination: { type: 'mobile_money', phone },
    currency: 'XOF',
    amount,
  }));
  const body = JSON.stringify({ payouts, confirm: true });
  return { id: await takeOrder(context, merchant!, '/payout-batches', body), records };
}

/** Waits until each item is a payout; the judge of payouts then knows each by its key, and by its order. */
export async function judgePayoutBulk(
  { cluster, payouts }: ExperimentContext<System>,
  { id, records }: OrderedPayouts,
): Promise<void> {
  const items = await waitFor(async () => {
    const ordered = cluster
      .db<{ index: number; reference: string }>('payout_batch_items as i')
      .join('payouts as p', 'p.id', 'i.payout_id')
      .where({ 'i.batch_id': id });
    const found = await ordered.select('i.index', 'p.reference').catch(noRow);
    return found?.length === records.length && found;
  }, OVER_WITHIN_MS);
  for (const { index, reference } of items) {
    const final = { status: 201, headers: {}, text: reference, ms: 0 };
    payouts.push({ ...records[index]!, key: `${id}/${index}`, final });
  }
  const [made] = await cluster.db('payouts').where({ batch_id: id }).count();
  expect(Number(made!['count'])).toBe(records.length);
}

/** Sends it until it is taken, and returns its id. */
function takeOrder(
  context: ExperimentContext<System>,
  sender: FundedUser,
  path: string,
  body: string,
): Promise<string> {
  return waitFor(() => sendOrder(context, sender, path, body), OVER_WITHIN_MS);
}

/** Undefined when it has to be sent again. */
async function sendOrder(
  { client, cluster }: ExperimentContext<System>,
  sender: FundedUser,
  path: string,
  body: string,
): Promise<string | undefined> {
  const response = await postAs(client, cluster.apis[0]!, {
    user_key: sender.keys.live,
    key: 'wages',
    path,
    body,
  });
  if (response.status === undefined) return undefined;
  if (response.status === 202) return (JSON.parse(response.text) as { readonly id: string }).id;
  expect([409, 503]).toContain(response.status);
  return undefined;
}

/** Undefined while Postgres is away. */
export async function lookAtBulk(
  { cluster }: ExperimentContext<System>,
  id: string,
): Promise<Row | undefined> {
  return cluster.db<Row & { id: string }>('transfer_batches').where({ id }).first().catch(noRow);
}

const noRow = (): undefined => undefined;

/** Waits for its end: each item is posted once, none is lost. */
export async function judgeBulk(
  context: ExperimentContext<System>,
  { id, items, sender, recipients }: OrderedBulk,
): Promise<void> {
  const { cluster } = context;
  const row = await waitFor(async () => {
    const found = await lookAtBulk(context, id);
    return found !== undefined && found.status !== 'processing' && found;
  }, OVER_WITHIN_MS);
  expect(row).toMatchObject({ status: 'completed', completed: items, failed: 0 });
  const balance = (user: FundedUser): Promise<bigint> => balanceOf(cluster.db, user, 'EUR');
  expect(sender.funds.EUR - (await balance(sender))).toBe(BigInt(items));
  for (const recipient of recipients) {
    expect((await balance(recipient)) - recipient.funds.EUR).toBe(BigInt(items / RECIPIENTS));
  }
  const [posted] = await cluster.db('transfers').where({ batch_id: id }).count();
  expect(Number(posted!['count'])).toBe(items);
}
