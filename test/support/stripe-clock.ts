// The time of day as a test needs it. Timers and everything else keep running.

/** Sets the clock to now, and answers how to move it. Ends with the file's tests. */
export function useClock(): {
  readonly now: () => number;
  readonly pass: (seconds: number) => void;
} {
  beforeEach(() => {
    jest.useFakeTimers({
      now: Date.now(),
      doNotFake: [
        ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
        ...(['setImmediate', 'clearImmediate', 'setInterval', 'clearInterval'] as const),
        ...(['setTimeout', 'clearTimeout'] as const),
      ],
    });
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  return {
    now: () => Date.now(),
    pass: (seconds) => {
      jest.setSystemTime(Date.now() + seconds * 1000);
    },
  };
}
