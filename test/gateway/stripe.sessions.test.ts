import fc from 'fast-check';
import { expiryForms, SESSION_SECONDS } from '../../gateway/stripe/sessions';

const NOW = Date.parse('2026-11-21T08:00:00Z');
// Three days: on both sides of both of Stripe's bounds, to the millisecond.
const ahead_ms = fc.oneof(
  fc.integer({ min: 1000, max: 3 * 86_400_000 }),
  fc.integer({ min: 1000, max: 2 * 3_600_000 }),
);
// How far Stripe's clock may be from ours, with the time that a request takes.
const skew_ms = fc.integer({ min: -60_000, max: 60_000 });

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

describe('when a session of Stripe lapses', () => {
  it('is within what Stripe allows, also when its clock differs', () => {
    fc.assert(
      fc.property(ahead_ms, skew_ms, (ahead, skew) => {
        const [form] = expiryForms(iso(NOW + ahead), NOW);
        if (form === undefined) return;
        const lasts = form - (NOW + skew) / 1000;
        expect(lasts).toBeGreaterThanOrEqual(SESSION_SECONDS.minimum);
        expect(lasts).toBeLessThanOrEqual(SESSION_SECONDS.maximum);
      }),
    );
  });

  it('is found again by every later call, for as long as the intent lives', () => {
    fc.assert(
      fc.property(ahead_ms, fc.double({ min: 0, max: 0.999, noNaN: true }), (ahead, part) => {
        const end = iso(NOW + ahead);
        const [first] = expiryForms(end, NOW);
        const later = expiryForms(end, NOW + Math.floor((ahead - 1000) * part));
        expect(later).toContain(first);
      }),
    );
  });

  it('is never when the intent has ended, or ends at no instant', () => {
    expect(expiryForms(iso(NOW), NOW)).toEqual([]);
    expect(expiryForms(iso(NOW - 1), NOW)).toEqual([]);
    expect(expiryForms('tomorrow', NOW)).toEqual([]);
  });
});
