// Work that must not hold up what comes after it.

export interface Places {
  /** Null when no place is free: then nothing was called. A call keeps its place until it has ended. */
  run<Result>(call: () => Promise<Result>): Promise<Result | null>;
}

export function createPlaces(count: number): Places {
  let taken = 0;
  return {
    async run(call) {
      if (taken >= count) return null;
      taken += 1;
      try {
        return await call();
      } finally {
        taken -= 1;
      }
    },
  };
}

/** Null when it takes longer; it goes on by itself then. If it fails after that, nobody is told. */
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
