// Work that must not hold up what comes after it. What takes longer goes on by itself.

export interface BriefCalls {
  /**
   * Null when no place is free, or when it takes longer than `within_ms` (undefined: as long as it takes):
   * whether it is done is then unknown. A call that takes too long keeps its place until it has ended.
   */
  run<Result>(call: () => Promise<Result>, within_ms?: number): Promise<Result | null>;
}

export function createBriefCalls(at_once: number): BriefCalls {
  let under_way = 0;
  return {
    async run(call, within_ms) {
      if (under_way >= at_once) return null;
      under_way += 1;
      const called = call().finally(() => {
        under_way -= 1;
      });
      return within_ms === undefined ? called : nullAfter(within_ms, called);
    },
  };
}

/** Null when it takes longer. If it fails after that, nobody is told. */
export async function nullAfter<Result>(
  within_ms: number,
  called: Promise<Result>,
): Promise<Result | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), within_ms);
  });
  called.catch(() => undefined);
  try {
    return await Promise.race([called, late]);
  } finally {
    clearTimeout(timer);
  }
}
