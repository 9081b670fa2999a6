// Writes what a whole run has measured into docs/high-availability.md.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { groupBy } from '../../faults/support/group';

export interface Figure {
  readonly title: string;
  /** The longest time in which no transfer was answered. */
  readonly outage_ms: number;
}

const ROOT = join(__dirname, '..', '..', '..');
const PAGE = join(ROOT, 'docs', 'high-availability.md');
const PLACE = /(?<=<!-- measured -->\n)[^]*(?=<!-- \/measured -->)/;

/** @param figures of rounds in which nothing was lost */
export function writeFigures(figures: readonly Figure[]): void {
  const sorted = figures.map(({ outage_ms }) => outage_ms).sort((one, other) => one - other);
  const half = sorted.length / 2;
  const median = (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2;
  const rows = groupBy(figures, ({ title }) => title);
  const lines = [
    '',
    `${figures.length} rounds on ${new Date().toISOString().slice(0, 10)}: no answered transfer was lost (RPO 0) and none doubled. ` +
      `Without writes: median ${seconds(median)} s, worst ${seconds(sorted.at(-1)!)} s.`,
    '',
    '| fault | seconds without writes |',
    '| --- | --- |',
    ...[...rows].map(
      ([title, those]) =>
        `| ${title} | ${those.map(({ outage_ms }) => seconds(outage_ms)).join(', ')} |`,
    ),
    '',
    '',
  ];
  writeFileSync(PAGE, readFileSync(PAGE, 'utf8').replace(PLACE, lines.join('\n')));
  execFileSync('npx', ['prettier', '--write', PAGE], { cwd: ROOT, stdio: 'ignore' });
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
