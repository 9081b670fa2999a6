// The ledger: verified, and its seals.

import { connectDatabase } from '../../db/connect';
import { countUnsealedEntries, listSeals, type LedgerSeal } from '../../db/ledger/ledger-seals';
import { verifyLedger } from '../../db/verify/verify';
import { NO_SEAL_HASH } from '../../db/verify/verify-seals';
import type { JsonValue } from '../../domain/json';
import { ledgerText } from '../ledger-text';
import { table } from '../table';
import { command, group, run } from '../command';
import type { CommandContext } from '../context';
import { cursorOption, limitOption, readHead } from '../options';
import { listedPage } from '../page';

const ledgerVerify = command(
  'verify',
  'Check that the ledger balances, and that it and the audit log are as they were sealed; if not, exit with status 1. Losses, which an operator settles, are told beside',
)
  .option('--head <hash>', 'the hash that was noted', readHead('ledger head'))
  .action(
    run(async (context, options) => {
      const found = await verifyOnStandby(context, options.head);
      const violations = found.filter(({ is_loss }) => !is_loss);
      const losses = found.filter(({ is_loss }) => is_loss).map(({ reference }) => reference);
      return {
        json: {
          ok: violations.length === 0,
          violations: violations.map((v) => ({ ...v })),
          losses,
        },
        text: ledgerText(violations, losses),
        exit_status: violations.length === 0 ? 0 : 1,
      };
    }),
  );

/** Hours of reading are a standby's work, if there is one. */
async function verifyOnStandby({ db, config }: CommandContext, head: string | undefined) {
  const { database_read_url: url } = config;
  if (url === undefined) return verifyLedger(db, head);
  const standby = connectDatabase({ url, pool_size: 2, name: 'payment-cli', is_patient: true });
  try {
    return await verifyLedger(standby, head);
  } finally {
    await standby.destroy();
  }
}

const ledgerSeals = command(
  'seals',
  'List the seals of the ledger and the audit log, newest first, and how many entries wait for one',
)
  .addOption(limitOption)
  .addOption(cursorOption)
  .action(
    run(async ({ db }, options) => {
      const { limit, cursor: before } = options;
      const seals = await listSeals(db, { before, limit: limit + 1 });
      const { rows: page, next_cursor, more } = listedPage(seals, limit, (last) => String(last.id));
      const unsealed_entries = Number(await countUnsealedEntries(db));
      const lines = page.map(({ id, sealed_at, entries, hash }) => [
        String(id),
        sealed_at,
        String(entries),
        hash,
      ]);
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
