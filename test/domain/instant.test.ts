import fc from 'fast-check';
import { parseInstant } from '../../domain/instant';

const FIRST = Date.parse('0001-01-02T00:00:00Z');
const LAST = Date.parse('9999-12-30T23:59:59Z');
const moment = fc.date({
  min: new Date(FIRST),
  max: new Date(LAST),
  noInvalidDate: true,
});

describe('parseInstant', () => {
  it('turns any offset into UTC', () => {
    const offset = fc.tuple(fc.constantFrom('+', '-', ' '), fc.nat(23), fc.nat(59));
    fc.assert(
      fc.property(moment, offset, fc.boolean(), (date, [sign, hours, minutes], colon) => {
        const shift = (sign === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000;
        const local = new Date(date.getTime() + shift).toISOString().slice(0, 19);
        const pad = (value: number) => String(value).padStart(2, '0');
        const text = `${local}${sign}${pad(hours)}${colon ? ':' : ''}${pad(minutes)}`;
        expect(parseInstant(text)).toBe(`${date.toISOString().slice(0, 19)}.000000Z`);
      }),
    );
  });

  it('rounds what is finer than a microsecond up, also over the end of a second', () => {
    fc.assert(
      fc.property(moment, fc.nat(999_999_999), (date, nanos) => {
        const second = date.toISOString().slice(0, 19);
        const found = parseInstant(`${second}.${String(nanos).padStart(9, '0')}Z`)!;
        const whole = BigInt(Date.parse(`${found.slice(0, 19)}Z`)) * 1000n;
        const micros = whole + BigInt(found.slice(20, 26));
        const wanted = BigInt(Date.parse(`${second}Z`)) * 1_000_000n + BigInt(nanos);
        expect(micros * 1000n).toBeGreaterThanOrEqual(wanted);
        expect(micros * 1000n - wanted).toBeLessThan(1000n);
      }),
    );
  });

  it('is defined for exactly the dates that exist', () => {
    const day = fc.tuple(fc.integer({ min: 1, max: 9998 }), fc.nat(13), fc.nat(32));
    fc.assert(
      fc.property(day, ([year, month, date]) => {
        const pad = (value: number, width: number) => String(value).padStart(width, '0');
        const text = `${pad(year, 4)}-${pad(month, 2)}-${pad(date, 2)}`;
        const exists = month >= 1 && month <= 12 && date >= 1 && date <= daysIn(year, month);
        expect(parseInstant(text)).toBe(exists ? `${text}T00:00:00.000000Z` : undefined);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['2026-11-21', '2026-11-21T00:00:00.000000Z'],
    ['2026-11-21T04:39Z', '2026-11-21T04:39:00.000000Z'],
    ['2026-11-21T04:39:12Z', '2026-11-21T04:39:12.000000Z'],
    ['2026-11-21 04:39:12z', '2026-11-21T04:39:12.000000Z'],
    ['2026-11-21T04:39:12,5Z', '2026-11-21T04:39:12.500000Z'],
    ['2026-11-21T04:39:12.123456Z', '2026-11-21T04:39:12.123456Z'],
    ['2026-11-21T04:39:12.1234561Z', '2026-11-21T04:39:12.123457Z'],
    ['2026-11-21T04:39:12.999999999Z', '2026-11-21T04:39:13.000000Z'],
    ['2026-12-31T23:59:59.9999991Z', '2027-01-01T00:00:00.000000Z'],
    ['2026-11-21T04:39:12+02:00', '2026-11-21T02:39:12.000000Z'],
    ['2026-11-21T04:39:12 02:00', '2026-11-21T02:39:12.000000Z'],
    ['2026-11-21T04:39:12-0330', '2026-11-21T08:09:12.000000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
  ])('reads %s', (text, expected) => {
    expect(parseInstant(text)).toBe(expected);
  });

  it.each([
    '',
    'now',
    '2026',
    '2026-11',
    '2026-11-21T04:39:12',
    '2026-11-21T04Z',
    '2026-02-29',
    '2026-02-31T00:00:00Z',
    '2026-13-01',
    '2026-00-10',
    '2026-11-00',
    '2026-11-21T24:00:00Z',
    '2026-11-21T23:60:00Z',
    '2026-11-21T23:59:60Z',
    '2026-11-21T04:39:12+24:00',
    '2026-11-21T04:39:12+01:60',
    '2026-11-21T04:39:12.Z',
    '2026-11-21T04:39:12.1234567890Z',
    '0000-01-01',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '9999-12-31T23:59:59.9999999Z',
    '+002026-11-21T00:00:00Z',
    '2026-11-21T00:00:00Z\n',
    '٢٠٢٦-11-21',
  ])('refuses %j', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});

function daysIn(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]!;
}
