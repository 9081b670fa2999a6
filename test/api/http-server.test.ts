import { Agent, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { startHttpServer } from '../../bin/http-server';
import { loadConfig } from '../../config/load';
import { pickTestPort } from '../support/ports';
import { waitFor } from '../support/wait';

describe('stopping the server', () => {
  it('waits for a request whose caller has gone', async () => {
    const steps: string[] = [];
    let finish = (): void => undefined;
    const work = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const config = loadConfig({ PORT: String(await pickTestPort()) });
    const server = await startHttpServer(config, async (received) => {
      steps.push('begun');
      received.socket.once('close', () => steps.push('caller gone'));
      await work;
      steps.push('logged');
    });
    const sent = request({ host: '127.0.0.1', port: config.port, path: '/' });
    sent.on('error', () => undefined);
    sent.end();
    await waitFor(() => steps.includes('begun'));
    sent.destroy();
    await waitFor(() => steps.includes('caller gone'));
    const stopped = server.stop().then(() => steps.push('stopped'));
    // The server has no connection left: only the request under way holds it up.
    setImmediate(finish);
    await stopped;
    expect(steps).toEqual(['begun', 'caller gone', 'logged', 'stopped']);
  });

  it('answers what still comes over open connections, and asks to close them', async () => {
    const config = loadConfig({ PORT: String(await pickTestPort()) });
    let finish = (): void => undefined;
    const work = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const server = await startHttpServer(
      config,
      async ({ url }, response) => {
        if (url === '/slow') await work;
        response.end(url);
      },
      // Longer than any test: it ends with the last connection.
      { linger_ms: 600_000 },
    );
    const agents = [1, 2].map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
    const get = (agent: Agent, path: string): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        const sent = request({ agent, host: '127.0.0.1', port: config.port, path }, (response) => {
          response.resume().once('end', () => resolve(response));
        });
        sent.once('error', reject).end();
      });
    const [busy, idle] = agents as [Agent, Agent];
    for (const agent of agents) {
      expect((await get(agent, '/before')).headers.connection).toBe('keep-alive');
    }
    const slow = get(busy, '/slow');
    const first_socket = Object.values(idle.freeSockets)[0]![0]!;
    const stopped = server.stop();
    await waitFor(() => isRefused(config.port));
    const late = await get(idle, '/late');
    expect(late.socket).toBe(first_socket);
    expect([late.statusCode, late.headers.connection]).toEqual([200, 'close']);
    finish();
    expect((await slow).headers.connection).toBe('close');
    await stopped;
    for (const agent of agents) agent.destroy();
  });

  it('takes new connections while it drains, and asks to close them', async () => {
    const config = loadConfig({ PORT: String(await pickTestPort()) });
    const server = await startHttpServer(config, async (_, response) => response.end(), {
      drain_ms: 3_000,
    });
    const stopped = server.stop();
    const late = await fetch(`http://127.0.0.1:${config.port}/`);
    expect([late.status, late.headers.get('connection')]).toEqual([200, 'close']);
    await stopped;
    expect(await isRefused(config.port)).toBe(true);
  });

  it('closes idle connections that stay unused', async () => {
    const config = loadConfig({ PORT: String(await pickTestPort()) });
    const server = await startHttpServer(config, async (_, response) => response.end(), {
      linger_ms: 1,
    });
    const socket = connect({ host: '127.0.0.1', port: config.port });
    socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await server.stop();
    await closed;
  });
});

function isRefused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });
}
