// Pictures as merchants send them.

import { PNG } from 'pngjs';

type Pixel = readonly [red: number, green: number, blue: number, alpha: number];

/** One colour, unless each pixel has its own. */
export function buildPng(
  width: number,
  height: number,
  pixelAt: (x: number, y: number) => Pixel = () => [11, 107, 80, 255],
): Buffer {
  const picture = new PNG({ width, height });
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) picture.data.set(pixelAt(x, y), (y * width + x) * 4);
  }
  return PNG.sync.write(picture);
}
