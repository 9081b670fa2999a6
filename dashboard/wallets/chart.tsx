// A bar for each day's balance, as a few lines of SVG: no script, colours by classes of the style
// sheet.

import type { JSX } from 'preact';

const HEIGHT = 100;
const DAY_WIDTH = 10;
const GAP = 2;
/** The least height, so that a day without money is seen as a day. */
const LEAST = 1;

export interface ChartProps {
  /** The balances, oldest first. */
  readonly values: readonly bigint[];
  /** Says in words what the picture shows. */
  readonly label: string;
}

/** The scale begins at zero: a small change of a large balance looks small. */
export function BalanceChart({ values, label }: ChartProps): JSX.Element {
  const highest = values.reduce((a, b) => (b > a ? b : a), 0n);
  const heightOf = (value: bigint): number =>
    // Fractions of a pixel are lost, and no digit of an amount matters here.
    highest === 0n ? LEAST : Math.max(LEAST, Number((value * 1_000n) / highest) / 10);
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${values.length * DAY_WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {values.map((value, index) => (
        <rect
          x={index * DAY_WIDTH}
          y={HEIGHT - heightOf(value)}
          width={DAY_WIDTH - GAP}
          height={heightOf(value)}
        />
      ))}
    </svg>
  );
}
