import { DiskFullError } from '../../../dev/embedded/error';
import { settlePort } from '../../../dev/embedded/ports';
import { supervise, type Part } from '../../../dev/embedded/supervise';
import { pickTestPort } from '../../support/ports';
import { waitFor } from '../../support/wait';
import { takePort } from './temp-folder';

/** A part that ends on command. */
function createPart(): Part & { end: () => void; readonly isStopped: () => boolean } {
  let end: () => void = () => undefined;
  let is_stopped = false;
  const exited = new Promise<void>((resolve) => (end = resolve));
  return {
    exited,
    end: () => end(),
    isStopped: () => is_stopped,
    stop() {
      is_stopped = true;
      end();
      return Promise.resolve();
    },
  };
}

/** Supervises parts that start one after another, or do not, and keeps what is said and lost. */
async function superviseAll(starts: readonly (Part | Error)[]) {
  const left = [...starts];
  const said: string[] = [];
  const start = async (): Promise<Part> => {
    const next = left.shift()!;
    if (next instanceof Error) throw next;
    return next;
  };
  const supervised = await supervise({
    name: 'The part',
    start,
    say: (text) => void said.push(text),
    onLost: (error) => void said.push(String(error)),
  });
  return { supervised, said };
}

describe('supervise', () => {
  it('restarts a part when it ends, says so, and stops the running one', async () => {
    const parts = [createPart(), createPart()] as const;
    const { supervised, said } = await superviseAll(parts);
    parts[0].end();
    await waitFor(() => supervised.current() === parts[1] && said.length > 1);
    expect(said).toEqual(['The part ended unexpectedly: restarting …', 'The part runs again.']);
    await supervised.stop();
    expect(parts.map((part) => part.isStopped())).toEqual([false, true]);
    expect(said).toHaveLength(2);
  });

  it('reports when a restart fails', async () => {
    const first = createPart();
    const { said } = await superviseAll([first, new Error('gone')]);
    first.end();
    await waitFor(() => said.length === 2);
    expect(said[1]).toBe('Error: gone');
  });
});

describe('supervise, on a full disk', () => {
  it('starts the part again as soon as there is room, and says once why it waits', async () => {
    const [first, next, full] = [
      createPart(),
      createPart(),
      new DiskFullError('The disk is full.'),
    ];
    const { supervised, said } = await superviseAll([first, full, full, next]);
    first.end();
    await waitFor(() => supervised.current() === next);
    expect(said).toEqual([
      'The part ended unexpectedly: restarting …',
      'The disk is full. The part starts as soon as there is room.',
      'The part runs again.',
    ]);
    await supervised.stop();
  });
});

describe('settlePort', () => {
  it('uses a free port, and replaces a default port that is in use', async () => {
    const said: string[] = [];
    const wanted = { name: 'PORT', is_chosen: false, say: (text: string) => void said.push(text) };
    const free = await pickTestPort();
    expect(await settlePort({ ...wanted, port: free })).toBe(free);
    expect(said).toEqual([]);
    const port = await takePort();
    const other = await settlePort({ ...wanted, port });
    expect(other).not.toBe(port);
    expect(said).toEqual([`Port ${port} is in use: using ${other} instead (set PORT to choose).`]);
  });

  it('refuses a chosen port that is in use', async () => {
    const wanted = { name: 'PORT', is_chosen: true, say: () => undefined };
    await expect(settlePort({ ...wanted, port: await takePort() })).rejects.toThrow(
      /^Port \d+ \(PORT\) is in use/,
    );
  });
});
