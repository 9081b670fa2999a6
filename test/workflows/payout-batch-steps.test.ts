// Some of a payout batch's step, without its workflow: what is asked and ordered, and when the next batch has its turn.

import {
  createPayoutBatchActivities,
  type PayoutBatchActivityDependencies,
} from '../../activities/payout-batches';
import { failPayoutItem } from '../../db/payout-batches/payout-batches';
import { railOf } from '../../dev/simulators/gateway/operators';
import type { DestinationToCheck } from '../../domain/payout';
import type { PayoutProvider } from '../../gateway/payout-port';
import { createVoices } from '../../use-cases/risk/voices';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { buildItem, itemsOfBatch, orderedBatch } from '../support/payout-batches';
import { buildUser, type TestUser } from '../support/users';

let database: TestDatabase;
let merchant: TestUser;
let asked: number;
let woken: string[];
let onCheck: () => void;

beforeAll(async () => {
  database = await createTestDatabase();
  merchant = await buildUser(database.db, { funds: { sandbox: { XOF: 100_000_000n } } });
});

beforeEach(() => {
  asked = 0;
  woken = [];
  onCheck = () => undefined;
});

const provider = {
  name: 'sandbox',
  check: async ({ destination, currency }: DestinationToCheck) => {
    asked += 1;
    onCheck();
    return { payable: true, rail: railOf(destination, currency)!, name_found: 'Awa Diop' };
  },
} as unknown as PayoutProvider;

function steps(
  providers: readonly PayoutProvider[] = [provider],
  more: Partial<PayoutBatchActivityDependencies> = {},
) {
  return createPayoutBatchActivities({
    db: database.db,
    payout_providers: { live: [], sandbox: providers },
    voices: createVoices([]),
    pursue: async (_kind, ids) => void woken.push(...ids),
    wakePayoutBatches: async () => undefined,
    log: () => undefined,
    ...more,
  });
}

function order(items: number): Promise<string> {
  const built = Array.from({ length: items }, () => buildItem());
  return orderedBatch(database.db, merchant, built);
}

const statusesOf = async (id: string): Promise<string[]> =>
  (await itemsOfBatch(database.db, id)).map(({ status }) => status);

it('ends its turn when half a second is over', async () => {
  const id = await order(8);
  const real_now = performance.now.bind(performance);
  let later_ms = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => real_now() + later_ms);
  onCheck = () => (later_ms += 600);
  expect(await steps().runPayoutBatch(id)).toMatchObject({ step: 'check', next_index: 4 });
  clock.mockRestore();
});

it('waits while no provider is configured', async () => {
  const id = await order(1);
  expect(await steps([]).runPayoutBatch(id)).toMatchObject({ next_index: 0, is_full: true });
  expect(await steps().runPayoutBatch(id)).toMatchObject({ step: null });
  expect(woken).toHaveLength(1);
});

it.each([
  ['a single provider about an item once', [provider], 1],
  ['each of several once more when the item is ordered', [provider, provider], 4],
] as const)('asks %s, and nobody about one that is over', async (_what, providers, times) => {
  const id = await order(2);
  await failPayoutItem(database.db, id, 0, 'not_ordered');
  await steps(providers).runPayoutBatch(id);
  expect({ asked, woken: woken.length }).toEqual({ asked: times, woken: 1 });
  expect(await statusesOf(id)).toEqual(['failed', 'pending']);
});

it('takes a start of a workflow that is lost for no refusal of the item', async () => {
  const id = await order(1);
  const lost = new Error('Temporal is away');
  const pursue = (): Promise<void> => Promise.reject(lost);
  await expect(steps([provider], { pursue }).runPayoutBatch(id)).rejects.toThrow(lost);
  expect(await statusesOf(id)).toEqual(['pending']);
  await steps().runPayoutBatch(id);
  expect(woken).toHaveLength(1);
});
