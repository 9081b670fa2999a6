// An append-only file of JSON lines that survives a killed process: what `flushed` has promised is
// on the disk. Lines that come while the disk is busy are written together.

import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface Journal<Entry> {
  append(entry: Entry): void;
  /** Resolves when everything appended so far is on the disk. */
  flushed(): Promise<void>;
  /** Writes what is left. */
  close(): Promise<void>;
}

const NEWLINE = 10;

/**
 * Hands every entry of the file to `replay`, then goes on behind the last one. A torn last line is
 * cut off: its writer died before it had promised anything. After a failed write, of which
 * `onFailure` hears, `flushed` rejects for ever: a half-written line must stay the last one.
 */
export async function openJournal<Entry>(
  file: string,
  replay: (entry: Entry) => void,
  onFailure: (error: unknown) => void,
): Promise<Journal<Entry>> {
  // Customers' addresses are in it.
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
    throw new Error(`${place} is no JSON line: the journal is damaged`, { cause: error });
  }
}

/** A new file's name is in its folder: without this it may be gone after a power failure. */
async function syncFolder(file: string): Promise<void> {
  const folder = await open(dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
