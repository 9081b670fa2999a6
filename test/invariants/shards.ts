// The arithmetic of transfers between shards, as docs/scale.md plans it: what each shard keeps, the statement that each
// step would be, and who takes the steps. Nothing of it is in the product.

/** One statement on one shard: it happens wholly or not at all. */
export interface Step {
  readonly name: string;
  readonly run: () => unknown;
}
/** A coordinator or a reaper between its steps. It gets each step's answer, and may die anywhere. */
export type Course = Generator<Step, void, never>;

export interface Transfer {
  readonly id: string;
  readonly payer: string;
  readonly payee: string;
  readonly amount: number;
}

/** What a shard does not do in a protocol that is broken on purpose. */
export type Omission =
  | 'debits once'
  | 'credits once'
  | 'writes that it will never debit'
  | 'keeps room for what it has promised';

type Outcome = 'completed' | 'refused' | 'lapsed';

export const MOST_IN_A_WALLET = 100;

export interface Shard {
  readonly name: string;
  readonly wallets: Map<string, number>;
  /** What other shards owe to this one (less than zero) or get from it, by their names. */
  readonly interbook: Map<string, number>;
  /** As payer: what was stored for the transfer's key. */
  readonly outcomes: Map<string, Outcome>;
  /** As payee: room that is promised to a transfer, and transfers that were credited. */
  readonly tickets: Map<string, Transfer>;
  readonly credited: Set<string>;
}

export function createShard(name: string, wallets: Readonly<Record<string, number>>): Shard {
  return {
    name,
    wallets: new Map(Object.entries(wallets)),
    interbook: new Map(),
    outcomes: new Map(),
    tickets: new Map(),
    credited: new Set(),
  };
}

function add(to: Map<string, number>, name: string, amount: number): void {
  to.set(name, (to.get(name) ?? 0) + amount);
}

function reserve(on: Shard, transfer: Transfer, omitted?: Omission): 'reserved' | 'refused' {
  const { id, payee, amount } = transfer;
  if (on.tickets.has(id)) return 'reserved';
  const balance = on.wallets.get(payee);
  if (balance === undefined) return 'refused';
  const others = [...on.tickets.values()].filter((one) => one.payee === payee);
  const promised =
    omitted === 'keeps room for what it has promised'
      ? 0
      : others.reduce((sum, one) => sum + one.amount, 0);
  if (balance + promised + amount > MOST_IN_A_WALLET) return 'refused';
  on.tickets.set(id, transfer);
  return 'reserved';
}

function debit(on: Shard, to: Shard, transfer: Transfer, omitted?: Omission): Outcome {
  const { id, payer, amount } = transfer;
  const stored = on.outcomes.get(id);
  if (stored !== undefined && omitted !== 'debits once') return stored;
  const outcome = on.wallets.get(payer)! < amount ? 'refused' : 'completed';
  on.outcomes.set(id, outcome);
  if (outcome === 'completed') {
    add(on.wallets, payer, -amount);
    add(on.interbook, to.name, amount);
  }
  return outcome;
}

function credit(on: Shard, from: Shard, { id, payee, amount }: Transfer, omitted?: Omission): void {
  on.tickets.delete(id);
  if (on.credited.has(id) && omitted !== 'credits once') return;
  on.credited.add(id);
  add(on.wallets, payee, amount);
  add(on.interbook, from.name, -amount);
}

/** The payer's shard says what became of a transfer, and from then on it stays so. */
function decide(on: Shard, { id }: Transfer, omitted?: Omission): Outcome {
  const stored = on.outcomes.get(id);
  if (stored !== undefined) return stored;
  if (omitted !== 'writes that it will never debit') on.outcomes.set(id, 'lapsed');
  return 'lapsed';
}

/** The workflow of one transfer, from its beginning: a second one of the same transfer does no harm. */
export function* coordinate(
  payers: Shard,
  payees: Shard,
  transfer: Transfer,
  omitted?: Omission,
): Course {
  const reserved: unknown = yield {
    name: 'reserve',
    run: () => reserve(payees, transfer, omitted),
  };
  if (reserved === 'refused') return;
  const outcome: unknown = yield {
    name: 'debit',
    run: () => debit(payers, payees, transfer, omitted),
  };
  if (outcome === 'completed') {
    yield { name: 'credit', run: () => credit(payees, payers, transfer, omitted) };
  } else {
    yield { name: 'drop', run: () => payees.tickets.delete(transfer.id) };
  }
}

/** Ends a ticket that is older than any coordinator should need. */
export function* reap(
  payers: Shard,
  payees: Shard,
  transfer: Transfer,
  omitted?: Omission,
): Course {
  const is_open: unknown = yield { name: 'look', run: () => payees.tickets.has(transfer.id) };
  if (is_open !== true) return;
  const outcome: unknown = yield { name: 'decide', run: () => decide(payers, transfer, omitted) };
  if (outcome === 'completed') {
    yield { name: 'credit', run: () => credit(payees, payers, transfer, omitted) };
  } else {
    yield { name: 'drop', run: () => payees.tickets.delete(transfer.id) };
  }
}
