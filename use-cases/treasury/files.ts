// A settlement file, read and compared; nothing is posted.

import { createHash } from 'node:crypto';
import type { Db } from '../../db/connect';
import {
  findFile,
  importFile,
  isProvider,
  listBanks,
  listOwnFormats,
  type TreasuryFile,
} from '../../db/treasury/treasury';
import type { Environment } from '../../domain/environment';
import { SHIPPED_FORMATS, type SettlementFormat } from '../../domain/settlement-format';
import { readSettlementFile, type FileFault } from './read-file';

export interface FileOrder {
  readonly bytes: Uint8Array;
  /** One of the two. */
  readonly provider: string | null;
  readonly bank: string | null;
  readonly environment: Environment;
  /** The provider's name where there is a format of it, else `generic`. */
  readonly format: string | null;
  /** The days that it is complete for, where they are not those of its lines: dates, or null. */
  readonly from: string | null;
  readonly to: string | null;
}

export type ImportedFile =
  | { readonly ok: true; readonly file: TreasuryFile; readonly repeated: boolean }
  | {
      readonly ok: false;
      readonly error: 'provider_not_found' | 'bank_not_found' | 'format_not_found';
    }
  | {
      readonly ok: false;
      readonly error: 'invalid_file';
      readonly fault: FileFault;
      readonly line: number;
      readonly column: string | null;
    };

export const listFormats = async (db: Db): Promise<readonly SettlementFormat[]> => [
  ...SHIPPED_FORMATS,
  ...(await listOwnFormats(db)),
];

export async function importSettlement(
  { db, actor }: { readonly db: Db; readonly actor: string },
  order: FileOrder,
): Promise<ImportedFile> {
  const { bytes, provider, bank, environment, from, to } = order;
  if (provider !== null && !(await isProvider(db, environment, provider))) {
    return { ok: false, error: 'provider_not_found' };
  }
  const isIts = (one: { name: string; environment: Environment }): boolean =>
    one.name === bank && one.environment === environment;
  if (provider === null && !(await listBanks(db)).some(isIts)) {
    return { ok: false, error: 'bank_not_found' };
  }
  const formats = await listFormats(db);
  const named = (name: string | null): SettlementFormat | undefined =>
    formats.find((one) => one.name === name);
  const format =
    order.format === null ? (named(provider) ?? named('generic')) : named(order.format);
  if (format === undefined) return { ok: false, error: 'format_not_found' };
  const read = await readSettlementFile(bytes, format, provider === null ? 'bank' : 'provider');
  if (!read.ok) return { ...read, error: 'invalid_file' };
  const is_signed = format.direction === 'signed';
  const stored = await importFile(
    db,
    {
      environment,
      provider,
      bank,
      from,
      to,
      format: format.name,
      timezone: format.timezone,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      closing_minor: read.closing === null ? null : String(read.closing),
      lines: read.lines.map((line) => [
        line.line,
        line.provider_id,
        line.refs,
        line.word,
        line.type,
        line.day,
        line.clock,
        line.currency,
        String(line.amount),
        String(line.fee),
        is_signed,
      ]),
    },
    actor,
  );
  return { ok: true, file: (await findFile(db, stored.file))!, repeated: stored.repeated };
}
