// Whether something goes on growing during a soak: figures that were read again and again, at even distances.

export interface Series {
  readonly name: string;
  readonly unit: string;
  readonly values: readonly number[];
}

export interface GrowthRule {
  /** Lets the last third be above the second by a part of it, and by so many units besides. */
  readonly share: number;
  readonly besides: number;
}

export interface Growth {
  readonly name: string;
  readonly unit: string;
  /** Figure of the second third, and of the last. */
  readonly from: number;
  readonly to: number;
  readonly grows: boolean;
}

/**
 * Judges what should stay as it is. Caches fill and pools open in the first third. Medians are
 * compared, because what a garbage collector leaves goes up and down all the time.
 */
export function findGrowth({ name, unit, values }: Series, rule: GrowthRule): Growth {
  const { middle, last } = thirdsOf(values);
  return judge({ name, unit, from: median(middle), to: median(last) }, rule);
}

/** Judges how much each operation adds, which should stay as it is. */
export function findGrowthPer(
  { name, unit, values }: Series,
  operations: readonly number[],
  rule: GrowthRule,
): Growth {
  const sizes = thirdsOf(values);
  const counts = thirdsOf(operations);
  const per = (part: 'middle' | 'last'): number =>
    change(sizes[part]) / Math.max(1, change(counts[part]));
  return judge({ name, unit, from: per('middle'), to: per('last') }, rule);
}

function judge(found: Omit<Growth, 'grows'>, { share, besides }: GrowthRule): Growth {
  return { ...found, grows: found.to > found.from * (1 + share) + besides };
}

function thirdsOf(values: readonly number[]): Record<'middle' | 'last', readonly number[]> {
  const third = Math.floor(values.length / 3);
  return { middle: values.slice(third, 2 * third), last: values.slice(2 * third) };
}

function change(values: readonly number[]): number {
  return (values.at(-1) ?? 0) - (values[0] ?? 0);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
