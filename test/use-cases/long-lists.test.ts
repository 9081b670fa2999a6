// A list of 50,000 names is loaded in time, and does not make orders wait.

import { createTestDatabase, setUp } from '../support/database';
import { loadList, screen } from '../support/screening';

const database = setUp(createTestDatabase);

const FIRST = 'Mohamed Fatou Ibrahim Aminata Ousmane Mariama Abdoulaye Aissatou Moussa Khady'.split(
  ' ',
);
const SYLLABLES = 'ba dio ka sy lo ma ndi tra ou re sow fa li ko na gue be sa to vi'.split(' ');

/** Names of which many have words in common, and words of which many are a slip apart. */
function nameOf(n: number): string {
  const family = [1, 20, 400].map((step) => SYLLABLES[Math.floor(n / step) % 20]).join('');
  return `${FIRST[n % 10]} ${FIRST[(n * 7 + 3) % 10]} ${family}${SYLLABLES[Math.floor(n / 8_000) % 20]}`;
}

it('loads 50,000 entries within 30 s, and finds one in 5 ms', async () => {
  const lines = Array.from(
    { length: 50_000 },
    (_, n) =>
      `${n},${nameOf(n)},${nameOf(n * 3 + 1)};${FIRST[n % 10]} ${nameOf(n + 77).split(' ')[2]},individual,,`,
  );
  let began = performance.now();
  await loadList(database.operator, 'long', ...lines);
  const loaded_ms = performance.now() - began;

  const asked = Array.from({ length: 200 }, (_, n) => nameOf(n * 211 + 5));
  expect(await screen(database.db, asked[0]!)).not.toEqual([]);
  const times: number[] = [];
  for (const name of asked) {
    began = performance.now();
    await screen(database.db, name);
    times.push(performance.now() - began);
  }
  times.sort((one, other) => one - other);
  // A machine may be four times slower than the one that has to do it in 30 s and 5 ms.
  expect(loaded_ms).toBeLessThan(4 * 30_000);
  expect(times[100]).toBeLessThan(4 * 5);
  if (process.env['SHOW_TIMES'] !== undefined) {
    process.stdout.write(`loaded in ${loaded_ms} ms; ${times[100]} ms, p99 ${times[198]} ms\n`);
  }
}, 200_000);
