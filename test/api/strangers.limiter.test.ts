// The limit of strangers itself, on a clock of the test's.

import { networkOf } from '../../api/rate-limits/network';
import { createStrangers } from '../../api/rate-limits/strangers';

const MINUTE_MS = 60_000;

function startClock() {
  const clock = { at: 10 * MINUTE_MS };
  const strangers = createStrangers({ per_minute: 5, now: () => clock.at });
  const take = (address = '203.0.113.7') => strangers.take('request', address);
  const takeMany = (count: number, address?: string) =>
    Array.from({ length: count }, () => take(address)).filter((seconds) => seconds === 0).length;
  return { clock, strangers, take, takeMany };
}

describe('an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['not-an-address', 'unreadable'],
    ['', 'unreadable'],
  ])('%s is counted as %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('the limit', () => {
  it('allows as many as it says, and no more in the same minute', () => {
    const { takeMany, take } = startClock();
    expect(takeMany(50)).toBe(5);
    expect(take()).toBeGreaterThan(0);
  });

  it('is one for each address, for each /64 and for each kind of request', () => {
    const { strangers, takeMany } = startClock();
    expect(takeMany(50, '2001:db8::1')).toBe(5);
    expect(takeMany(50, '2001:db8::2:1')).toBe(0);
    expect(takeMany(50, '2001:db8:0:1::1')).toBe(5);
    const health = Array.from({ length: 100 }, () => strangers.take('health', '2001:db8::1'));
    expect(health.filter((seconds) => seconds === 0).length).toBe(50);
  });

  it('is not doubled around the turn of a minute', () => {
    const { clock, takeMany } = startClock();
    clock.at = 11 * MINUTE_MS - 1;
    expect(takeMany(50)).toBe(5);
    clock.at = 11 * MINUTE_MS + 1;
    expect(takeMany(50)).toBe(0);
    clock.at = 11 * MINUTE_MS + MINUTE_MS / 2;
    expect(takeMany(50)).toBeLessThanOrEqual(3);
    clock.at = 13 * MINUTE_MS;
    expect(takeMany(50)).toBe(5);
  });

  it.each([0, 1, 20_000, 59_999])(
    'names a wait after which one more is allowed, and no longer one than needed, %i ms into a minute',
    (offset) => {
      const { clock, take, takeMany } = startClock();
      clock.at = 20 * MINUTE_MS + offset;
      takeMany(5);
      const seconds = take();
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(75);
      clock.at += (seconds - 1) * 1_000 - 1;
      expect(take()).toBeGreaterThan(0);
      clock.at += 1_001;
      expect(take()).toBe(0);
    },
  );

  it('does not count what is given back', () => {
    const { strangers, takeMany } = startClock();
    for (let call = 0; call < 100; call += 1) {
      expect(takeMany(1)).toBe(1);
      strangers.giveBack('::ffff:203.0.113.7');
    }
    expect(takeMany(50)).toBe(5);
  });

  it('is shared by further addresses once there are too many, and those before keep their own', () => {
    const { strangers, takeMany } = startClock();
    strangers.take('request', '203.0.113.7');
    let allowed = 0;
    // The subscribers of a provider with a /32.
    for (let subnet = 0; subnet < 100_000; subnet += 1) {
      const address = `2001:db8:${(subnet >> 16).toString(16)}:${(subnet & 0xffff).toString(16)}::1`;
      if (strangers.take('request', address) === 0) allowed += 1;
    }
    expect(allowed).toBe(20_000 - 1 + 5);
    expect(takeMany(50)).toBe(4);
  });
});
