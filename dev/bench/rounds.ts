// Shared by all measurements: rounds, and the ratios taken within them.

import { median, round, type Summary } from './stats';

export interface RoundPlan {
  readonly rounds: number;
  readonly warmup_seconds: number;
  readonly seconds: number;
}

type Figures = Record<string, Summary>;
/** Figures of each round by name; a ratio is taken within a round and then the median of rounds. */
export type Rounds = readonly Figures[];

type Figure = Exclude<keyof Summary, 'processor_ms'>;

export function ratio(rounds: Rounds, name: string, floor: string, figure: Figure): number {
  return round(median(rounds.map((figures) => figures[name]![figure] / figures[floor]![figure])));
}

/** Keeps a figure of a round under its name, and tells of it. */
type Measure = (name: string, loop: () => Promise<Summary>) => Promise<Summary>;

export async function inRounds(
  { rounds: count }: RoundPlan,
  log: (text: string) => void,
  round: (measure: Measure) => Promise<void>,
): Promise<Rounds> {
  const rounds: Figures[] = [];
  while (rounds.length < count) {
    const figures: Figures = {};
    await round(async (name, loop) => {
      const figure = await loop();
      figures[name] = figure;
      log(`${name}: ${figure.rate}/s p50 ${figure.p50_ms} ms`);
      return figure;
    });
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
