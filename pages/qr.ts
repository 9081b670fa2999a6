// A QR code as the path of an SVG: dark on light whatever the page's colours are, because not every reader
// takes the other way round.

import { create } from 'qrcode';

/** Empty modules around the code, which readers need (ISO/IEC 18004). */
const QUIET = 4;

export interface QrPath {
  /** Of the square that it fills. */
  readonly side: number;
  readonly path: string;
}

export function qrPath(text: string): QrPath {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const path: string[] = [];
  for (let y = 0; y < modules.size; y += 1) {
    for (let x = 0; x < modules.size;) {
      const from = x;
      while (x < modules.size && modules.get(y, x)) x += 1;
      if (x > from) path.push(`M${from + QUIET} ${y + QUIET}h${x - from}v1h${from - x}z`);
      else x += 1;
    }
  }
  return { side: modules.size + 2 * QUIET, path: path.join('') };
}
