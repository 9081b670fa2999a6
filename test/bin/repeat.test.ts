import { repeat, type RepeatOptions } from '../../bin/repeat';
import { waitFor } from '../support/wait';

interface Turn {
  readonly signal: AbortSignal;
  readonly end: () => void;
  readonly fail: (error: Error) => void;
}

/** Turns that last until the test ends them. */
function start(options: Partial<RepeatOptions> = {}) {
  const turns: Turn[] = [];
  const errors: unknown[] = [];
  const repetition = repeat({
    turn: (signal) =>
      new Promise<void>((end, fail) => {
        turns.push({ signal, end, fail });
      }),
    pause_ms: 1,
    onError: (error) => errors.push(error),
    ...options,
  });
  return { turns, errors, repetition };
}

it('begins at once, and each next turn a pause after the end of the one before', async () => {
  const { turns, errors, repetition } = start();
  expect(turns).toHaveLength(1);
  for (let done = 1; done <= 3; done += 1) {
    turns.at(-1)!.end();
    await waitFor(() => turns.length === done + 1);
  }
  expect(errors).toEqual([]);
  turns.at(-1)!.end();
  await repetition.stop();
});

it('reports a turn that failed, and goes on after the pause for that', async () => {
  const { turns, errors, repetition } = start({ pause_ms: 1_000_000, retry_ms: 1 });
  const error = new Error('Postgres is away');
  turns[0]!.fail(error);
  await waitFor(() => turns.length === 2);
  expect(errors).toEqual([error]);
  turns[1]!.end();
  await repetition.stop();
  const thrown = start({
    turn: () => {
      throw error;
    },
    pause_ms: 1_000_000,
  });
  await thrown.repetition.stop();
  expect(thrown.errors).toEqual([error]);
});

it('stops after the turn under way, which it tells, and begins no other', async () => {
  const { turns, repetition } = start();
  let is_stopped = false;
  const stopped = repetition.stop().then(() => (is_stopped = true));
  expect(turns[0]!.signal.aborted).toBe(true);
  await new Promise(setImmediate);
  expect(is_stopped).toBe(false);
  turns[0]!.end();
  await stopped;
  await repetition.stop();
  expect(turns).toHaveLength(1);
});

it('stops in a pause at once', async () => {
  const { turns, repetition } = start({ pause_ms: 1_000_000 });
  turns[0]!.end();
  await new Promise(setImmediate);
  await repetition.stop();
  expect(turns).toHaveLength(1);
});
