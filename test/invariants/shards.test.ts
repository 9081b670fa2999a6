// The plan for several ledgers (docs/scale.md), held against every order of its steps and every death between two of
// them. What is proved is its arithmetic: the product has one ledger.

import {
  coordinate,
  createShard,
  MOST_IN_A_WALLET,
  reap,
  type Course,
  type Omission,
  type Shard,
  type Transfer,
} from './shards';

interface Scene {
  readonly payers: Shard;
  readonly payees: Shard;
  readonly transfers: readonly Transfer[];
}

/** Two payers, and a payee with room for one of their transfers. */
function setScene(): Scene {
  const payers = createShard('A', { ama: 90, ali: 60 });
  const payees = createShard('B', { bio: MOST_IN_A_WALLET - 50 });
  const transfers = [
    { id: 't1', payer: 'ama', payee: 'bio', amount: 40 },
    { id: 't2', payer: 'ali', payee: 'bio', amount: 40 },
  ];
  return { payers, payees, transfers };
}

const MONEY = 90 + 60 + MOST_IN_A_WALLET - 50;

const sum = (of: Map<string, number>): number => [...of.values()].reduce((a, b) => a + b, 0);

/** What must hold after every single step. */
function faultIn({ payers, payees, transfers }: Scene): string | undefined {
  const between = sum(payers.interbook) + sum(payees.interbook);
  const total = sum(payers.wallets) + sum(payees.wallets) + between;
  if (total !== MONEY) return `the money is ${total}`;
  const under_way = transfers.filter(
    ({ id }) => payers.outcomes.get(id) === 'completed' && !payees.credited.has(id),
  );
  const owed = under_way.reduce((all, { amount }) => all + amount, 0);
  if (between !== owed) return `${between} between the shards, ${owed} under way`;
  for (const { wallets } of [payers, payees]) {
    for (const [name, balance] of wallets) {
      if (balance < 0 || balance > MOST_IN_A_WALLET) return `${name} has ${balance}`;
    }
  }
  const unpaid = transfers.find(
    ({ id }) => payees.credited.has(id) && payers.outcomes.get(id) !== 'completed',
  );
  return unpaid && `${unpaid.id} is credited and not debited`;
}

/** What must hold when all is quiet. */
function restIn(scene: Scene): string | undefined {
  const { payers, payees, transfers } = scene;
  // What waits is ended by the shards themselves, whoever has died.
  for (const transfer of transfers) Array.from(drive(reap(payers, payees, transfer)));
  if (payees.tickets.size > 0) return 'room is promised for ever';
  const lost = transfers.find(
    ({ id }) => payers.outcomes.get(id) === 'completed' && !payees.credited.has(id),
  );
  return lost ? `${lost.id} is debited and never credited` : faultIn(scene);
}

function* drive(course: Course): Generator<string> {
  let next = course.next();
  while (!next.done) {
    const answer = next.value.run();
    yield next.value.name;
    next = course.next(answer as never);
  }
}

/** Who is there: two coordinators of the first transfer, as after a pause, one of the second, and a reaper. */
function coursesOf({ payers, payees, transfers }: Scene, omitted?: Omission): Generator<string>[] {
  const [first, second] = transfers as [Transfer, Transfer];
  return [
    drive(coordinate(payers, payees, first, omitted)),
    drive(coordinate(payers, payees, first, omitted)),
    drive(reap(payers, payees, first, omitted)),
    drive(coordinate(payers, payees, second, omitted)),
  ];
}

/** Plays the steps in an order, a number for whose turn it is; what follows the last one has died. */
function play(order: readonly number[], omitted?: Omission): string | undefined {
  const scene = setScene();
  const courses = coursesOf(scene, omitted);
  for (const [place, turn] of order.entries()) {
    courses[turn]!.next();
    const fault = faultIn(scene);
    if (fault !== undefined) return `${fault} after ${order.slice(0, place + 1).join('')}`;
  }
  const fault = restIn(scene);
  return fault && `${fault} after ${order.join('')}`;
}

/** Every order of the steps of these courses, from none taken to all taken. */
function* ordersOf(left: readonly number[]): Generator<number[]> {
  yield [];
  for (const [turn, steps] of left.entries()) {
    if (steps === 0) continue;
    const rest = left.map((count, place) => (place === turn ? count - 1 : count));
    for (const order of ordersOf(rest)) yield [turn, ...order];
  }
}

/** The most steps that each course has. */
const STEPS = [3, 3, 3, 3];
const TWO_OF_ONE = [3, 3, 3, 0];
const TWO_TRANSFERS = [3, 0, 3, 3];

function firstFault(omitted?: Omission): string | undefined {
  for (const left of [TWO_OF_ONE, TWO_TRANSFERS]) {
    for (const order of ordersOf(left)) {
      const fault = play(order, omitted);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

it('keeps the money in every order of the steps, wherever all of them die', () => {
  expect(firstFault()).toBeUndefined();
});

it('keeps it in random orders of all of them', () => {
  let seed = 7;
  const random = (most: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % most;
  };
  const faults = Array.from({ length: 20_000 }, () => {
    const order = Array.from({ length: random(13) }, () => random(STEPS.length));
    return play(order);
  }).filter((fault) => fault !== undefined);
  expect(faults).toEqual([]);
});

it.each<[Omission, RegExp]>([
  ['debits once', /between the shards/],
  ['credits once', /between the shards/],
  ['writes that it will never debit', /bio has|never credited/],
  ['keeps room for what it has promised', /bio has 130/],
])('would fail if no shard %s', (omitted, fault) => {
  expect(firstFault(omitted)).toMatch(fault);
});
