import { createLimit, forEach } from '../../domain/limit';

/** Work that ends when it is told to. */
function workOf(log: string[], name: string) {
  let end!: () => void;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    end,
    work: async () => {
      log.push(name);
      await ended;
      return name;
    },
  };
}

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

it('lets a caller with much work wait for itself, and others in between', async () => {
  const limit = createLimit({ at_once: 1, each: 1 });
  const log: string[] = [];
  const names = ['a1', 'a2', 'a3', 'b1'];
  const all = names.map((name) => ({ name, ...workOf(log, name) }));
  const results = all.map(({ name, work }) => limit.run(work, name[0]));
  await settled();
  expect(log).toEqual(['a1']);
  for (const next of [
    ['a1', 'b1'],
    ['a1', 'b1', 'a2'],
    ['a1', 'b1', 'a2', 'a3'],
  ]) {
    all.find(({ name }) => name === log.at(-1))!.end();
    await settled();
    expect(log).toEqual(next);
  }
  all.find(({ name }) => name === 'a3')!.end();
  expect(await Promise.all(results)).toEqual(names);
});

it('does so much at once, and after work that failed the next', async () => {
  const limit = createLimit({ at_once: 2 });
  const log: string[] = [];
  const [a, b] = [workOf(log, 'a'), workOf(log, 'b')];
  const fails = limit.run(async () => {
    log.push('x');
    await settled();
    throw new Error('failed');
  });
  const running = [limit.run(a.work), limit.run(b.work)];
  await expect(fails).rejects.toThrow('failed');
  await settled();
  expect(log).toEqual(['x', 'a', 'b']);
  a.end();
  b.end();
  await Promise.all(running);
});

it.each([
  ['in all', { at_once: 2 }],
  ['of each key', { each: 2 }],
])('lets so many in %s, refuses the next, and lets one in again when one has left', (_, bounds) => {
  const limit = createLimit(bounds);
  const [leave] = [limit.enter('a'), limit.enter('a')];
  expect(limit.enter('a')).toBeUndefined();
  expect(limit.enter('b') === undefined).toBe('at_once' in bounds);
  leave!();
  expect(limit.enter('a')).toBeDefined();
  expect(limit.enter('a')).toBeUndefined();
});

it('works through a list, so many at once, and begins no more after one that failed', async () => {
  const log: string[] = [];
  const names = ['a', 'b', 'c', 'd'];
  const all = new Map(names.map((name) => [name, workOf(log, name)]));
  const done = forEach(names, 2, async (name) => {
    await all.get(name)!.work();
    if (name === 'b') throw new Error('failed');
  });
  await settled();
  expect(log).toEqual(['a', 'b']);
  all.get('a')!.end();
  await settled();
  expect(log).toEqual(['a', 'b', 'c']);
  all.get('b')!.end();
  await expect(done).rejects.toThrow('failed');
  all.get('c')!.end();
  await settled();
  expect(log).toEqual(['a', 'b', 'c']);
});
