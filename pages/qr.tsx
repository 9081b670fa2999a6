// A QR code: dark on light whatever the page's colours are, because not every reader takes the
// other way round.

import { render } from 'preact-render-to-string';
import { create } from 'qrcode';

/** Empty modules around the code, which readers need (ISO/IEC 18004). */
const QUIET = 4;

export function QrCode({
  text,
  label,
  ...rest
}: {
  readonly text: string;
  /** Screen readers say it. */
  readonly label: string;
  readonly class?: string;
  readonly xmlns?: string;
}) {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const side = modules.size + 2 * QUIET;
  return (
    <svg viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label} {...rest}>
      <rect width={side} height={side} fill="#fff" />
      <path d={pathOf(modules)} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}

/** The picture as a file of its own. */
export function renderQrCode(text: string, label: string): string {
  return render(<QrCode text={text} label={label} xmlns="http://www.w3.org/2000/svg" />);
}

function pathOf(modules: ReturnType<typeof create>['modules']): string {
  const path: string[] = [];
  for (let y = 0; y < modules.size; y += 1) {
    for (let x = 0; x < modules.size;) {
      const from = x;
      while (x < modules.size && modules.get(y, x)) x += 1;
      if (x > from) path.push(`M${from + QUIET} ${y + QUIET}h${x - from}v1h${from - x}z`);
      else x += 1;
    }
  }
  return path.join('');
}
