import { createCallLeases } from '../../api/rate-limits/reservations';
import type { Caller, Grant } from '../../db/api-keys';

const caller: Caller = {
  key_id: 'k',
  user_id: 'u',
  username: 'u',
  environment: 'live',
  allowed: true,
  request_limit: 6_000,
  request_remaining: 5_990,
  write_limit: 3_000,
  write_remaining: 2_995,
  retry_after_seconds: 0,
  now: '2026-01-01T00:00:00.000000Z',
  stored: undefined,
};

function grant(fields: Partial<Grant>): Caller & Grant {
  return { ...caller, granted_requests: 10, granted_writes: 5, lease_ms: 1_000, ...fields };
}

/** Spends until the lease is used up and returns how many calls it let in. */
function spendAll(leases: ReturnType<typeof createCallLeases>, is_write: boolean): number {
  let spent = 0;
  while (leases.spend('key', is_write)) spent += 1;
  return spent;
}

describe('leases of calls counted in advance', () => {
  it('let in what was granted beyond the call itself, and no more', () => {
    const leases = createCallLeases();
    leases.keep('key', grant({}), performance.now());
    expect(spendAll(leases, false)).toBe(9);
  });

  it('count a write in both', () => {
    const leases = createCallLeases();
    leases.keep('key', grant({}), performance.now());
    expect(spendAll(leases, true)).toBe(4);
    expect(spendAll(leases, false)).toBe(5);
  });

  it('tell what remains as if each call had been counted by itself', () => {
    const leases = createCallLeases();
    leases.keep('key', grant({}), performance.now());
    expect(leases.spend('key', false)).toMatchObject({ allowed: true, request_remaining: 5_998 });
  });

  it('end with the second they were counted in', () => {
    const leases = createCallLeases();
    leases.keep('key', grant({ lease_ms: 5 }), performance.now() - 5);
    expect(leases.spend('key', false)).toBeUndefined();
  });

  it('are never given to keys that are counted one by one', () => {
    const leases = createCallLeases();
    leases.keep('key', grant({ granted_requests: 1, granted_writes: 1 }), performance.now());
    expect(leases.spend('key', false)).toBeUndefined();
  });

  it('belong to one key', () => {
    const leases = createCallLeases();
    leases.keep('key', grant({}), performance.now());
    expect(leases.spend('other', false)).toBeUndefined();
  });

  it('are asked for by one call of a key at a time', () => {
    const leases = createCallLeases();
    expect([leases.claim('key'), leases.claim('key'), leases.claim('other')]).toEqual([
      true,
      false,
      true,
    ]);
    leases.release('key');
    expect(leases.claim('key')).toBe(true);
  });
});
