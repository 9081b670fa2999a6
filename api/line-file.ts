// A file of lines with a limit to its size. Each line is written before `write` returns: libraries that
// rotate files write in the background, and a line that is only queued is lost with the process.

import { closeSync, fstatSync, openSync, renameSync, statSync, writeSync } from 'node:fs';

/** Full files beside the current one: `access.log.1` is the newest. */
const KEPT_FILES = 5;
const STANDARD_OUTPUT = 1;

export interface LineFile {
  /** @throws when the disk or the pipe is full */
  write(line: string): void;
  close(): void;
}

export interface LineFileOptions {
  /** Standard output when undefined; whoever reads it limits it. */
  readonly path: string | undefined;
  /** Zero: never; the file may be rotated from outside, by copying and truncating it. */
  readonly max_bytes: number;
}

export function openLineFile({ path, max_bytes }: LineFileOptions): LineFile {
  if (path === undefined) {
    return {
      write: (line) => void writeSync(STANDARD_OUTPUT, `${line}\n`),
      close: () => undefined,
    };
  }
  let file = open(path);
  let size = fstatSync(file).size;
  let is_cut_off = false;
  const startAnother = (): void => {
    size = fstatSync(file).size;
    // Truncated from outside.
    if (size < max_bytes) return;
    // Another process may have done it already.
    if (statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(file).ino) shift(path);
    const fresh = open(path);
    closeSync(file);
    file = fresh;
    size = fstatSync(file).size;
  };
  return {
    write(line) {
      if (max_bytes > 0 && size >= max_bytes) startAnother();
      // A disk that fills up takes a part of a line, without an error. The next one must not be lost with it.
      const bytes = Buffer.from(`${is_cut_off ? '\n' : ''}${line}\n`);
      const written = writeSync(file, bytes);
      size += written;
      is_cut_off = written < bytes.length;
    },
    close: () => closeSync(file),
  };
}

function open(path: string): number {
  return openSync(path, 'a', 0o640);
}

/** `access.log` becomes `access.log.1`, and so on; the oldest is overwritten. */
function shift(path: string): void {
  for (let number = KEPT_FILES; number > 1; number -= 1) {
    const from = `${path}.${number - 1}`;
    if (statSync(from, { throwIfNoEntry: false })) renameSync(from, `${path}.${number}`);
  }
  renameSync(path, `${path}.1`);
}
