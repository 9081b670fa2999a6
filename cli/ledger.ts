// The ledger: verified, and its seals.

import { countUnsealedEntries, listSeals, type LedgerSeal } from '../db/ledger-seals';
import { verifyLedger } from '../db/verify';
import { NO_SEAL_HASH } from '../db/verify-seals';
import type { JsonValue } from '../domain/json';
import type { Command } from './command';
import { table } from './table';

const DEFAULT_PAGE = 25;
const MAX_PAGE = 1_000;

const ledgerVerify: Command = {
  usage: 'ledger verify [--head HASH]',
  summary: 'Check that the ledger balances and is as it was sealed; if not, exit with status 1',
  async run({ db, options }) {
    const violations = await verifyLedger(db, options.head('ledger head'));
    const rows = violations.map((v) => [v.invariant, v.what, v.reference]);
    return {
      json: { ok: violations.length === 0, violations: violations.map((v) => ({ ...v })) },
      text:
        violations.length === 0
          ? 'No violation of the invariants I1, I2, I3, I5, I6, I7, I14, I15, I16 and I17.'
          : table(rows),
      exit_status: violations.length === 0 ? 0 : 1,
    };
  },
};

const ledgerSeals: Command = {
  usage: 'ledger seals [--limit N] [--cursor ID]',
  summary: 'List the seals of the ledger, newest first, and how many entries wait for one',
  async run({ db, options }) {
    const limit = options.count('limit', DEFAULT_PAGE, MAX_PAGE);
    const before = options.numberedCursor();
    // One more row shows that another page follows.
    const seals = await listSeals(db, { before, limit: limit + 1 });
    const page = seals.slice(0, limit);
    const next_cursor = seals.length > limit ? String(page.at(-1)!.id) : null;
    const unsealed_entries = Number(await countUnsealedEntries(db));
    const lines = page.map(({ id, sealed_at, entries, hash }) => [
      ...[String(id), sealed_at, String(entries), hash],
    ]);
    const more = next_cursor === null ? '' : `\nMore: --cursor ${next_cursor}`;
    return {
      json: { seals: page.map(present), unsealed_entries, next_cursor },
      text:
        table([['ID', 'SEALED AT', 'ENTRIES', 'HASH'], ...lines]) +
        `\nEntries without a seal: ${unsealed_entries}${more}`,
    };
  },
};

function present({ id, entries, ...seal }: LedgerSeal): Record<string, JsonValue> {
  return { id: Number(id), entries: Number(entries), ...seal };
}

const ledgerHead: Command = {
  usage: 'ledger head',
  summary: 'Print the hash of the newest seal: note it elsewhere, for ledger verify --head',
  async run({ db }) {
    const [seal] = await listSeals(db, { limit: 1 });
    const hash = seal?.hash ?? NO_SEAL_HASH;
    return { json: { id: Number(seal?.id ?? 0), hash }, text: hash };
  },
};

export const ledgerCommands = [ledgerVerify, ledgerSeals, ledgerHead];
