// How much a person may ask for in a minute. That the next request waits: test/dashboard/live.test.ts.

import { createVisits, type Visits } from '../../dashboard/visits';

let now = 0;
let visits: Visits;

beforeEach(() => {
  now = 0;
  visits = createVisits(() => now);
});

const session = (id: string, login_id = 'awa') => ({ id, login_id });

/** How many of a thousand at once are allowed. */
const allowed = (...of: Parameters<Visits['take']>): number =>
  Array.from({ length: 1_000 }, () => visits.take(...of)).filter((seconds) => seconds === 0).length;

it.each([
  ['page', 600],
  ['form', 120],
  ['look', 300],
] as const)(
  'a session gets of the kind %s %i a minute, and is told when the next one is allowed',
  (kind, most) => {
    expect(allowed(kind, session('one'))).toBe(most);
    const seconds = visits.take(kind, session('one'));
    expect(seconds).toBeGreaterThan(0);
    now += (seconds - 1) * 1_000;
    expect(visits.take(kind, session('one'))).toBeGreaterThan(0);
    now += 1_000;
    expect(visits.take(kind, session('one'))).toBe(0);
  },
);

it('takes nothing of another kind, another session or another person', () => {
  expect(allowed('page', session('one'))).toBe(600);
  expect(allowed('form', session('one'))).toBe(120);
  expect(allowed('look', session('one'))).toBe(300);
  expect(allowed('page', session('two'))).toBe(600);
  expect(allowed('page', session('other', 'moussa'))).toBe(600);
});

it('gives all sessions of a person four times as much as one', () => {
  const each = ['one', 'two', 'three', 'four', 'five'].map((id) => allowed('form', session(id)));
  expect(each).toEqual([120, 120, 120, 120, 0]);
  expect(allowed('form', session('other', 'moussa'))).toBe(120);
});
