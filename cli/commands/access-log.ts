// `access-log rebuild`: restores rows of the access log from its JSON lines.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  insertAccessRows,
  type AccessEntry,
  type AccessRow,
  type SharedAccessEntry,
} from '../../db/access-log';
import { addAuditRowOf } from '../audit-entry';
import { command, group, run } from '../command';

const BATCH = 1_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
const MINUTE_MS = 60_000;

type AccessLine = AccessEntry & { readonly row_id?: string | null };

const accessLogRebuild = command(
  'rebuild',
  'Insert the rows that a crash lost, from the JSON lines of the access log',
)
  .requiredOption('--file <file>', 'the JSON lines')
  .action(
    run(async (context, options) => {
      const { config, db } = context;
      const oldest =
        config.access_log_days === 0 ? 0 : Date.now() - config.access_log_days * DAY_MS;
      const counts = { lines: 0, inserted: 0, expired: 0 };
      const shared = new Map<string, SharedAccessEntry>();
      let batch: AccessRow[] = [];
      const flush = async (): Promise<void> => {
        if (batch.length > 0) counts.inserted += await insertAccessRows(db, batch);
        batch = [];
      };
      const add = async (row: AccessRow): Promise<void> => {
        batch.push(row);
        if (batch.length >= BATCH) await flush();
      };
      const input = createReadStream(options.file);
      for await (const line of createInterface({ input })) {
        const entry = readAccessLine(line);
        if (!entry) continue;
        counts.lines += 1;
        if (Date.parse(entry.at) < oldest) counts.expired += 1;
        else if (typeof entry.row_id === 'string') countShared(shared, entry, entry.row_id);
        else if (entry.row_id === undefined) await add(entry);
      }
      for (const row of shared.values()) await add(row);
      await flush();
      const { inserted } = counts;
      if (inserted > 0) {
        await addAuditRowOf(context, 'access-log.rebuild', 'access_log', { inserted });
      }
      return { json: { ...counts }, text: describe(counts) };
    }),
  );

function describe({ lines, inserted, expired }: Readonly<Record<string, number>>): string {
  const text = `Read ${lines} access lines and inserted the ${inserted} rows that were missing.`;
  return expired === 0 ? text : `${text} ${expired} lines are older than ACCESS_LOG_DAYS.`;
}

// Its id is that of the row that the process would have written, so a row that is there stays.
function countShared(
  shared: Map<string, SharedAccessEntry>,
  { at, ip, key_id }: AccessLine,
  id: string,
): void {
  const minute = new Date(Math.floor(Date.parse(at) / MINUTE_MS) * MINUTE_MS).toISOString();
  const before = shared.get(id) ?? { id, at: minute, ip, key_id, requests: 0 };
  shared.set(id, { ...before, requests: before.requests + 1 });
}

// The file may contain other lines, and a crash may have cut the last one short.
function readAccessLine(line: string): AccessLine | undefined {
  try {
    const value = JSON.parse(line) as Partial<AccessLine> & { log?: string };
    return value.log === 'access' ? (value as AccessLine) : undefined;
  } catch {
    return undefined;
  }
}

export const accessLog = group([accessLogRebuild]);
