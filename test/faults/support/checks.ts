// Compares the responses that callers got with what the database holds. Returns every fault in words;
// none means that money and responses agree to the last unit and byte.

import { verifyLedger } from '../../../db/verify/verify';
import type { Currency } from '../../../domain/currency';
import { isFinal, promisesNoEffect, type Attempt, type OperationRecord } from './caller';
import type { System } from './cluster';
import { readBooks, type Books } from './books';
import type { FundedUser } from './users';

const ALLOWED_STATUSES: readonly (number | undefined)[] = [undefined, 200, 402, 404, 409, 503];

export async function findFaults(
  { db }: Pick<System, 'db'>,
  users: readonly FundedUser[],
  records: readonly OperationRecord[],
): Promise<string[]> {
  const books = await readBooks(db, users);
  const violations = await verifyLedger(db);
  return [
    ...records.flatMap(findAnswerFaults),
    ...records.flatMap((record) => findEffectFaults(record, books)),
    ...findStrayEffects(records, books),
    ...findBalanceFaults(users, books),
    ...violations.map(({ invariant, what, reference }) => `${invariant}: ${what}: ${reference}`),
  ];
}

function findAnswerFaults({ operation, attempts, final, is_abandoned }: OperationRecord): string[] {
  const faults: string[] = [];
  const say = (what: string): number => faults.push(`${operation.key}: ${what}`);
  if (!final && !is_abandoned) say(`no final response after ${describe(attempts)}`);
  if (final && operation.expected !== undefined && final.status !== operation.expected) {
    say(`answered ${final.status}, not ${operation.expected}`);
  }
  for (const attempt of attempts) {
    if (!ALLOWED_STATUSES.includes(attempt.status)) {
      say(`answered ${attempt.status} by ${attempt.api}`);
    }
    if (isFinal(attempt) && final && attempt.text !== final.text) {
      say(`two final responses: ${final.text} and ${attempt.text}`);
    }
    if (attempt.status !== 503 && attempt.status !== 409) continue;
    if (!/^[1-9]\d*$/.test(attempt.headers['retry-after'] ?? '')) {
      say(`${attempt.status} without Retry-After`);
    }
    if (attempt.headers['idempotency-key'] !== operation.key) {
      say(`${attempt.status} without its Idempotency-Key by ${attempt.api}`);
    }
  }
  return faults;
}

function describe(attempts: readonly Attempt[]): string {
  return attempts.map((attempt) => attempt.status ?? attempt.fault).join(', ') || 'no attempt';
}

function findEffectFaults(record: OperationRecord, books: Books): string[] {
  const { operation, final, is_abandoned } = record;
  const { key, from, to, currency, amount_minor, environment } = operation;
  const faults: string[] = [];
  const say = (what: string): number => faults.push(`${key}: ${what}`);
  const stored = books.answers.get(scope(from.id, environment, key));
  const transfers = books.transfers.get(scope(from.id, environment, key)) ?? [];
  if (is_abandoned && (stored || transfers.length > 0))
    say('the response was 503, and it happened all the same');
  for (const { number } of record.attempts.filter(promisesNoEffect)) {
    // This request and all before it must have done nothing; a later one may well have succeeded.
    const asked = record.asked.slice(0, number);
    const made_by = transfers.find(({ request_id }) => asked.includes(request_id))?.request_id;
    if (made_by) say(`request ${number} got "nothing was changed", and ${made_by} did it`);
  }
  if (!final) return faults;

  if (stored?.body !== final.text) say(`the stored response is another one: ${stored?.body}`);
  if (final.status !== 200) {
    if (transfers.length > 0) say(`answered ${final.status}, and it happened all the same`);
    return faults;
  }
  const { reference } = JSON.parse(final.text) as { reference: string };
  const [transfer, ...more] = transfers;
  if (transfer?.reference !== reference || more.length > 0) {
    say(`answered ${reference}, kept ${transfers.map((row) => row.reference).join() || 'nothing'}`);
    return faults;
  }
  const kept = [transfer.recipient_id, transfer.currency, transfer.amount_minor].join();
  if (kept !== [to?.id, currency, amount_minor].join()) say(`kept as ${kept}`);
  const entries = (books.entries.get(reference) ?? [])
    .map((entry) => `${entry.user_id} ${entry.currency} ${entry.amount_minor}`)
    .sort();
  const wanted =
    environment === 'sandbox'
      ? []
      : [`${from.id} ${currency} ${-amount_minor}`, `${to?.id} ${currency} ${amount_minor}`].sort();
  if (entries.join() !== wanted.join()) say(`ledger entries are ${entries.join() || 'missing'}`);
  return faults;
}

/** Money that moved although no caller got a response that says so. */
function findStrayEffects(records: readonly OperationRecord[], books: Books): string[] {
  const told = new Set<string>();
  for (const { final } of records) {
    if (final?.status === 200)
      told.add((JSON.parse(final.text) as { reference: string }).reference);
  }
  const kept = new Set([...books.entries.keys(), ...books.references]);
  return [...kept]
    .filter((reference) => !told.has(reference))
    .map((it) => `${it}: no response says so`);
}

function findBalanceFaults(users: readonly FundedUser[], books: Books): string[] {
  const moved = new Map<string, bigint>();
  for (const entry of [...books.entries.values()].flat()) {
    const wallet = `${entry.user_id} ${entry.currency}`;
    moved.set(wallet, (moved.get(wallet) ?? 0n) + entry.amount_minor);
  }
  // Each of them is held against the gateway's own list elsewhere (order-checks.ts).
  const paid_in = new Map(
    books.deposits.map((it) => [scope(it.user_id, it.environment, it.currency), it.amount_minor]),
  );
  const faults: string[] = [];
  const sums = new Map<Currency, bigint>();
  for (const { user_id, environment, currency, balance_minor } of books.wallets) {
    const user = users.find(({ id }) => id === user_id)!;
    const change = environment === 'live' ? (moved.get(`${user_id} ${currency}`) ?? 0n) : 0n;
    const start = user.funds[currency] + (paid_in.get(scope(user_id, environment, currency)) ?? 0n);
    if (balance_minor !== start + change) {
      faults.push(`${user.username} ${environment} ${currency}: balance is ${balance_minor}`);
    }
    if (environment !== 'live') continue;
    sums.set(currency, (sums.get(currency) ?? 0n) + balance_minor - start);
  }
  for (const [currency, sum] of sums) {
    if (sum !== 0n) faults.push(`${currency}: ${sum} more than was paid in`);
  }
  return faults;
}

function scope(user_id: string, environment: string, key: string): string {
  return `${user_id} ${environment} ${key}`;
}

export interface Counts {
  readonly [name: string]: number;
}

/** Operations by outcome and responses by status, for the line that each experiment prints. */
export function countOutcomes(records: readonly OperationRecord[]): Counts {
  const attempts = records.flatMap((record) => record.attempts);
  const counts: Record<string, number> = { operations: records.length, requests: attempts.length };
  const add = (name: string): void => void (counts[name] = (counts[name] ?? 0) + 1);
  for (const attempt of attempts) {
    add(attempt.status === undefined ? 'no_answer' : `answered_${attempt.status}`);
    if (attempt.status === 503 && !promisesNoEffect(attempt)) add('outcome_unknown_503');
  }
  for (const { is_abandoned } of records) if (is_abandoned) add('believed_503');
  counts['slowest_ms'] = Math.max(0, ...attempts.map(({ ms }) => ms));
  return counts;
}
