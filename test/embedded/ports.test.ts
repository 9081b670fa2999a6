import { createServer } from 'node:net';
import { isListening, LOOPBACK } from '../../embedded/ports';
import { pickTestPort } from '../support/ports';

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
