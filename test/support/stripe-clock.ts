// A clock that a test can move. Timers keep running in real time.

/** Sets the clock to now and returns how to move it. The end of the test file restores it. */
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
