import { request } from 'node:http';
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
});
