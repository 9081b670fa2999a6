// The ledger: verified, and its seals.

import { countUnsealedEntries, listSeals, type LedgerSeal } from '../../db/ledger-seals';
import { verifyLedger } from '../../db/verify';
import { NO_SEAL_HASH } from '../../db/verify-seals';
import type { JsonValue } from '../../domain/json';
import { ledgerText } from '../ledger-text';
import { table } from '../table';
import { command, group, run } from '../command';
import { cursorOption, limitOption, readHead } from '../options';

const ledgerVerify = command(
  'verify',
  'Check that the ledger balances and is as it was sealed; if not, exit with status 1',
)
  .option('--head <hash>', 'the hash that was noted', readHead('ledger head'))
  .action(
    run(async ({ db }, options) => {
      const violations = await verifyLedger(db, options.head);
      return {
        json: { ok: violations.length === 0, violations: violations.map((v) => ({ ...v })) },
        text: ledgerText(violations),
        exit_status: violations.length === 0 ? 0 : 1,
      };
    }),
  );

const ledgerSeals = command(
  'seals',
  'List the seals of the ledger, newest first, and how many entries wait for one',
)
  .addOption(limitOption)
  .addOption(cursorOption)
  .action(
    run(async ({ db }, options) => {
      const { limit, cursor: before } = options;
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
    }),
  );

function present({ id, entries, ...seal }: LedgerSeal): Record<string, JsonValue> {
  return { id: Number(id), entries: Number(entries), ...seal };
}

const ledgerHead = command(
  'head',
  'Print the hash of the newest seal: note it elsewhere, for ledger verify --head',
).action(
  run(async ({ db }) => {
    const [seal] = await listSeals(db, { limit: 1 });
    const hash = seal?.hash ?? NO_SEAL_HASH;
    return { json: { id: Number(seal?.id ?? 0), hash }, text: hash };
  }),
);

export const ledger = group([ledgerVerify, ledgerSeals, ledgerHead]);
