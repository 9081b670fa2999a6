// A row of bars over time, as a few lines of SVG: no script, colours by classes of the style sheet. Below it what the bars
// say as a table, for readers of screens and for all who want the figures.

import type { JSX } from 'preact';
import { Table, type Column } from './parts';

const HEIGHT = 100;
const WIDTH = 10;
const GAP = 2;
/** The least height, so that a day without money is seen as a day. */
const LEAST = 1;

/** The scale begins at zero: a small change of a large balance looks small. */
export function Bars({
  values,
  label,
  axis,
}: {
  /** Oldest first. */
  readonly values: readonly bigint[];
  /** Says in words what the picture shows. */
  readonly label: string;
  /** The names of the first bar and of the last. */
  readonly axis: readonly [string, string];
}) {
  const highest = values.reduce((a, b) => (b > a ? b : a), 0n);
  const heightOf = (value: bigint): number =>
    // Fractions of a pixel are lost, and no digit of an amount matters here.
    highest === 0n ? LEAST : Math.max(LEAST, Number((value * 1_000n) / highest) / 10);
  return (
    <>
      <svg
        class="chart"
        viewBox={`0 0 ${values.length * WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {values.map((value, index) => (
          <rect
            x={index * WIDTH}
            y={HEIGHT - heightOf(value)}
            width={WIDTH - GAP}
            height={heightOf(value)}
          />
        ))}
      </svg>
      <p class="hint axis" aria-hidden="true">
        {axis.map((name) => (
          <span>{name}</span>
        ))}
      </p>
    </>
  );
}

/** The figures of the bars, the newest first; folded, because the picture comes before them. */
export function BarTable({
  summary,
  rows,
  newest,
  ...table
}: {
  readonly summary: string;
  readonly caption: string;
  readonly columns: readonly Column[];
  /** Oldest first, each beginning with its name. */
  readonly rows: readonly (readonly [string, ...(JSX.Element | string)[]])[];
  /** Stands beside the name of the newest. */
  readonly newest: string;
}) {
  const shown = rows
    .toReversed()
    .map(([name, ...cells], index) => [index === 0 ? `${name} (${newest})` : name, ...cells]);
  return (
    <details>
      <summary>{summary}</summary>
      <Table {...table} rows={shown} />
    </details>
  );
}
