// A page of any site can have a browser call a server on this machine by a name of the site's that
// resolves to 127.0.0.1: what is answered to such a name is as good as public.

import { request } from 'node:http';
import { isLocalHost } from '../../../domain/host';
import { startWebhookSink } from '../../../dev/simulators/webhook-sink/server';
import { closeAfterFile } from '../../support/cleanup';
import { pickTestPort } from '../../support/ports';
import { startTestGateway } from '../../support/sandbox-gateway';

const NOWHERE = 'http://127.0.0.1:9/';

async function statusOf(url: string, host: string, method = 'GET'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end();
  });
}

it('knows the names of this machine', () => {
  for (const host of ['127.0.0.1', '127.0.0.1:8091', 'localhost:1', '[::1]:8091', '127.1']) {
    expect([host, isLocalHost(host)]).toEqual([host, true]);
  }
  for (const host of [
    '',
    'evil.test',
    '127.0.0.1.evil.test',
    'localhost.evil.test',
    'a@b:c',
    '10.0.0.1',
  ]) {
    expect([host, isLocalHost(host)]).toEqual([host, false]);
  }
  expect(isLocalHost(undefined)).toBe(false);
  expect(isLocalHost('pay.test:443', ['pay.test'])).toBe(true);
});

it('the sink answers no foreign name', async () => {
  const sink = await startWebhookSink({ port: 0, secretsFor: async () => [] });
  closeAfterFile(() => sink.stop());
  for (const path of ['', 'deliveries.json', 'hooks/x']) {
    expect(await statusOf(`${sink.page}${path}`, `evil.test:${sink.port}`)).toBe(421);
  }
  expect(await statusOf(`${sink.page}hooks/x`, 'evil.test', 'POST')).toBe(421);
  expect(await statusOf(`${sink.page}deliveries.json`, `localhost:${sink.port}`)).toBe(200);
});

it('the simulator answers no foreign name, but that of its public address', async () => {
  const gateway = await startTestGateway({
    notification_url: NOWHERE,
    public_url: 'https://checkout.test',
  });
  const health = `${gateway.url}/health`;
  for (const path of ['/health', '/checkout/cs_1']) {
    expect(await statusOf(gateway.url + path, 'evil.test')).toBe(421);
  }
  expect(await statusOf(health, 'checkout.test')).toBe(200);
  expect(await statusOf(health, new URL(gateway.url).host)).toBe(200);
});

it('the simulator answers any name where it listens for others', async () => {
  // A container: the service calls it by the container's name.
  const gateway = await startTestGateway({
    notification_url: NOWHERE,
    host: 'localhost',
    port: await pickTestPort(),
  });
  expect(await statusOf(`${gateway.url}/health`, 'simulator:8090')).toBe(200);
});
