// Files of the history take turns.

import { inTurn } from '../../api/transactions/export';

it('two batches are read at once, the others in the order in which they came, also after a failure', async () => {
  let running = 0;
  let most = 0;
  const order: number[] = [];
  const ends: (() => void)[] = [];
  const read = (number: number) => async () => {
    running += 1;
    most = Math.max(most, running);
    order.push(number);
    await new Promise<void>((resolve) => ends.push(resolve));
    running -= 1;
    if (number === 0) throw new Error('no database');
    return number;
  };
  const numbers = [0, 1, 2, 3, 4, 5];
  const all = Promise.allSettled(numbers.map((number) => inTurn(read(number))));
  for (const _ of numbers) {
    while (ends.length === 0) await Promise.resolve();
    ends.shift()!();
  }
  const results = await all;
  expect(results.map(({ status }) => status)).toEqual(['rejected', ...Array(5).fill('fulfilled')]);
  expect([most, order]).toEqual([2, numbers]);
  expect(await inTurn(() => Promise.resolve('free again'))).toBe('free again');
});
