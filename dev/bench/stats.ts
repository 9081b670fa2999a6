// Latency summaries and medians.

export interface Summary {
  readonly count: number;
  readonly seconds: number;
  readonly rate: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
  readonly p99_ms: number;
  /** The cost of one operation for each process. */
  readonly processor_ms?: Readonly<Record<string, number>>;
}

export function summarize(latencies_ms: readonly number[], seconds: number): Summary {
  const sorted = [...latencies_ms].sort((a, b) => a - b);
  const at = (share: number): number =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN);
  return {
    count: sorted.length,
    seconds: round(seconds),
    rate: round(sorted.length / seconds),
    p50_ms: at(0.5),
    p95_ms: at(0.95),
    p99_ms: at(0.99),
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
