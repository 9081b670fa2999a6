// Lists, by which the service finds what it does not know of.

import { demand, each, Skip, type Check } from '../check';
import type { Side, Stand } from '../stand';

const ROWS_ON_A_PAGE = 50;
const MOST_PAGES = 100;
/** Clocks of the provider and of the kit may differ by so much. */
const MINUTE_MS = 60_000;
const AT_ONCE = 20;

export const LISTS: readonly Check[] = [
  {
    id: 'lists.pages',
    name: 'pages lose no row and repeat none while others arrive',
    protects_from:
      'Pages by number skip a row for each that arrives: it is missed by every reconciliation.',
    advice: 'Use the provider’s cursor, or page by time and id; never by number.',
    run: each(async (side, stand) => {
      const from = new Date(Date.now() - MINUTE_MS).toISOString();
      const to = new Date(Date.now() + 10 * MINUTE_MS).toISOString();
      const rows = (stand.bench.rows_on_a_page ?? ROWS_ON_A_PAGE) + 1;
      const added = await add(stand, side, rows);
      const seen: string[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const { ids, next } = await side.list({ from, to }, cursor);
        seen.push(...ids);
        if (next === null) break;
        demand(next !== cursor, `a page after ${cursor}`, 'another cursor', next);
        cursor = next;
        if (page === 0) await add(stand, side, 2);
      }
      if (seen.length === 0) throw new Skip('the provider gives no list');
      const lost = added.filter((id) => !seen.includes(id));
      const repeated = seen.filter((id, index) => seen.indexOf(id) !== index);
      demand(
        lost.length + repeated.length === 0,
        `${rows} ${side.kind}s, and two more after the first page`,
        'each of them once',
        { lost, repeated },
      );
    }),
  },
  {
    id: 'lists.windows',
    name: 'a window begins with its first moment, and ends before its last',
    protects_from: 'A row at the border of two windows is in none of them, or in both.',
    advice: 'Where the provider includes both ends, leave out the rows at `to`.',
    run: each(async (side, stand) => {
      await add(stand, side, 3);
      const from = new Date(Date.now() - MINUTE_MS).toISOString();
      const to = new Date(Date.now() + MINUTE_MS).toISOString();
      const whole = await all(side, from, to);
      if (whole.ids.length === 0) throw new Skip('the provider gives no list');
      const border = [...whole.times].sort()[whole.times.length >> 1]!;
      const parts = [await all(side, from, border), await all(side, border, to)];
      const ids = parts.flatMap((part) => part.ids);
      const isWhole = ids.length === new Set(ids).size && whole.ids.every((id) => ids.includes(id));
      const counts = { whole: whole.ids.length, parts: parts.map((part) => part.ids.length) };
      demand(
        isWhole,
        `windows that meet at ${border}, when a row was made`,
        'each row in one of them',
        counts,
      );
      const past = await side.list({
        from: '2001-01-01T00:00:00.000Z',
        to: '2001-01-02T00:00:00.000Z',
      });
      demand(
        past.ids.length === 0 && past.next === null,
        'a day without rows',
        'an empty last page',
        past,
      );
    }),
  },
];

/** Has so many ordered and paid. Returns the provider's ids of them. */
async function add(stand: Stand, side: Side, rows: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < rows) {
    const orders = Array.from({ length: Math.min(AT_ONCE, rows - ids.length) }, () =>
      stand.order(side),
    );
    const paid = orders.map(async (order) => {
      await side.ask(order);
      return (await stand.settle(side, order)).provider_payment_id!;
    });
    ids.push(...(await Promise.all(paid)));
  }
  return ids;
}

async function all(side: Side, from: string, to: string) {
  const ids: string[] = [];
  const times: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const listed = await side.list({ from, to }, cursor);
    ids.push(...listed.ids);
    times.push(...listed.times);
    if (listed.next === null) break;
    cursor = listed.next;
  }
  return { ids, times };
}
