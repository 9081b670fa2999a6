// Merchants who pay phones at a fixed pace, each with one key until there is a response, and who confirm and cancel
// some of them. They are users of their own: nothing else touches their wallets.

import { setTimeout as delay } from 'node:timers/promises';
import { ENVIRONMENTS, type Environment } from '../../../domain/environment';
import { environmentsOf } from '../../support/sandbox-gateway';
import type { System, Target } from './cluster';
import type { ExperimentContext } from './experiment';
import { postAs, type HttpClient, type NoReply, type Reply } from './http-client';
import { startOpenLoad, type Load } from './load';
import { createRandom, type Random } from './random';
import { FAULT_SEED } from './settings';
import { atLast, buildUsers, type FundedUser } from './users';

/** The operator's act by the payout's phone, whose last digits say it (domain/test-phones.ts). */
const PHONES = {
  '+221770000100': 'paid',
  '+221770000101': 'paid',
  '+221770000008': 'paid',
  '+221770000011': 'paid',
  '+221770000012': 'paid',
  '+221770000003': 'not_paid',
  '+221770000006': 'not_paid',
  '+221770000009': 'not_paid',
  '+221770000007': 'waits',
} as const;
type Phone = keyof typeof PHONES;

export interface PayoutRecord {
  readonly key: string;
  readonly environment: Environment;
  readonly merchant: FundedUser;
  readonly phone: Phone;
  readonly amount: number;
  /** Names are looked at first, and the merchant confirms. */
  readonly is_confirmed: boolean;
  /** The merchant cancels at once, or when the operator turns out to be closed. */
  readonly is_canceled: boolean;
  /** Sent once more after the response, which has to come again byte for byte. */
  readonly is_repeated: boolean;
  /** Picks the process that gets the first request. */
  readonly first_api: number;
  /** 201 or 402; undefined when the merchant gave up. */
  final: Reply | undefined;
  again: Reply | undefined;
  /** Statuses that no merchant should see. */
  readonly strange: number[];
}

export function outcomeAt({ phone }: Pick<PayoutRecord, 'phone'>): (typeof PHONES)[Phone] {
  return PHONES[phone];
}

export interface PayoutLoadOptions {
  readonly per_second?: number;
  readonly max_under_way?: number;
}

const MERCHANTS = 4;
/** The last one can afford some of its payouts only. */
const RICH = { XOF: 100_000_000n, EUR: 0n, USD: 0n } as const;
const POOR = { ...RICH, XOF: 300_000n } as const;
const PER_SECOND = 6;
const MAX_UNDER_WAY = 60;
const DRAIN_LIMIT_MS = 60_000;
const AGAIN_AFTER_MS = 200;
/** After which the same request may get another response. */
const AGAIN: readonly (number | undefined)[] = [undefined, 409, 502, 503, 504];

export const buildMerchants = ({ db }: Pick<System, 'db'>): Promise<FundedUser[]> =>
  atLast(async () => [
    ...(await buildUsers(db, MERCHANTS - 1, RICH)),
    ...(await buildUsers(db, 1, POOR)),
  ]);

export function createPayouts(
  merchants: readonly FundedUser[],
  random: Random,
  environments: readonly Environment[] = ENVIRONMENTS,
): () => PayoutRecord {
  let count = 0;
  const phones = Object.keys(PHONES) as Phone[];
  return () => {
    count += 1;
    const phone = random.pick(phones);
    return {
      key: `payout-${count}`,
      environment: random.pick(environments),
      merchant: random.pick(merchants),
      phone,
      amount: random.integer(100, 500),
      is_confirmed: random.chance(0.2),
      is_canceled: outcomeAt({ phone }) === 'waits' || random.chance(0.15),
      is_repeated: random.chance(0.2),
      first_api: random.integer(0, 1),
      final: undefined,
      again: undefined,
      strange: [],
    };
  };
}

export async function startPayoutLoad(
  { code, client, cluster, payouts }: ExperimentContext<System>,
  { per_second = PER_SECOND, max_under_way = MAX_UNDER_WAY }: PayoutLoadOptions,
): Promise<Load> {
  const random = createRandom(FAULT_SEED, `${code} payouts`);
  const next = createPayouts(
    await buildMerchants(cluster),
    random,
    environmentsOf(cluster.gateway),
  );
  let stopped_at = Infinity;
  const options: CallOptions = {
    client,
    apis: cluster.apis,
    get give_up_at() {
      return stopped_at + DRAIN_LIMIT_MS * cluster.slowness;
    },
  };
  return startOpenLoad({
    per_second,
    max_under_way,
    async begin() {
      const record = next();
      payouts.push(record);
      await runPayout(record, options);
    },
    onStop: () => (stopped_at = Date.now()),
  });
}

export interface CallOptions {
  readonly client: HttpClient;
  readonly apis: readonly Target[];
  /** No try begins later than this (epoch, ms). */
  readonly give_up_at: number;
}

/** From the order to the last thing that the merchant does about it. */
export async function runPayout(record: PayoutRecord, options: CallOptions): Promise<void> {
  record.final = await insist(record, options, '/payouts');
  if (record.is_repeated && record.final) record.again = await insist(record, options, '/payouts');
  if (record.final?.status !== 201) return;
  const { id } = JSON.parse(record.final.text) as { readonly id: string };
  // 409: it is too late for that, or too early.
  if (record.is_confirmed) await insist(record, options, `/payouts/${id}/confirm`);
  if (record.is_canceled) await insist(record, options, `/payouts/${id}/cancel`);
}

const STATUSES: readonly number[] = [200, 201, 402, 409];

/** The same request until there is a final response; undefined when the merchant gives up. */
async function insist(
  record: PayoutRecord,
  { client, apis, ...options }: CallOptions,
  path: string,
): Promise<Reply | undefined> {
  const is_order = path === '/payouts';
  for (let turn = record.first_api; Date.now() < options.give_up_at; turn += 1) {
    const reply = await callApi({ client, api: apis[turn % apis.length]! }, record, path);
    const is_final =
      reply.status !== undefined && (!AGAIN.includes(reply.status) || isDecided(reply));
    if (is_final && (!is_order || reply.status !== 409)) {
      const final = reply as Reply;
      if (!STATUSES.includes(final.status)) record.strange.push(final.status);
      return final;
    }
    await delay(AGAIN_AFTER_MS);
  }
  return undefined;
}

/** Other conflicts are of a request with the same key that is under way. */
function isDecided(reply: Reply | NoReply): boolean {
  return reply.status === 409 && /payout_not_/.test(reply.text);
}

export function callApi(
  { client, api }: { readonly client: HttpClient; readonly api: Target },
  { merchant, environment, key, phone, amount, is_confirmed }: PayoutRecord,
  path: string,
): Promise<Reply | NoReply> {
  const body =
    path === '/payouts'
      ? {
          currency: 'XOF',
          amount,
          destination: { type: 'mobile_money', phone },
          confirm: !is_confirmed,
        }
      : undefined;
  return postAs(client, api, {
    user_key: merchant.keys[environment],
    key: body ? key : `${key}${path}`,
    path,
    body: body && JSON.stringify(body),
  });
}
