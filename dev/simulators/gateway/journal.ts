// An append-only file of JSON lines that survives a killed process: once `flushed` has resolved,
// the entries are on disk. Entries appended during a write share the next one (group commit).

import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface Journal<Entry> {
  append(entry: Entry): void;
  /** Resolves when everything appended so far is on the disk. */
  flushed(): Promise<void>;
  /** Writes the remaining entries first. */
  close(): Promise<void>;
}

const NEWLINE = 10;

/**
 * Passes every entry of the file to `replay`, then appends after the last one. A torn last line is
 * removed: its writer died before `flushed` had resolved. A failed write calls `onFailure`, and
 * from then on `flushed` always rejects: nothing may follow a half-written line.
 */
export async function openJournal<Entry>(
  file: string,
  replay: (entry: Entry) => void,
  onFailure: (error: unknown) => void,
): Promise<Journal<Entry>> {
  // It contains customers' e-mail addresses.
  const handle = await open(file, 'a+', 0o600);
  try {
    await replayLines(handle, file, replay);
    await syncFolder(file);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return startWriting(handle, onFailure);
}

function startWriting<Entry>(
  handle: FileHandle,
  onFailure: (error: unknown) => void,
): Journal<Entry> {
  let waiting: string[] = [];
  let scheduled: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    scheduled = undefined;
    const text = waiting.join('');
    waiting = [];
    try {
      await handle.appendFile(text);
      await handle.datasync();
    } catch (error) {
      onFailure(error);
      throw error;
    }
  };
  const flushed = (): Promise<void> => {
    if (waiting.length > 0) last = scheduled ??= last.then(write);
    return last;
  };
  return {
    append(entry) {
      waiting.push(`${JSON.stringify(entry)}\n`);
    },
    flushed,
    async close() {
      try {
        await flushed();
      } finally {
        await handle.close();
      }
    },
  };
}

async function replayLines<Entry>(
  handle: FileHandle,
  file: string,
  replay: (entry: Entry) => void,
): Promise<void> {
  const bytes = await handle.readFile();
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  let number = 1;
  for (let start = 0; start < end; number += 1) {
    const stop = bytes.indexOf(NEWLINE, start);
    replay(parseLine(bytes.toString('utf8', start, stop), `${file}:${number}`));
    start = stop + 1;
  }
  if (end < bytes.length) {
    await handle.truncate(end);
    await handle.datasync();
  }
}

function parseLine<Entry>(line: string, place: string): Entry {
  try {
    return JSON.parse(line) as Entry;
  } catch (error) {
    throw new Error(
      `The journal is damaged: ${place} is not a line of JSON. Restore the file or move it away.`,
      { cause: error },
    );
  }
}

/** A new file's name is stored in its folder: without this a power failure may lose it. */
async function syncFolder(file: string): Promise<void> {
  const folder = await open(dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
