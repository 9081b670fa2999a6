import { createServer } from 'node:net';
import { once } from 'node:events';
import { DiskFullError } from '../../../dev/embedded/error';
import { settlePort } from '../../../dev/embedded/ports';
import { supervise, type Part } from '../../../dev/embedded/supervise';
import { closeAfterFile } from '../../support/cleanup';
import { pickTestPort } from '../../support/ports';
import { waitFor } from '../../support/wait';

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

describe('supervise', () => {
  it('restarts a part when it ends, says so, and stops the running one', async () => {
    const parts: ReturnType<typeof createPart>[] = [];
    const said: string[] = [];
    const supervised = await supervise({
      name: 'The part',
      start: () => {
        parts.push(createPart());
        return Promise.resolve(parts.at(-1)!);
      },
      say: (text) => void said.push(text),
      onLost: (error) => void said.push(String(error)),
    });
    parts[0]!.end();
    await waitFor(() => supervised.current() === parts[1] && said.length > 1);
    expect(said).toEqual(['The part ended unexpectedly: restarting …', 'The part runs again.']);
    await supervised.stop();
    expect(parts.map((part) => part.isStopped())).toEqual([false, true]);
    expect(said).toHaveLength(2);
  });

  it('reports when a restart fails', async () => {
    const [first, lost] = [createPart(), [] as unknown[]];
    let starts = 0;
    await supervise({
      name: 'The part',
      start: () => {
        starts += 1;
        return starts === 1 ? Promise.resolve(first) : Promise.reject(new Error('gone'));
      },
      say: () => undefined,
      onLost: (error) => void lost.push(error),
    });
    first.end();
    await waitFor(() => lost.length === 1);
    expect(lost).toEqual([new Error('gone')]);
  });
});

describe('supervise, on a full disk', () => {
  it('starts the part again as soon as there is room, and says once why it waits', async () => {
    const parts = [createPart(), createPart()];
    const said: string[] = [];
    let refusals = 2;
    const supervised = await supervise({
      name: 'The part',
      start: () => {
        if (parts.length === 1 && refusals-- > 0)
          return Promise.reject(new DiskFullError('The disk is full.'));
        return Promise.resolve(parts.shift()!);
      },
      say: (text) => void said.push(text),
      onLost: (error) => void said.push(String(error)),
    });
    const next = parts[0]!;
    (supervised.current() as ReturnType<typeof createPart>).end();
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
  async function taken(): Promise<number> {
    const server = createServer().listen(await pickTestPort(), '127.0.0.1');
    await once(server, 'listening');
    closeAfterFile(() => void server.close());
    return (server.address() as { port: number }).port;
  }

  it('uses a free port, and replaces a default port that is in use', async () => {
    const said: string[] = [];
    const wanted = { name: 'PORT', is_chosen: false, say: (text: string) => void said.push(text) };
    const free = await pickTestPort();
    expect(await settlePort({ ...wanted, port: free })).toBe(free);
    expect(said).toEqual([]);
    const port = await taken();
    const other = await settlePort({ ...wanted, port });
    expect(other).not.toBe(port);
    expect(said).toEqual([`Port ${port} is in use: using ${other} instead (set PORT to choose).`]);
  });

  it('refuses a chosen port that is in use', async () => {
    const wanted = { name: 'PORT', is_chosen: true, say: () => undefined };
    await expect(settlePort({ ...wanted, port: await taken() })).rejects.toThrow(
      /^Port \d+ \(PORT\) is in use/,
    );
  });
});
