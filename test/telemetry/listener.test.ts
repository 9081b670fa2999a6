import { Gauge, Registry } from 'prom-client';
import { startListener } from '../../telemetry/listener';
import { closeAfterFile } from '../support/cleanup';

it('answers 500 to each who asks when a gauge throws, and the page when it does not', async () => {
  const registry = new Registry();
  let is_broken = true;
  const gauge: Gauge = new Gauge({
    name: 'rows',
    help: 'Rows there are',
    registers: [registry],
    collect() {
      if (is_broken) throw new Error('no rows to count');
      gauge.set(7);
    },
  });
  const listener = await startListener({
    host: '127.0.0.1',
    port: 0,
    pages: {
      '/metrics': async () => ({ type: registry.contentType, text: await registry.metrics() }),
    },
  });
  closeAfterFile(() => listener.close());
  const ask = async (): Promise<readonly [number, string]> => {
    const response = await fetch(`${listener.url}/metrics`);
    return [response.status, await response.text()];
  };
  const failed = [500, 'Error: no rows to count\n'];
  expect(await Promise.all([ask(), ask()])).toEqual([failed, failed]);
  is_broken = false;
  expect(await ask()).toEqual([200, expect.stringContaining('rows 7')]);
});
