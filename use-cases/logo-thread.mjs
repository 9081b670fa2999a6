// The thread of logos.ts: reads a PNG, makes it small and writes it again. Plain JavaScript, because a thread
// is started with a file as it lies on the disk.

import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import pngjs from 'pngjs';

const { PNG } = pngjs;

const MIN_SIDE = 16;
const MAX_SIDE = 1_024;
/** Four times what the pay page shows: sharp on every screen. The second always has less than 200 kB. */
const KEPT_SIDES = [256, 192];
const MAX_KEPT_BYTES = 200 * 1_024;

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A fault is one of logos.ts. */
function readLogo(file) {
  const plain = findPicture(file);
  if (plain === undefined) return { ok: false, fault: 'not_png' };
  const [width, height] = [plain.readUInt32BE(16), plain.readUInt32BE(20)];
  // The size is checked before anything is unpacked: a small file can claim a picture of gigabytes.
  if ([width, height].some((side) => side < MIN_SIDE || side > MAX_SIDE)) {
    return { ok: false, fault: 'wrong_size' };
  }
  const picture = unpack(plain);
  if (picture === undefined) return { ok: false, fault: 'not_png' };
  const [usual, small] = KEPT_SIDES;
  const image = PNG.sync.write(shrink(picture, usual));
  if (image.length <= MAX_KEPT_BYTES) return { ok: true, image };
  return { ok: true, image: PNG.sync.write(shrink(picture, small)) };
}

/**
 * Returns the file with only the chunks that make the picture, each once and in their order
 * (https://www.w3.org/TR/png-3/, 5.6). pngjs would take a second header, whose size is not checked:
 * with one, 126 bytes took 42 s and 4.8 GB. It would also do a correction of brightness that costs
 * more than all the rest. Interlaced pictures are not taken: it unpacks those without a bound.
 */
function findPicture(file) {
  if (!file.subarray(0, 8).equals(SIGNATURE)) return undefined;
  const parts = { IHDR: [], PLTE: [], tRNS: [], IDAT: [], IEND: [] };
  for (let at = 8; at + 12 <= file.length && parts.IEND.length === 0;) {
    const end = at + 12 + file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    if (end > file.length) return undefined;
    if (Object.hasOwn(parts, type)) parts[type].push(file.subarray(at, end));
    at = end;
  }
  const { IHDR, PLTE, tRNS, IDAT, IEND } = parts;
  const is_right =
    [IHDR, IEND].every(({ length }) => length === 1) &&
    [PLTE, tRNS].every(({ length }) => length <= 1) &&
    IDAT.length > 0;
  if (!is_right || IHDR[0].length !== 12 + 13 || IHDR[0].readUInt8(8 + 12) !== 0) return undefined;
  return Buffer.concat([SIGNATURE, ...IHDR, ...PLTE, ...tRNS, ...IDAT, ...IEND]);
}

function unpack(file) {
  try {
    return PNG.sync.read(file);
  } catch {
    // Whatever is wrong with the file, the answer is the same.
    return undefined;
  }
}

/** Each pixel is the mean of those that it stands for. Transparent ones have no colour to give. */
function shrink(picture, kept_side) {
  const scale = Math.min(1, kept_side / Math.max(picture.width, picture.height));
  const width = Math.max(1, Math.round(picture.width * scale));
  const height = Math.max(1, Math.round(picture.height * scale));
  const small = new PNG({ width, height });
  for (let y = 0; y < height; y += 1) {
    const rows = spanOf(y, height, picture.height);
    for (let x = 0; x < width; x += 1) {
      const pixel = meanOf(picture, spanOf(x, width, picture.width), rows);
      small.data.set(pixel, (y * width + x) * 4);
    }
  }
  return small;
}

function spanOf(at, kept, given) {
  const from = Math.floor((at * given) / kept);
  return [from, Math.max(from + 1, Math.floor(((at + 1) * given) / kept))];
}

function meanOf({ data, width }, [left, right], [top, bottom]) {
  const sums = [0, 0, 0];
  let opacity = 0;
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      const at = (y * width + x) * 4;
      const alpha = data[at + 3];
      opacity += alpha;
      for (let color = 0; color < 3; color += 1) sums[color] += data[at + color] * alpha;
    }
  }
  const count = (right - left) * (bottom - top);
  const colors = sums.map((sum) => (opacity === 0 ? 0 : Math.round(sum / opacity)));
  return [...colors, Math.round(opacity / count)];
}

if (!isMainThread) parentPort.postMessage(readLogo(Buffer.from(workerData)));
