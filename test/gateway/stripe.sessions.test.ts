import fc from 'fast-check';
import { expiryForms, SESSION_SECONDS } from '../../gateway/stripe/sessions';

const NOW = Date.parse('2026-11-21T08:00:00Z');
// Up to three days: values on both sides of Stripe's bounds, to the millisecond.
const ahead_ms = fc.oneof(
  fc.integer({ min: 1000, max: 3 * 86_400_000 }),
  fc.integer({ min: 1000, max: 2 * 3_600_000 }),
);
// The difference between Stripe's clock and ours, including the time of a request.
const skew_ms = fc.integer({ min: -60_000, max: 60_000 });

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

describe('the expiry of a Stripe session', () => {
  it("is within Stripe's limits, also when its clock differs", () => {
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

  it('is tried again by every later call while the intent is open', () => {
    fc.assert(
      fc.property(ahead_ms, fc.double({ min: 0, max: 0.999, noNaN: true }), (ahead, part) => {
        const end = iso(NOW + ahead);
        const [first] = expiryForms(end, NOW);
        const later = expiryForms(end, NOW + Math.floor((ahead - 1000) * part));
        expect(later).toContain(first);
      }),
    );
  });

  it('does not exist when the intent has expired or its end is invalid', () => {
    expect(expiryForms(iso(NOW), NOW)).toEqual([]);
    expect(expiryForms(iso(NOW - 1), NOW)).toEqual([]);
    expect(expiryForms('tomorrow', NOW)).toEqual([]);
  });
});
