// What a run concludes from responses: how many requests at once, when to pause, and how many in a second. The clock is
// the test's.

import { createEndpointHealth, createRateLimit } from '../../webhooks/delivery/endpoint-health';
import type { SendResult } from '../../webhooks/send';

let now = 0;

beforeEach(() => {
  now = 1_000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
});

afterEach(() => {
  jest.restoreAllMocks();
});

function resultOf(status: number, retry_after_seconds: number | null = null): SendResult {
  return {
    outcome: status < 300 ? 'delivered' : 'refused',
    status,
    response_body: '',
    response_truncated: false,
    retry_after_seconds,
    duration_ms: 1,
  };
}

describe('the health of an endpoint', () => {
  const create = () => createEndpointHealth('an endpoint', 6);

  it('allows four requests at first, one more for each that arrives, and half as many after a failure', () => {
    const health = create();
    const windows = [200, 200, 200, 500, 500, 200, 500, 500, 500, 500, 500, 200, 200];
    expect([
      health.window,
      ...windows.map((status) => {
        health.report(resultOf(status));
        return health.window;
      }),
    ]).toEqual([4, 5, 6, 6, 3, 1, 2, 1, 1, 1, 1, 1, 2, 3]);
    // The setting may allow fewer than four.
    expect(createEndpointHealth('an endpoint', 2).window).toBe(2);
  });

  it('allows one request at a time to an endpoint that failed before the run, until one arrives', () => {
    const health = create();
    health.reset(1);
    expect(health.window).toBe(1);
    health.report(resultOf(200));
    expect(health.window).toBe(2);
    health.reset(0);
    expect(health.window).toBe(4);
  });

  it('pauses and probes after the fifth failure in a row, and goes on when a request arrives', () => {
    const health = createEndpointHealth('an endpoint', 64);
    for (let n = 0; n < 64; n += 1) health.report(resultOf(200));
    const states = [1, 2, 3, 4, 5].map(() => {
      health.report(resultOf(500));
      return [health.window, health.is_paused];
    });
    const [halved, probed] = [[32, 16, 8, 4].map((window) => [window, false]), [1, true]];
    expect(states).toEqual([...halved, probed]);
    expect(health.pause_ms).toBeGreaterThanOrEqual(500);
    now += health.pause_ms;
    expect([health.is_paused, health.pause_ms]).toEqual([false, 0]);
    health.report(resultOf(500));
    expect(health.is_paused).toBe(true);
    health.report(resultOf(200));
    expect(health.is_paused).toBe(false);
  });

  it('keeps the pause that the endpoint asked for, although other requests arrive', () => {
    const health = create();
    health.report(resultOf(429, 60));
    health.report(resultOf(200));
    health.report(resultOf(503, 5));
    expect([health.is_paused, health.pause_ms]).toEqual([true, 60_000]);
    now += 59_999;
    expect(health.is_paused).toBe(true);
    now += 1;
    expect(health.is_paused).toBe(false);
    // Another address has not asked for anything.
    health.report(resultOf(429, 60));
    health.reset(0);
    expect(health.is_paused).toBe(false);
  });
});

describe('a rate limit', () => {
  it('allows no more than that in any second, the first ones as slowly as all others', () => {
    const limit = createRateLimit(20);
    const taken: number[] = [];
    for (; taken.length < 100; now += 1) if (limit.take() === 0) taken.push(now);
    expect(taken).toEqual(taken.map((_, at) => 1_000 + at * 50));
    expect(limit.take()).toBe(49);
  });

  it('makes up for a timer that is late, and not for a rest', () => {
    const limit = createRateLimit(20);
    const takenAt = (ms: number): boolean => {
      now = 1_000 + ms;
      return limit.take() === 0;
    };
    expect([0, 90, 100, 149, 150].map(takenAt)).toEqual([true, true, true, false, true]);
    expect([10_000, 10_049, 10_050].map(takenAt)).toEqual([true, false, true]);
  });

  it('that is none allows everything at once', () => {
    const limit = createRateLimit(null);
    expect(Array.from({ length: 50 }, () => limit.take())).toEqual(Array(50).fill(0));
  });
});
