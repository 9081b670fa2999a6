// The report of `ledger verify` for people.

import type { Violation } from '../db/verify/verify';
import { counted } from '../domain/language';
import { table } from './table';

type Invariant = Violation['invariant'];

/** Each invariant in short; docs/glossary.md has them in full. */
const INVARIANTS: Readonly<Record<Invariant, string>> = {
  I1: 'all entries of an environment and currency sum to zero',
  I2: 'every journal transaction balances, and none is half-written',
  I3: 'every balance is the sum of its entries, and no wallet was ever below zero',
  I5: 'every idempotency key has one transfer at most; transfers, journal, answers and histories agree',
  I6: 'every payment intent has one end at most, which its payment and its deposit prove',
  I7: 'every intent that ended has exactly one event, equal to it, and no event is missing',
  I14: 'rows that refer to one another are of the same account and environment',
  I15: 'everything that was sealed, the audit log too, is as it was when it was sealed',
  I16: 'the counters of every batch of transfers are its items, and its items the transfers',
  I17: 'of no payment more is given back than was paid, and each refund that was made is posted',
  I18: 'of no transfer more is reversed than was sent, and each reversal is posted',
  I22: 'what waits for a decision about its risk is in the account of holds, and was moved once',
  I20: 'each dispute moved what it says, and the money of open ones is in its account',
  I21: 'what is counted for limits is what the histories show, and every limited wallet is counted',
  I19: 'every payout was paid once or given back once, and what is under way is reserved',
  I23: 'each movement of the treasury is what its row and its file say, and the safeguarding report adds up',
  I24: 'each fee and tax is what the rules of its moment say, its accounts hold what was taken, and invoices have all of it',
};

const NOT_CHECKED = [
  'Not checked, because rows cannot show it: I4, what callers were answered; I8 to I13, what processes',
  'do (signatures, recovery, leaks). The tests and fault experiments check these.',
].join('\n');

/** `losses`: the references of what waits to be settled, which is no violation. */
export function ledgerText(violations: readonly Violation[], losses: readonly string[]): string {
  const broken = new Set(violations.map(({ invariant }) => invariant));
  const rows = Object.entries(INVARIANTS).map(([invariant, words]) => [
    invariant,
    broken.has(invariant as Invariant) ? 'BROKEN' : 'holds',
    words,
  ]);
  const faults = violations.map(({ invariant, what, reference }) => [invariant, what, reference]);
  return [
    violations.length === 0
      ? 'The ledger holds: no violation was found.'
      : `The ledger does not hold: ${counted('en', violations.length, 'violation', 'violations')}. Stop the API processes, and keep the database as it is.`,
    table(rows),
    ...(losses.length === 0
      ? []
      : [
          `Losses that wait to be settled (losses list, losses settle): ${losses.length}. Nothing has to stop.`,
          losses.join('\n'),
        ]),
    ...(faults.length === 0 ? [NOT_CHECKED] : [table([['', 'FAULT', 'REFERENCE'], ...faults])]),
  ].join('\n\n');
}
