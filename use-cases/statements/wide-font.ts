// The font for what the fonts that every reader of PDF has cannot show: ŋ, ɓ, ɗ and ƴ of Wolof and Fula, Vietnamese,
// Greek, Cyrillic. It is packed for browsers, and `pdfkit` would unpack it anew for each letter.

import { readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';

const FILE = '@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff';
/** The lengths of the two heads, and of an entry in each (https://www.w3.org/TR/WOFF/). */
const WOFF = { head: 44, entry: 20 };
const SFNT = { head: 12, entry: 16 };

let font: Buffer | undefined;

/** 760 kB, read by the first statement that needs it. */
export function readWideFont(): Buffer {
  font ??= unpack(readFileSync(require.resolve(FILE)));
  return font;
}

function unpack(woff: Buffer): Buffer {
  const count = woff.readUInt16BE(12);
  const head = Buffer.alloc(SFNT.head + SFNT.entry * count);
  woff.copy(head, 0, 4, 8);
  head.writeUInt16BE(count, 4);
  const parts: Buffer[] = [head];
  let at = head.length;
  for (let index = 0; index < count; index += 1) {
    const from = WOFF.head + WOFF.entry * index;
    const [offset, packed, length] = [4, 8, 12].map((field) => woff.readUInt32BE(from + field));
    const stored = woff.subarray(offset!, offset! + packed!);
    const table = packed! < length! ? inflateSync(stored) : stored;
    const entry = SFNT.head + SFNT.entry * index;
    woff.copy(head, entry, from, from + 4);
    woff.copy(head, entry + 4, from + 16, from + 20);
    head.writeUInt32BE(at, entry + 8);
    head.writeUInt32BE(length!, entry + 12);
    // Tables begin at multiples of four.
    parts.push(table, Buffer.alloc(-length! & 3));
    at += length! + (-length! & 3);
  }
  return Buffer.concat(parts);
}
