// An archive's description of itself: a folder with one compressed file of JSON lines per table, and beside them the
// manifest, which has the checksum of each.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchiveKind } from './archives';

export const MANIFEST = 'manifest.json';
/** The version of the form of the manifest and the files. */
const FORMAT = 1;

export interface ArchivedFile {
  readonly table: string;
  readonly file: string;
  readonly rows: number;
  readonly bytes: number;
  /** The hash of the file as it lies there, in hex. */
  readonly sha256: string;
}

export interface Manifest {
  readonly format: typeof FORMAT;
  readonly kind: ArchiveKind;
  /** `2026-10`, in UTC. */
  readonly month: string;
  /** ISO 8601. */
  readonly written_at: string;
  /** The latest migration of the database. */
  readonly schema: string;
  /** The newest seal of the ledger at that moment; it covers every entry of the month. */
  readonly ledger_seal: { readonly id: number; readonly hash: string } | null;
  readonly files: readonly ArchivedFile[];
}

/** A failure that an operator can act on. */
export class ArchiveError extends Error {
  readonly code:
    | 'archive_exists'
    | 'archive_not_found'
    | 'month_not_over'
    | 'month_not_dropped'
    | 'entries_not_sealed'
    | 'archive_busy';
  constructor(code: ArchiveError['code'], message: string) {
    super(message);
    this.name = 'ArchiveError';
    this.code = code;
  }
}

export const MONTH_PATTERN = /^[1-9]\d{3}-(0[1-9]|1[0-2])$/;

/** Returns the name of the folder. */
export function archiveName(kind: ArchiveKind, month: string): string {
  return `${kind}-${month}`;
}

export function fileName(table: string): string {
  return `${table}.ndjson.gz`;
}

export function renderManifest(manifest: Omit<Manifest, 'format'>): string {
  return `${JSON.stringify({ format: FORMAT, ...manifest }, undefined, 2)}\n`;
}

export function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The manifest and its own checksum, by which an archive is known; or what is wrong with it. */
export async function readManifest(
  folder: string,
): Promise<{ readonly manifest: Manifest; readonly sha256: string } | { readonly fault: string }> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => undefined);
  if (text === undefined) return { fault: 'is missing: this is no whole archive' };
  try {
    const value = JSON.parse(text) as Manifest;
    if (isManifest(value)) return { manifest: value, sha256: sha256(text) };
  } catch {
    // Said below.
  }
  return { fault: 'is not one that this version has written' };
}

const FILE = /^[a-z_]+\.ndjson\.gz$/;

function isManifest(value: Partial<Manifest> | null): value is Manifest {
  return (
    value?.format === FORMAT &&
    (value.kind === 'books' || value.kind === 'attempts') &&
    MONTH_PATTERN.test(value.month ?? '') &&
    Array.isArray(value.files) &&
    // A name that leads out of the folder is none.
    (value.files as readonly Partial<ArchivedFile>[]).every(
      ({ table, file, rows, bytes, sha256: sum }) =>
        FILE.test(file ?? '') &&
        file === fileName(table ?? '') &&
        Number.isSafeInteger(rows) &&
        Number.isSafeInteger(bytes) &&
        /^[0-9a-f]{64}$/.test(sum ?? ''),
    )
  );
}
