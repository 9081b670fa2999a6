// A QR code as SVG: dark on light whatever the page's colours are, because not every reader takes the
// other way round.

import { create } from 'qrcode';
import type { JSX } from 'preact';

/** Empty modules around the code, which readers need (ISO/IEC 18004). */
const QUIET = 4;

export function QrCode({
  text,
  label,
}: {
  readonly text: string;
  /** Said to screen readers. */
  readonly label: string;
}): JSX.Element {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const side = modules.size + 2 * QUIET;
  const dark = Array.from(modules.data).flatMap((isDark, at) =>
    isDark
      ? [`M${(at % modules.size) + QUIET} ${Math.floor(at / modules.size) + QUIET}h1v1h-1z`]
      : [],
  );
  return (
    <svg class="qr" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label}>
      <rect width={side} height={side} fill="#fff" />
      <path d={dark.join('')} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}
