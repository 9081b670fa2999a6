// Requests go to some addresses, and never to others. A canary is a listener that must not even see
// a connection.

import { networkInterfaces } from 'node:os';
import { waitFor } from '../support/wait';
import { startDnsServer, type Question } from './support/dns-server';
import { EVERYWHERE, OK, startReceiver } from './support/receivers';
import { NAME, NOBODY, open, openByName, startSender, webhookTo } from './support/sender';

const BLOCKED = {
  outcome: 'blocked',
  status: null,
  response_body: null,
  response_truncated: false,
  retry_after_seconds: null,
};
const blocked = { ...BLOCKED, duration_ms: expect.any(Number) as number };
const DELIVERED = { outcome: 'delivered' };

/** Its DNS server has an answer, and no address is allowed; a canary listens at the port of NAME. */
const openCanary = (answer: Parameters<typeof openByName>[0]) =>
  openByName(answer, { host: EVERYWHERE }, { allowed_addresses: [] });

it('S1 a URL that was changed in the database is judged at each send', async () => {
  const canary = await startReceiver();
  const sender = startSender({ policy: { ...NOBODY, ports: [canary.port] } });
  for (const url of [
    `https://127.0.0.1:${canary.port}/`,
    `http://127.0.0.1:${canary.port}/`,
    `https://localhost:${canary.port}/`,
    `https://user:secret@127.0.0.1:${canary.port}/`,
    `ftp://127.0.0.1:${canary.port}/`,
    'https://hooks.example.com:22/',
    'no url',
    '',
  ]) {
    expect([url, await sender.send(webhookTo(url))]).toEqual([url, blocked]);
  }
  expect(canary.connections).toBe(0);
});

it('S2 a literal address in any form is checked as the address it is, and never looked up', async () => {
  const canary = await startReceiver({ host: EVERYWHERE });
  const dns = await startDnsServer(() => ['127.0.0.1']);
  const policy = { ...NOBODY, ports: [canary.port] };
  const sender = startSender({ policy, dns_servers: [dns.address] });
  // `checkWebhookUrl` has a test of every form.
  for (const host of ['127.1', '0x7f000001', '１２７.０.０.１', '[::1]', '[::ffff:127.0.0.1]']) {
    const sent = await sender.send(webhookTo(`https://${host}:${canary.port}/`));
    expect([host, sent]).toEqual([host, blocked]);
  }
  expect(canary.connections).toBe(0);

  // Nor is one that is allowed.
  const receiver = await startReceiver();
  const embedded = startSender({ dns_servers: [dns.address] });
  for (const host of ['127.0.0.1', '127.1', '0x7f000001']) {
    const { outcome } = await embedded.send(webhookTo(`http://${host}:${receiver.port}/`));
    expect(outcome).toBe('delivered');
  }
  expect(dns.questions).toEqual([]);
});

describe('S3 rebinding', () => {
  it('reaches nobody in 100 tries with a name that is allowed at first and 127.0.0.1 then', async () => {
    const rebind = ({ type, asked }: Question): readonly string[] => {
      if (type === 'AAAA') return [];
      return asked % 2 === 0 ? ['127.0.0.2'] : ['127.0.0.1'];
    };
    // 127.0.0.2 stands for an address that is allowed: no process listens there.
    const policy = { allowed_addresses: ['127.0.0.2'] };
    const { receiver: canary, send, dns } = await openByName(rebind, {}, policy);
    const outcomes: string[] = [];
    for (let n = 0; n < 100; n += 1) outcomes.push((await send('/', 2_000)).outcome);
    expect(canary.connections).toBe(0);
    // One query for each connection: it connects to the addresses that were checked.
    expect(dns.questions.filter(({ type }) => type === 'A')).toHaveLength(100);
    expect(outcomes.filter((outcome) => outcome === 'blocked')).toHaveLength(50);
    expect(outcomes).not.toContain('delivered');
  });

  // `isPublicAddress` has a test of each address that is denied.
  it.each([
    ['8.8.8.8', '127.0.0.1'],
    ['127.0.0.1', '8.8.8.8'],
    ['8.8.8.8', '::1'],
    ['2606:4700:4700::1111', '10.0.0.1'],
    ['::'],
    ['::ffff:127.0.0.1'],
  ])('is blocked by one denied address among %j', async (...addresses) => {
    const { receiver: canary, send } = await openCanary(() => addresses);
    expect(await send()).toEqual(blocked);
    expect(canary.connections).toBe(0);
  });
});

it('S5 an address of this machine is blocked, public in form or not', async () => {
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  for (const { address, family } of own) {
    const { receiver: canary, send } = await openCanary(({ type }) =>
      (type === 'A') === (family === 'IPv4') ? [address] : [],
    );
    expect(await send()).toEqual(blocked);
    expect(canary.connections).toBe(0);
  }

  // A machine behind a translation of addresses does not know its own: the settings do.
  const own_hosts = ['8.8.8.8'];
  const { send } = await openByName(
    ({ type }) => (type === 'A' ? own_hosts : []),
    {},
    { own_hosts },
  );
  expect(await send()).toEqual(blocked);
});

it('S6 a redirect is refused and not followed', async () => {
  const canary = await startReceiver();
  const statuses = [301, 302, 303, 307, 308];
  const left = [...statuses];
  const location = `location: http://127.0.0.1:${canary.port}/`;
  const { receiver, send } = await open({
    onRequest: (socket) =>
      socket.write(`HTTP/1.1 ${left.shift()} x\r\n${location}\r\ncontent-length: 0\r\n\r\n`),
  });
  for (const status of statuses) {
    expect(await send()).toMatchObject({ outcome: 'refused', status });
  }
  expect([receiver.requests.length, canary.connections]).toEqual([statuses.length, 0]);
});

describe('S7', () => {
  const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy'];
  const before = variables.map((name) => [name, process.env[name]] as const);

  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  it('a proxy of the environment is not used', async () => {
    const canary = await startReceiver();
    for (const name of variables) process.env[name] = `http://127.0.0.1:${canary.port}`;
    for (const { send } of [await open(), await openByName()]) {
      expect(await send()).toMatchObject(DELIVERED);
    }
    expect(canary.connections).toBe(0);
  });

  it('a name that moves while a connection is kept is judged when there is a new one', async () => {
    let is_last = false;
    let addresses = ['127.0.0.1'];
    const { receiver, send } = await openByName(() => addresses, {
      onRequest: (socket) => {
        if (is_last) socket.end(OK.replace('content', 'connection: close\r\ncontent'));
        else socket.write(OK);
      },
    });
    expect(await send()).toMatchObject(DELIVERED);

    addresses = ['127.0.0.2'];
    expect(await send()).toMatchObject(DELIVERED);
    is_last = true;
    expect(await send()).toMatchObject(DELIVERED);
    await waitFor(() => receiver.open.size === 0);
    expect(await send()).toEqual(blocked);
    expect([receiver.connections, receiver.requests.length]).toEqual([1, 3]);
  });

  it('the address that was reached is checked too, before a byte is sent', async () => {
    // A sender that connects to 0.0.0.0 reaches 127.0.0.1, and that is not listed here.
    const said: Buffer[] = [];
    const receiver = await startReceiver({
      onConnection: (socket) => socket.on('data', (bytes) => said.push(bytes)),
    });
    const sender = startSender({ policy: { ...NOBODY, allowed_addresses: ['0.0.0.0'] } });
    for (const scheme of ['http', 'https']) {
      expect(await sender.send(webhookTo(`${scheme}://0.0.0.0:${receiver.port}/`))).toEqual(
        blocked,
      );
    }
    await waitFor(() => receiver.connections === 2 && receiver.open.size === 0);
    expect(said).toEqual([]);
  });

  it('a name is resolved again when its connection is a minute old', async () => {
    const { receiver, send, dns } = await openByName();
    expect(await send()).toMatchObject(DELIVERED);
    const later = performance.now() + 61_000;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => later);
    expect(await send()).toMatchObject(DELIVERED);
    clock.mockRestore();
    expect(receiver.connections).toBe(2);
    expect(dns.questions).toHaveLength(4);
  });
});

it('S8 nothing tells an open inner port from a closed one', async () => {
  const open = await startReceiver();
  const dns = await startDnsServer(() => ['127.0.0.1']);
  const policy = { ...NOBODY, ports: [open.port, 1, 22, 5432] };
  const sender = startSender({ policy, dns_servers: [dns.address] });
  for (const port of [open.port, 1, 22, 5432, 7233]) {
    for (const host of ['127.0.0.1', '10.0.0.1', '[::1]', NAME, 'localhost']) {
      // The time that it took is recorded too, and cannot tell either: nothing was connected to.
      const { duration_ms: _, ...record } = await sender.send(
        webhookTo(`https://${host}:${port}/`),
      );
      expect(record).toEqual(BLOCKED);
    }
  }
  expect(open.connections).toBe(0);
});
