import fc from 'fast-check';
import {
  isGone,
  MAX_RETRY_AFTER_SECONDS,
  planPause,
  planRetry,
  quietSeconds,
  PROBE_AFTER_FAILURES,
  RETRY_SECONDS,
  type AttemptResult,
} from '../../domain/webhook';

const ASKED_NOTHING = { retry_after_seconds: null };
const TRIES = RETRY_SECONDS.length + 1;
/** A wait is at most this share longer, or shorter. */
const JITTER = 0.2;
const PAUSE_JITTER = 0.5;
const LONGEST_PAUSE_MS = 60_000;

const aTry = fc.integer({ min: 1, max: RETRY_SECONDS.length });
const aSchedule = fc.array(fc.integer({ min: 1, max: 604_800 }), { minLength: 1, maxLength: 20 });

function refused(status: number, retry_after_seconds: number | null = null): AttemptResult {
  return { outcome: 'refused', status, retry_after_seconds };
}

const TIMEOUT: AttemptResult = { outcome: 'timeout', status: null, retry_after_seconds: null };
const SLOWING: readonly AttemptResult[] = [TIMEOUT, ...[429, 502, 503, 504].map((s) => refused(s))];
const PLAIN: readonly AttemptResult[] = [
  ...[302, 400, 404, 500, 501].map((status) => refused(status)),
  { outcome: 'connection_failed', status: null, retry_after_seconds: null },
];

describe('planRetry', () => {
  it('waits as long as planned, 20 % more or less', () => {
    fc.assert(
      fc.property(fc.uuid(), aSchedule, fc.nat(), (id, schedule, at) => {
        const tries = (at % schedule.length) + 1;
        const planned = schedule[tries - 1]! * 1_000;
        const wait = planRetry({ id, tries }, ASKED_NOTHING, schedule)!;
        expect(Number.isInteger(wait)).toBe(true);
        expect(wait).toBeGreaterThanOrEqual(Math.floor(planned * (1 - JITTER)));
        expect(wait).toBeLessThanOrEqual(Math.ceil(planned * (1 + JITTER)));
      }),
    );
  });

  it("tries ten times within Standard Webhooks' 75 hours, and then no more", () => {
    expect(TRIES).toBe(10);
    const nominal = RETRY_SECONDS.reduce((sum, seconds) => sum + seconds, 0);
    expect(nominal).toBeGreaterThanOrEqual(75 * 3_600);
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: TRIES, max: 1_000 }), (id, tries) => {
        expect(planRetry({ id, tries }, ASKED_NOTHING)).toBeNull();
        // Whatever the receiver asks for.
        expect(planRetry({ id, tries }, { retry_after_seconds: 1 })).toBeNull();
      }),
    );
  });

  it('waits as long as the receiver asks for, never less than planned and a day at most', () => {
    fc.assert(
      fc.property(
        fc.uuid(),
        aTry,
        fc.oneof(
          fc.integer({ min: -10, max: 10 * MAX_RETRY_AFTER_SECONDS }),
          fc.constantFrom(0, Number.MAX_SAFE_INTEGER),
        ),
        (id, tries, retry_after_seconds) => {
          const planned = planRetry({ id, tries }, ASKED_NOTHING)!;
          const wait = planRetry({ id, tries }, { retry_after_seconds })!;
          const asked = Math.min(Math.max(retry_after_seconds, 0), 86_400) * 1_000;
          expect(wait).toBe(Math.max(planned, asked));
        },
      ),
    );
  });

  it('returns the same wait each time, and another one for each delivery and try', () => {
    fc.assert(
      fc.property(fc.uuid(), aTry, (id, tries) => {
        expect(planRetry({ id, tries }, ASKED_NOTHING)).toBe(
          planRetry({ id, tries }, ASKED_NOTHING),
        );
      }),
    );
    const fractions = fc
      .sample(fc.uuid(), { numRuns: 2_000, seed: 1 })
      .map((id) => planRetry({ id, tries: TRIES - 1 }, ASKED_NOTHING)! / 86_400_000);
    // A tenth of the range has a tenth of them, give or take a quarter.
    const tenths = Array<number>(10).fill(0);
    for (const fraction of fractions) {
      tenths[Math.floor(((fraction - (1 - JITTER)) / (2 * JITTER)) * 10)]! += 1;
    }
    for (const count of tenths) {
      expect(count).toBeGreaterThan(150);
      expect(count).toBeLessThan(250);
    }
  });
});

describe('planPause', () => {
  const anId = fc.uuid();

  it('is none for a few plain failures', () => {
    fc.assert(
      fc.property(
        anId,
        fc.integer({ min: 1, max: PROBE_AFTER_FAILURES - 1 }),
        fc.constantFrom(...PLAIN),
        (id, failures, result) => {
          expect(planPause(id, failures, result)).toBe(0);
        },
      ),
    );
    expect(PROBE_AFTER_FAILURES).toBe(5);
  });

  it.each([
    ['the fifth plain failure', PLAIN, PROBE_AFTER_FAILURES],
    ['the first timeout, 429, 502, 503 or 504', SLOWING, 1],
  ] as const)(
    'is a second from %s on, then twice as long, a minute at most',
    (_, results, from) => {
      fc.assert(
        fc.property(
          anId,
          fc.integer({ min: from, max: 2_000_000_000 }),
          fc.constantFrom(...results),
          (id, failures, result) => {
            const nominal = Math.min(1_000 * 2 ** (failures - from), LONGEST_PAUSE_MS);
            const pause = planPause(id, failures, result);
            expect(pause).toBeGreaterThanOrEqual(Math.floor(nominal * (1 - PAUSE_JITTER)));
            expect(pause).toBeLessThanOrEqual(Math.ceil(nominal * (1 + PAUSE_JITTER)));
            expect(planPause(id, failures, result)).toBe(pause);
          },
        ),
      );
    },
  );

  it('is as long as an overloaded receiver asks for, at most a day', () => {
    fc.assert(
      fc.property(
        anId,
        fc.integer({ min: 1, max: 100 }),
        fc.constantFrom(429, 502, 503, 504),
        fc.integer({ min: 0, max: 10 * MAX_RETRY_AFTER_SECONDS }),
        (id, failures, status, seconds) => {
          const pause = planPause(id, failures, refused(status, seconds));
          const unasked = planPause(id, failures, refused(status));
          expect(pause).toBe(Math.max(unasked, Math.min(seconds, 86_400) * 1_000));
        },
      ),
    );
  });

  it('ignores a Retry-After that is about one delivery', () => {
    expect(planPause('an endpoint', 1, refused(500, 3_600))).toBe(0);
    expect(planPause('an endpoint', 1, refused(404, 3_600))).toBe(0);
  });
});

describe('isGone', () => {
  it('is true only for 410', () => {
    fc.assert(
      fc.property(fc.option(fc.integer({ min: 100, max: 599 })), (status) => {
        expect(isGone({ status })).toBe(status === 410);
      }),
      { numRuns: 1_000 },
    );
    expect(isGone({ status: 410 })).toBe(true);
  });
});

describe('a quiet time', () => {
  it('is longer than any wait of the schedule, and no less than 36 hours', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 999_999 }), { maxLength: 20 }), (schedule) => {
        const quiet = quietSeconds(schedule);
        expect(quiet).toBeGreaterThanOrEqual(36 * 3_600);
        for (const wait of schedule) expect(quiet).toBeGreaterThan(wait * (1 + JITTER));
      }),
    );
  });
});
