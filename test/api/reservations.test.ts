import { createReservations, type Reservations } from '../../api/rate-limits/reservations';
import type { Caller, ReservedCalls } from '../../db/keys/api-keys';

const caller: Caller = {
  key_id: 'k',
  user_id: 'u',
  username: 'u',
  environment: 'live',
  allowed: true,
  is_address_allowed: true,
  is_revoked: false,
  is_frozen: false,
  is_expired: false,
  scopes: [],
  clock_seconds: null,
  has_faults: null,
  limited_key: null,
  request_limit: 6_000,
  request_remaining: 5_990,
  write_limit: 3_000,
  write_remaining: 2_995,
  retry_after_seconds: 0,
  now: '2026-01-01T00:00:00.000000Z',
  stored: undefined,
};

function countedCaller(fields: Partial<ReservedCalls>): Caller & ReservedCalls {
  return { ...caller, reserved_requests: 10, reserved_writes: 5, reservation_ms: 1_000, ...fields };
}

/** The store reserved these calls. */
async function reserve(fields: Partial<ReservedCalls> = {}): Promise<Reservations> {
  const reservations = createReservations();
  await reservations.count('key', () => Promise.resolve(countedCaller(fields)));
  return reservations;
}

/** Spends until the reservation is used up and returns how many calls it let in. */
function spendAll(reservations: Reservations, is_write: boolean): number {
  let spent = 0;
  while (reservations.spend('key', is_write)) spent += 1;
  return spent;
}

describe('reserved calls', () => {
  it('are as many as were counted beyond the call itself, for that key', async () => {
    const reservations = await reserve();
    expect(reservations.spend('other', false)).toBeUndefined();
    expect(spendAll(reservations, false)).toBe(9);
  });

  it('count a write in both windows', async () => {
    const reservations = await reserve();
    expect(spendAll(reservations, true)).toBe(4);
    expect(spendAll(reservations, false)).toBe(5);
  });

  it('tell what remains as if each call had been counted by itself', async () => {
    expect((await reserve()).spend('key', false)).toMatchObject({
      allowed: true,
      request_remaining: 5_998,
    });
  });

  it.each([
    ['expire with the second that they were counted in', { reservation_ms: 0 }],
    ['are never given to keys that are counted one by one', { reserved_requests: 1 }],
  ])('%s', async (_, fields) => {
    expect((await reserve(fields)).spend('key', false)).toBeUndefined();
  });

  it('are requested by one call of a key at a time', async () => {
    const reservations = createReservations();
    const asked: boolean[] = [];
    const count = (key: string) =>
      reservations.count(key, (may_reserve) => {
        asked.push(may_reserve);
        return Promise.resolve(undefined);
      });
    await Promise.all([count('key'), count('key'), count('other')]);
    await count('key');
    expect(asked).toEqual([true, false, true, true]);
  });
});
