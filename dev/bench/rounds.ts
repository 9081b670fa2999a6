// Shared by all measurements: rounds, the ratios taken within them, and the texts of figures.

import { median, round, type Summary } from './stats';

export interface RoundPlan {
  readonly rounds: number;
  readonly warmup_seconds: number;
  readonly seconds: number;
}

export type Figures = Record<string, Summary>;
/** Figures of each round by name; a ratio is taken within a round and then the median of rounds. */
export type Rounds = readonly Figures[];

type Figure = Exclude<keyof Summary, 'processor_ms'>;

export function ratio(rounds: Rounds, name: string, floor: string, figure: Figure): number {
  return round(median(rounds.map((figures) => figures[name]![figure] / figures[floor]![figure])));
}

export async function inRounds(
  { rounds: count }: RoundPlan,
  measure: (figures: Figures) => Promise<void>,
): Promise<Rounds> {
  const rounds: Figures[] = [];
  for (let i = 0; i < count; i += 1) {
    const figures: Figures = {};
    await measure(figures);
    rounds.push(figures);
  }
  return rounds;
}

export type Medians = Record<
  string,
  Partial<Record<Figure, number>> & Pick<Summary, 'processor_ms'>
>;

export function medians(rounds: Rounds): Medians {
  const names = Object.keys(rounds[0] ?? {});
  const middle = (name: string, figure: Figure): number =>
    round(median(rounds.map((figures) => figures[name]![figure])));
  return Object.fromEntries(
    names.map((name) => [
      name,
      {
        rate: middle(name, 'rate'),
        p50_ms: middle(name, 'p50_ms'),
        p95_ms: middle(name, 'p95_ms'),
        p99_ms: middle(name, 'p99_ms'),
        ...processorTimes(rounds.map((figures) => figures[name]!)),
      },
    ]),
  );
}

function processorTimes(summaries: readonly Summary[]): Pick<Summary, 'processor_ms'> {
  const times = summaries.flatMap(({ processor_ms: of }) => (of ? [of] : []));
  if (times.length === 0) return {};
  const names = Object.keys(times[0]!);
  const middle = (name: string): number => round(median(times.map((it) => it[name]!)));
  return { processor_ms: Object.fromEntries(names.map((name) => [name, middle(name)])) };
}

export function line(title: string, figures: Figures, names: readonly string[]): string {
  const parts = names.map(
    (name) => `${name} ${figures[name]!.rate}/s p50 ${figures[name]!.p50_ms} ms`,
  );
  return `${title}: ${parts.join(' · ')}`;
}
