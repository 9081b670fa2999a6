// Reads the files of an archive, line by line: memory is bounded, however long the month was.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';

export interface FileReading {
  /** The lines in order. Throws when the file cannot be decompressed to its end. */
  lines(): AsyncGenerator<string>;
  /** The file's hash and size, once all lines were read. */
  readonly sha256: string;
  readonly bytes: number;
  readonly rows: number;
  /** Whether the last line has an end. */
  readonly is_ended: boolean;
}

export function readArchivedFile(path: string): FileReading {
  const hash = createHash('sha256');
  const reading = { sha256: '', bytes: 0, rows: 0, is_ended: true };
  async function* lines(): AsyncGenerator<string> {
    const hashing = new PassThrough().on('data', (chunk: Buffer) => {
      hash.update(chunk);
      reading.bytes += chunk.length;
    });
    const text = createGunzip();
    const failed = pipeline(createReadStream(path), hashing, text).then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    const decoder = new StringDecoder('utf8');
    let rest = '';
    try {
      for await (const chunk of text) {
        const parts = (rest + decoder.write(chunk as Buffer)).split('\n');
        rest = parts.pop()!;
        for (const line of parts) {
          reading.rows += 1;
          yield line;
        }
      }
      rest += decoder.end();
      if (rest !== '') {
        reading.rows += 1;
        reading.is_ended = false;
        yield rest;
      }
    } finally {
      text.destroy();
    }
    const error = await failed;
    if (error) throw error;
    reading.sha256 = hash.digest('hex');
  }
  return Object.assign(reading, { lines });
}
