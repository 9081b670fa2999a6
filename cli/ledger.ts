// Credits to wallets, the check of what must always hold, and the rebuild of the access log.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { insertAccessEntries, type AccessEntry } from '../db/access-log';
import { verifyLedger } from '../db/verify';
import { creditWallet } from '../db/wallets';
import { amountJson, formatAmount, parseAmount } from '../domain/money';
import { makeAdjustmentReference } from '../secrets/random';
import { CommandError, requireUser, table, type Command } from './command';

const CHECK_VIOLATION = '23514';
const MAX_REASON = 500;

export const walletsCredit: Command = {
  usage: 'wallets credit --user U --currency C --amount A --environment live|test [--reason R]',
  summary: 'Credit a wallet from the operator account, as an adjustment in the ledger',
  options: ['user', 'currency', 'amount', 'environment', 'reason'],
  async run({ db, options }) {
    const user = await requireUser(db, options.required('user'));
    const currency = options.currency();
    const environment = options.environment();
    const parsed = parseAmount(options.required('amount'), currency);
    if (!parsed.ok) {
      throw new CommandError(
        'invalid_amount',
        `--amount is not an amount of ${currency} (${parsed.fault})`,
      );
    }
    const reference = makeAdjustmentReference();
    try {
      const balance = await creditWallet(db, {
        reference,
        user_id: user.id,
        environment,
        currency,
        source: 'operator',
        amount_minor: parsed.amount,
        reason: (options.optional('reason') ?? 'operator credit').slice(0, MAX_REASON),
      });
      return {
        json: {
          reference,
          username: user.username,
          environment,
          currency,
          amount: amountJson(parsed.amount),
          balance: amountJson(balance),
        },
        text: `Credited ${formatAmount(parsed.amount)} ${currency} to ${user.username} (${environment}); the balance is ${formatAmount(balance)}. ${reference}`,
      };
    } catch (error) {
      if ((error as { code?: unknown }).code !== CHECK_VIOLATION) throw error;
      throw new CommandError('balance_limit', 'The wallet cannot hold that much');
    }
  },
};

export const ledgerVerify: Command = {
  usage: 'ledger verify',
  summary: 'Check that the books balance; exit status 1 and the references when they do not',
  options: [],
  async run({ db }) {
    const violations = await verifyLedger(db);
    const rows = violations.map((v) => [v.invariant, v.what, v.reference]);
    return {
      json: { ok: violations.length === 0, violations: violations.map((v) => ({ ...v })) },
      text: violations.length === 0 ? 'The ledger holds: I1, I2, I3, I5, I6 and I7.' : table(rows),
      exit_status: violations.length === 0 ? 0 : 1,
    };
  },
};

const REBUILD_BATCH = 1_000;

export const accessLogRebuild: Command = {
  usage: 'access-log rebuild --file F',
  summary: 'Insert the access rows that a crash lost, from the JSON lines',
  options: ['file'],
  async run({ db, options }) {
    let lines = 0;
    let inserted = 0;
    let batch: AccessEntry[] = [];
    const flush = async (): Promise<void> => {
      if (batch.length > 0) inserted += await insertAccessEntries(db, batch);
      batch = [];
    };
    for await (const line of createInterface({
      input: createReadStream(options.required('file')),
    })) {
      const entry = readAccessLine(line);
      if (!entry) continue;
      lines += 1;
      batch.push(entry);
      if (batch.length >= REBUILD_BATCH) await flush();
    }
    await flush();
    return {
      json: { lines, inserted },
      text: `Read ${lines} access lines and inserted the ${inserted} that were missing.`,
    };
  },
};

// Other lines may share the stream, and the last one may be cut short by the crash.
function readAccessLine(line: string): AccessEntry | undefined {
  try {
    const value = JSON.parse(line) as Partial<AccessEntry> & { log?: string };
    return value.log === 'access' ? (value as AccessEntry) : undefined;
  } catch {
    return undefined;
  }
}
