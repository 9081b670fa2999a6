// Mails that anybody can have sent to an address that is not their own are few in an hour, and few in a day.

import { takeLimited } from '../../use-cases/attempts';
import { createTestDatabase, setUp } from '../support/database';

const database = setUp(createTestDatabase);
const HOUR = 60 * 60;

/** How many of so many were let through. */
async function taken(what: Parameters<typeof takeLimited>[1], to: string, tries: number) {
  let count = 0;
  for (let i = 0; i < tries; i += 1) {
    if ((await takeLimited(database.db, what, to)) === 0) count += 1;
  }
  return count;
}

/** Each window that ends within the hour has ended. */
const passHour = () =>
  database.owner.raw(
    `update attempt_counts set ends_at = now() where ends_at <= now() + interval '1 hour'`,
  );

it.each([
  'mails for a sign-up, to',
  'mails for a confirmation, to',
  'mails for an invitation, to',
  'mails for a new password, to',
] as const)('%s one address are five an hour, and ten a day', async (what) => {
  const to = 'stranger@example.com';
  for (const expected of [5, 5, 0]) {
    expect(await taken(what, to, 6)).toBe(expected);
    await passHour();
  }
  expect(await takeLimited(database.db, what, to)).toBeGreaterThan(HOUR);
  expect(await taken(what, 'other@example.com', 6)).toBe(5);
});

it('a word about one’s own login is counted by the hour alone', async () => {
  for (const expected of [20, 20]) {
    expect(await taken('notices to', 'owner@example.com', 21)).toBe(expected);
    await passHour();
  }
});
