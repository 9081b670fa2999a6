// Orders that come at a fixed pace, however the earlier ones end: a gateway that hangs gets
// more and more requests meanwhile.

import type { System } from './cluster';
import type { ExperimentContext } from './experiment';
import { startOpenLoad, type Load } from './load';
import { environmentsOf } from '../../support/sandbox-gateway';
import { createOrders } from './orders';
import type { FundedUser } from './users';
import { createRandom } from './random';
import { FAULT_SEED } from './settings';
import { orderRecordOf, runOrder } from './run-order';

export interface OrderLoadOptions {
  readonly merchants: readonly FundedUser[];
  readonly per_second?: number;
  readonly max_under_way?: number;
}

/** Two cores are shared with the transfers, the servers and this process. */
const PER_SECOND = 10;
const MAX_UNDER_WAY = 150;
/** An expiry and all retries end sooner after the load is stopped and all is healed. */
const DRAIN_LIMIT_MS = 60_000;

export function startOrderLoad(
  { code, client, cluster, orders }: ExperimentContext<System>,
  { merchants, per_second = PER_SECOND, max_under_way = MAX_UNDER_WAY }: OrderLoadOptions,
): Load {
  const random = createRandom(FAULT_SEED, `${code} orders`);
  const next = createOrders(merchants, random, environmentsOf(cluster.gateway));
  let stopped_at = Infinity;
  const options = {
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
      const record = orderRecordOf(next());
      orders.push(record);
      await runOrder(record, options);
    },
    onStop: () => (stopped_at = Date.now()),
  });
}
