// `access-log rebuild`: restores rows of the access log from its JSON lines.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { insertAccessEntries, type AccessEntry } from '../db/access-log';
import type { Command } from './command';

const BATCH = 1_000;

export const accessLogRebuild: Command = {
  usage: 'access-log rebuild --file F',
  summary: 'Insert the rows that a crash lost, from the JSON lines of the access log',
  async run({ db, options }) {
    let lines = 0;
    let inserted = 0;
    let batch: AccessEntry[] = [];
    const flush = async (): Promise<void> => {
      if (batch.length > 0) inserted += await insertAccessEntries(db, batch);
      batch = [];
    };
    const input = createReadStream(options.required('file'));
    for await (const line of createInterface({ input })) {
      const entry = readAccessLine(line);
      if (!entry) continue;
      lines += 1;
      batch.push(entry);
      if (batch.length >= BATCH) await flush();
    }
    await flush();
    return {
      json: { lines, inserted },
      text: `Read ${lines} access lines and inserted the ${inserted} that were missing.`,
    };
  },
};

// The file may contain other lines, and a crash may have cut the last one short.
function readAccessLine(line: string): AccessEntry | undefined {
  try {
    const value = JSON.parse(line) as Partial<AccessEntry> & { log?: string };
    return value.log === 'access' ? (value as AccessEntry) : undefined;
  } catch {
    return undefined;
  }
}
