// The limit of anonymous callers itself, on a clock of the test's.

import { networkOf, siteOf } from '../../http/network';
import { createStrangers } from '../../http/strangers';

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

it.each([
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2::3', '2001:db8:1::/48'],
])('%s is of the site %s', (address, site) => {
  expect(siteOf(address)).toBe(site);
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

  it.each([
    [0, 0],
    [1, 0],
    [20_000, 0],
    [59_999, 0],
    [0, 65_000],
  ])(
    'names a wait after which one more is allowed, and no longer one than needed, %i ms into a minute and %i ms later',
    (offset, later) => {
      const { clock, take, takeMany } = startClock();
      clock.at = 20 * MINUTE_MS + offset;
      takeMany(5);
      clock.at += later;
      const seconds = take();
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(75);
      clock.at += (seconds - 1) * 1_000 - 1;
      expect(take()).toBeGreaterThan(0);
      clock.at += 1_001;
      expect(take()).toBe(0);
    },
  );

  it('of look-ups is ten times as much, and what cannot be looked up does not count', async () => {
    const { strangers } = startClock();
    const lookUp = (found: unknown, secret = 'x') =>
      strangers.lookUp('203.0.113.7', secret, () => Promise.resolve(found));
    const failing = (): Promise<never> => Promise.reject(new Error('no database'));
    for (let count = 0; count < 100; count += 1) {
      await expect(strangers.lookUp('203.0.113.7', 'x', failing)).rejects.toThrow('no database');
    }
    const answers = [];
    for (let count = 0; count < 49; count += 1) answers.push(await lookUp(undefined));
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(5);
    expect(await lookUp('right', 'right')).toBe('right');
    expect(await lookUp('unseen', 'unseen')).toBeGreaterThan(0);
    expect(await lookUp('right', 'right')).toBe('right');
    // Revoked.
    expect(await lookUp(undefined, 'right')).toBeGreaterThan(0);
    expect(strangers.wasRight('right')).toBe(false);
  });

  const many = (count: number, address: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => address(index));

  it('is ten times as much for all /64s of one /48 together, which a site can get whole', () => {
    const { take, takeMany } = startClock();
    const addresses = many(65_536, (index) => `2001:db8:7:${index.toString(16)}::1`);
    expect(addresses.filter((address) => take(address) === 0)).toHaveLength(50);
    expect(takeMany(50, '2001:db8:8::1')).toBe(5);
  });

  it('of others is not used up by a caller with very many addresses, in any kind', () => {
    const { strangers, take, takeMany } = startClock();
    take();
    const flood = many(65_536, (index) => `10.${index >> 8}.${index & 255}.1`);
    expect(flood.filter((address) => take(address) > 0)).toEqual([]);
    // The memory has a bound: what was counted before so many is forgotten.
    expect(takeMany(50)).toBe(5);
    expect(takeMany(50, '198.51.100.9')).toBe(5);
    expect(strangers.take('health', '192.0.2.1')).toBe(0);
  });
});
