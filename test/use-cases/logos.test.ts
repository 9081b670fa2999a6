// The pictures that are taken as a logo, and the kept part of them.

import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { PNG } from 'pngjs';
import { readLogo } from '../../use-cases/logos';
import { buildPng } from '../support/pictures';

/** PNG's colour type for pixels of four bytes. */
const RGBA = 6;

const send = async (file: Buffer) => readLogo('merchant', file);

const kept = async (file: Buffer): Promise<PNG> => {
  const read = await send(file);
  if (!read.ok) throw new Error(read.fault);
  return PNG.sync.read(read.image);
};

describe('a logo', () => {
  it.each([
    [16, 16, 16, 16],
    [256, 100, 256, 100],
    [512, 128, 256, 64],
    [1_024, 64, 256, 16],
    [16, 1_024, 4, 256],
  ])(
    'of %s by %s pixels is kept with %s by %s',
    async (width, height, small_width, small_height) => {
      const { width: w, height: h } = await kept(buildPng(width, height));
      expect([w, h]).toEqual([small_width, small_height]);
    },
  );

  it('keeps nothing but the picture: no text, no profile, nothing behind the end', async () => {
    const plain = buildPng(32, 32);
    const secret = '<script>alert(1)</script>';
    const text = chunk('tEXt', Buffer.from(`Comment\0${secret}`));
    const file = Buffer.concat([
      plain.subarray(0, 33),
      text,
      plain.subarray(33),
      Buffer.from(secret),
    ]);
    const read = await send(file);
    expect(read.ok && read.image.includes('script')).toBe(false);
    // A reader need not look behind the end of the picture; if it does, it refuses.
    const inside = Buffer.concat([plain.subarray(0, 33), text, plain.subarray(33)]);
    expect(await send(inside)).toEqual(await send(plain));
  });

  it.each([
    ['nothing', Buffer.alloc(0), 'not_png'],
    ['text', Buffer.from('GIF89a and so on, much longer than a header'), 'not_png'],
    [
      'a picture with a script',
      Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"/>${' '.repeat(99)}`),
      'not_png',
    ],
    ['a JPEG', Buffer.from(`\xff\xd8\xff\xe0\0\x10JFIF\0${' '.repeat(99)}`, 'latin1'), 'not_png'],
    ['a WebP', Buffer.from(`RIFF\x70\0\0\0WEBPVP8 ${' '.repeat(99)}`, 'latin1'), 'not_png'],
    ['a cut one', buildPng(64, 64).subarray(0, 60), 'not_png'],
    ['a broken one', broken(), 'not_png'],
    ['an interlaced one', interlaced(), 'not_png'],
    ['a narrow one', buildPng(15, 64), 'wrong_size'],
    ['a wide one', buildPng(1_025, 16), 'wrong_size'],
    ['one that claims to be vast', vast(), 'wrong_size'],
    ['one whose data are vast', bomb(), 'not_png'],
    ['one with a second header, which nobody has checked', second(header(2_000, 2_000)), 'not_png'],
    ['one with a second header, which is interlaced', second(header(16, 16, 1)), 'not_png'],
    ['one with a palette twice', second(palette(), palette()), 'not_png'],
    ['a large file', Buffer.alloc(200 * 1_024 + 1), 'too_large'],
  ])('is not %s', async (_what, file, fault) => {
    expect(await send(file)).toEqual({ ok: false, fault });
  });

  it('of one merchant waits for no other one of the same merchant: that one is refused', async () => {
    const file = buildPng(64, 64);
    const [first, second_one, other] = await Promise.all([
      readLogo('one', file),
      readLogo('one', file),
      readLogo('other', file),
    ]);
    expect([first.ok, second_one, other.ok]).toEqual([true, { ok: false, fault: 'busy' }, true]);
    expect((await readLogo('one', file)).ok).toBe(true);
  });

  it('of anything at all is a small picture or refused', async () => {
    const valid = buildPng(40, 40);
    const damage = fc.array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(damage, async (changes) => {
        const file = Buffer.from(valid);
        for (const [at, byte] of changes) file[at] = byte;
        const read = await send(file);
        if (read.ok) expect(read.image.length).toBeLessThanOrEqual(200 * 1_024);
      }),
      { numRuns: 60 },
    );
  });
});

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

function crc32(data: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function header(width: number, height: number, interlace = 0, colors = RGBA): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([8, colors, 0, 0, interlace], 8);
  return chunk('IHDR', data);
}

function assemble(ihdr: Buffer, pixels: Buffer): Buffer {
  const signature = buildPng(16, 16).subarray(0, 8);
  return Buffer.concat([
    signature,
    ihdr,
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function broken(): Buffer {
  const file = Buffer.from(buildPng(64, 64));
  file[50] = file[50]! ^ 0xff;
  return file;
}

function interlaced(): Buffer {
  return assemble(header(64, 64, 1), Buffer.alloc(64 * (1 + 64 * 4)));
}

/** Puts the chunks between the header and the data. */
function second(...chunks: readonly Buffer[]): Buffer {
  const plain = buildPng(16, 16);
  return Buffer.concat([plain.subarray(0, 33), ...chunks, plain.subarray(33)]);
}

function palette(): Buffer {
  return chunk('PLTE', Buffer.alloc(3));
}

function vast(): Buffer {
  return assemble(header(1_000_000, 1_000_000), Buffer.alloc(100));
}

/** A hundred megabytes of nothing in a hundred kilobytes. */
function bomb(): Buffer {
  return assemble(header(16, 16), Buffer.alloc(100_000_000));
}
