// A QR code on a page of the dashboard.

import type { JSX } from 'preact';
import { qrPath } from '../pages/qr';

export function QrCode({
  text,
  label,
}: {
  readonly text: string;
  /** Said to screen readers. */
  readonly label: string;
}): JSX.Element {
  const { side, path } = qrPath(text);
  return (
    <svg class="qr" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label}>
      <rect width={side} height={side} fill="#fff" />
      <path d={path} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}
