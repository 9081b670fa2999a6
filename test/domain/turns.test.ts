import { createTurns } from '../../domain/turns';

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

it('lets an account with much work wait for itself, and others in between', async () => {
  const turns = createTurns(1);
  const log: string[] = [];
  const names = ['a1', 'a2', 'a3', 'b1'];
  const all = names.map((name) => ({ name, ...workOf(log, name) }));
  const results = all.map(({ name, work }) => turns.take(name[0]!, work));
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

it('has so many places, and gives the place of failed work to the next', async () => {
  const turns = createTurns(2);
  const log: string[] = [];
  const [a, b] = [workOf(log, 'a'), workOf(log, 'b')];
  const fails = turns.take('x', async () => {
    log.push('x');
    await settled();
    throw new Error('failed');
  });
  const running = [turns.take('a', a.work), turns.take('b', b.work)];
  await expect(fails).rejects.toThrow('failed');
  await settled();
  expect(log).toEqual(['x', 'a', 'b']);
  a.end();
  b.end();
  await Promise.all(running);
});
