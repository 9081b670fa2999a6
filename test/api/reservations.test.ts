import { createReservations, type Reservations } from '../../api/rate-limits/reservations';
import type { Caller, ReservedCalls } from '../../db/api-keys';

const caller: Caller = {
  key_id: 'k',
  user_id: 'u',
  username: 'u',
  environment: 'live',
  allowed: true,
  is_address_allowed: true,
  is_frozen: false,
  is_read_only: false,
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

/** Spends until the reservation is used up and returns how many calls it let in. */
function spendAll(reservations: Reservations, is_write: boolean): number {
  let spent = 0;
  while (reservations.spend('key', is_write)) spent += 1;
  return spent;
}

describe('reserved calls', () => {
  it('are as many as were counted beyond the call itself', () => {
    const reservations = createReservations();
    reservations.add('key', countedCaller({}), performance.now());
    expect(spendAll(reservations, false)).toBe(9);
  });

  it('count a write in both windows', () => {
    const reservations = createReservations();
    reservations.add('key', countedCaller({}), performance.now());
    expect(spendAll(reservations, true)).toBe(4);
    expect(spendAll(reservations, false)).toBe(5);
  });

  it('tell what remains as if each call had been counted by itself', () => {
    const reservations = createReservations();
    reservations.add('key', countedCaller({}), performance.now());
    expect(reservations.spend('key', false)).toMatchObject({
      allowed: true,
      request_remaining: 5_998,
    });
  });

  it('expire with the second that they were counted in', () => {
    const reservations = createReservations();
    reservations.add('key', countedCaller({ reservation_ms: 5 }), performance.now() - 5);
    expect(reservations.spend('key', false)).toBeUndefined();
  });

  it('are never given to keys that are counted one by one', () => {
    const reservations = createReservations();
    reservations.add(
      'key',
      countedCaller({ reserved_requests: 1, reserved_writes: 1 }),
      performance.now(),
    );
    expect(reservations.spend('key', false)).toBeUndefined();
  });

  it('belong to one key', () => {
    const reservations = createReservations();
    reservations.add('key', countedCaller({}), performance.now());
    expect(reservations.spend('other', false)).toBeUndefined();
  });

  it('are requested by one call of a key at a time', () => {
    const reservations = createReservations();
    const beginReserving = (key: string) => reservations.beginReserving(key);
    expect([beginReserving('key'), beginReserving('key'), beginReserving('other')]).toEqual([
      true,
      false,
      true,
    ]);
    reservations.endReserving('key');
    expect(beginReserving('key')).toBe(true);
  });
});
