// The ledger: verified, and its seals.

import { monthBounds } from '../../db/archives/archives';
import { monthAfter } from '../../db/archives/keep';
import { MONTH_PATTERN } from '../../db/archives/manifest';
import { connectDatabase, type Db } from '../../db/connect';
import { countUnsealedEntries, listSeals, type LedgerSeal } from '../../db/ledger/ledger-seals';
import { verifyOthers, verifyPeriod, verifySealsOf } from '../../db/verify/pieces';
import { verifyLedger, type Violation } from '../../db/verify/verify';
import { NO_SEAL_HASH } from '../../db/verify/verify-seals';
import type { JsonValue } from '../../domain/json';
import { counted } from '../../domain/language';
import { ledgerText } from '../ledger-text';
import { table } from '../table';
import { command, group, run } from '../command';
import type { CommandContext } from '../context';
import { CommandError } from '../error';
import { cursorOption, limitOption, readHead } from '../options';
import { listedPage } from '../page';

/** Hours of reading are a standby's work, if there is one. */
async function onStandby<Found>(
  { db, config }: CommandContext,
  verify: (db: Db) => Promise<Found>,
): Promise<Found> {
  const { database_read_url: url } = config;
  if (url === undefined) return verify(db);
  const standby = connectDatabase({ url, pool_size: 2, name: 'payment-cli', is_patient: true });
  try {
    return await verify(standby);
  } finally {
    await standby.destroy();
  }
}

/** Tells of each month when it was read, so that a check that was broken off goes on with the next one. */
async function verifySince(
  db: Db,
  since: string,
  note: (text: string) => void,
): Promise<Violation[]> {
  const newest = new Date().toISOString().slice(0, 7);
  const found: Violation[] = [];
  for (let month = since; month <= newest; month = monthAfter(month, 1)) {
    const { from, to } = monthBounds(month);
    const period = { from: Date.parse(from), to: month === newest ? null : Date.parse(to) };
    const of_month = [...(await verifyPeriod(db, period)), ...(await verifySealsOf(db, period))];
    note(`${month}: ${counted('en', of_month.length, 'violation', 'violations')}`);
    for (const { invariant, what, reference } of of_month)
      note(`  ${invariant} ${reference}: ${what}`);
    found.push(...of_month);
  }
  return [...found, ...(await verifyOthers(db))];
}

function readMonth(text: string): string {
  if (MONTH_PATTERN.test(text)) return text;
  throw new CommandError('usage', '--since must be a month such as 2026-03');
}

function present({ id, entries, ...seal }: LedgerSeal): Record<string, JsonValue> {
  return { id: Number(id), entries: Number(entries), ...seal };
}

export const ledger = group([
  command(
    'verify',
    'Check that the ledger balances, and that it and the audit log are as they were sealed; if not, exit with status 1. Losses, which an operator settles, are told beside',
  )
    .option('--head <hash>', 'the hash that was noted', readHead('ledger head'))
    .option(
      '--since <month>',
      'in pieces of at most a minute each, month by month from this one, such as 2026-03, on; what holds of all transfers together only is left out',
      readMonth,
    )
    .action(
      run(async (context, { head, since }) => {
        if (head !== undefined && since !== undefined) {
          throw new CommandError(
            'usage',
            '--head needs all seals, and --since reads newer ones only',
          );
        }
        const found = await onStandby(context, (db) =>
          since === undefined ? verifyLedger(db, head) : verifySince(db, since, context.note),
        );
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
    ),
  command(
    'seals',
    'List the seals of the ledger and the audit log, newest first, and how many entries wait for one',
  )
    .addOption(limitOption)
    .addOption(cursorOption)
    .action(
      run(async ({ db }, options) => {
        const { limit, cursor: before } = options;
        const seals = await listSeals(db, { before, limit: limit + 1 });
        const {
          rows: page,
          next_cursor,
          more,
        } = listedPage(seals, limit, (last) => String(last.id));
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
    ),
  command(
    'head',
    'Print the hash of the newest seal: note it elsewhere, for ledger verify --head',
  ).action(
    run(async ({ db }) => {
      const [seal] = await listSeals(db, { limit: 1 });
      const hash = seal?.hash ?? NO_SEAL_HASH;
      return { json: { id: Number(seal?.id ?? 0), hash }, text: hash };
    }),
  ),
]);
