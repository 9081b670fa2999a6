import { createServer } from 'node:net';
import {
  isListening,
  keepFreePort,
  LOOPBACK,
  pickPort,
  PortTakenError,
  startOnFreePort,
} from '../../../dev/embedded/ports';
import { pickTestPort } from '../../support/ports';

describe('isListening', () => {
  it('tells whether somebody listens', async () => {
    const port = await pickTestPort();
    expect(await isListening(port)).toBe(false);
    const close = await listen(port);
    expect(await isListening(port)).toBe(true);
    await close();
    expect(await isListening(port)).toBe(false);
  });

  it('never takes the port from the server that it waits for', async () => {
    const port = await pickTestPort();
    for (let round = 0; round < 50; round += 1) {
      const questions = Array.from({ length: 20 }, () => isListening(port));
      const close = await listen(port);
      await Promise.all(questions);
      await close();
    }
  });
});

describe('startOnFreePort', () => {
  /** A server that finds its port taken as often as this. */
  const unlucky = (times: number) => {
    const tried: number[] = [];
    const start = async (port: number): Promise<number> => {
      tried.push(port);
      if (tried.length <= times) throw new PortTakenError('The server', port);
      return port;
    };
    return { tried, start };
  };

  it('tries another port when somebody takes the first one before the server does, and says so', async () => {
    const preferred = await pickTestPort();
    const said: string[] = [];
    const { tried, start } = unlucky(2);
    const port = await startOnFreePort(preferred, start, (text) => said.push(text));
    expect(tried).toEqual([preferred, expect.any(Number), port]);
    expect(new Set(tried).size).toBe(3);
    expect(said).toEqual(
      tried.slice(0, 2).map((taken) => `Port ${taken} was taken meanwhile: trying another one.`),
    );
  });

  it('gives up after five ports', async () => {
    const { tried, start } = unlucky(100);
    await expect(startOnFreePort(await pickTestPort(), start)).rejects.toThrow(
      /Port \d+ on .* in use/,
    );
    expect(tried).toHaveLength(5);
  });

  it('passes on that another port of the server is taken, and every other fault', async () => {
    const other = new PortTakenError('The server', 1);
    const start = async (): Promise<void> => Promise.reject(other);
    await expect(startOnFreePort(await pickTestPort(), start)).rejects.toBe(other);
  });

  it('keeps the port of its first start, where others know the server', async () => {
    const { tried, start } = unlucky(1);
    const begin = keepFreePort(await pickTestPort(), start);
    const port = await begin();
    const close = await listen(port);
    expect(await begin()).toBe(port);
    expect(tried.slice(1)).toEqual([port, port]);
    await close();
  });

  it('takes another port than the preferred one when that is in use', async () => {
    const taken = await pickPort(0);
    const close = await listen(taken);
    expect(await startOnFreePort(taken, async (port) => port)).not.toBe(taken);
    await close();
  });
});

/** Throws what the system says when the port is in use. */
function listen(port: number): Promise<() => Promise<void>> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen({ host: LOOPBACK, port, exclusive: true }, () =>
      resolve(() => new Promise((closed) => server.close(() => closed()))),
    );
  });
}
