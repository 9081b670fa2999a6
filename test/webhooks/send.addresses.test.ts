// Requests go to some addresses, and never to others. A canary is a listener that must not even see
// a connection.

import { networkInterfaces } from 'node:os';
import { signCertificate } from '../support/certificate';
import { waitFor } from '../support/wait';
import { startDnsServer } from './support/dns-server';
import { EVERYWHERE, OK, startReceiver } from './support/receivers';
import { LOOPBACK, NOBODY, startSender, webhookTo } from './support/sender';

const NAME = 'hooks.example.test';
const BLOCKED = {
  outcome: 'blocked',
  status: null,
  response_body: null,
  response_truncated: false,
  retry_after_seconds: null,
};
const blocked = { ...BLOCKED, duration_ms: expect.any(Number) as number };

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
  for (const host of [
    '127.0.0.1',
    '0x7f000001',
    '2130706433',
    '127.1',
    '0177.0.0.1',
    '127.0.0.1.',
    '0',
    '１２７.０.０.１',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::7f00:1]',
  ]) {
    expect([host, await sender.send(webhookTo(`https://${host}:${canary.port}/`))]).toEqual([
      host,
      blocked,
    ]);
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
    const canary = await startReceiver();
    // 127.0.0.2 stands for an address that is allowed: no process listens there.
    const policy = { ...NOBODY, allowed_addresses: ['127.0.0.2'], ports: [canary.port] };
    const dns = await startDnsServer(({ type, asked }) => {
      if (type === 'AAAA') return [];
      return asked % 2 === 0 ? ['127.0.0.2'] : ['127.0.0.1'];
    });
    const sender = startSender({ policy, dns_servers: [dns.address], deadline_ms: 2_000 });
    const outcomes: string[] = [];
    for (let i = 0; i < 100; i += 1) {
      const { outcome } = await sender.send(webhookTo(`https://${NAME}:${canary.port}/`));
      outcomes.push(outcome);
    }
    expect(canary.connections).toBe(0);
    // One query for each connection: it connects to the addresses that were checked.
    expect(dns.questions.filter(({ type }) => type === 'A')).toHaveLength(100);
    expect(outcomes.filter((outcome) => outcome === 'blocked')).toHaveLength(50);
    expect(outcomes).not.toContain('delivered');
  });

  it('would reach the canary if 127.0.0.1 were allowed', async () => {
    const canary = await startReceiver();
    const dns = await startDnsServer(() => ['127.0.0.1']);
    const policy = { ...LOOPBACK, ports: [canary.port] };
    const sender = startSender({ policy, dns_servers: [dns.address], deadline_ms: 500 });
    await sender.send(webhookTo(`https://${NAME}:${canary.port}/`));
    expect(canary.connections).toBe(1);
  });

  it.each([
    ['8.8.8.8', '127.0.0.1'],
    ['127.0.0.1', '8.8.8.8'],
    ['8.8.8.8', '::1'],
    ['2606:4700:4700::1111', '10.0.0.1'],
    ['::1'],
    ['::'],
    ['0.0.0.0'],
    ['::ffff:127.0.0.1'],
    ['::127.0.0.1'],
    ['64:ff9b::127.0.0.1'],
    ['2002:7f00:1::'],
    ['2001:0:4136:e378:8000:63bf:80ff:fffe'],
    ['fe80::1'],
    ['fd00:ec2::254'],
    ['169.254.169.254'],
    ['168.63.129.16'],
  ])('is blocked by one denied address among %j', async (...addresses) => {
    const canary = await startReceiver({ host: EVERYWHERE });
    const dns = await startDnsServer(() => addresses);
    const policy = { ...NOBODY, ports: [canary.port] };
    const sender = startSender({ policy, dns_servers: [dns.address] });
    expect(await sender.send(webhookTo(`https://${NAME}:${canary.port}/`))).toEqual(blocked);
    expect(canary.connections).toBe(0);
  });
});

it('S5 an address of this machine is blocked, public in form or not', async () => {
  const canary = await startReceiver({ host: EVERYWHERE });
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  for (const { address, family } of own) {
    const dns = await startDnsServer(({ type }) =>
      (type === 'A') === (family === 'IPv4') ? [address] : [],
    );
    const policy = { ...NOBODY, ports: [canary.port] };
    const sender = startSender({ policy, dns_servers: [dns.address] });
    expect(await sender.send(webhookTo(`https://${NAME}:${canary.port}/`))).toEqual(blocked);
  }
  expect(canary.connections).toBe(0);

  // A machine behind a translation of addresses does not know its own: the settings do.
  const dns = await startDnsServer(({ type }) => (type === 'A' ? ['8.8.8.8'] : []));
  const policy = { ...NOBODY, own_hosts: ['8.8.8.8'] };
  const sender = startSender({ policy, dns_servers: [dns.address] });
  expect(await sender.send(webhookTo(`https://${NAME}/`))).toEqual(blocked);
});

it.each([301, 302, 303, 307, 308])(
  'S6 a redirect (%d) is refused and not followed',
  async (status) => {
    const canary = await startReceiver();
    const receiver = await startReceiver({
      onRequest: (socket) =>
        socket.write(
          `HTTP/1.1 ${status} x\r\nlocation: http://127.0.0.1:${canary.port}/\r\ncontent-length: 0\r\n\r\n`,
        ),
    });
    const sender = startSender();
    expect(await sender.send(webhookTo(`http://127.0.0.1:${receiver.port}/`))).toMatchObject({
      outcome: 'refused',
      status,
    });
    expect([receiver.requests.length, canary.connections]).toEqual([1, 0]);
  },
);

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
    const certificate = signCertificate({ addresses: ['127.0.0.1'] });
    const [plain, secure] = [await startReceiver(), await startReceiver({ tls: certificate })];
    const sender = startSender({ ca: certificate.cert });
    for (const url of [`http://127.0.0.1:${plain.port}/`, `https://127.0.0.1:${secure.port}/`]) {
      expect(await sender.send(webhookTo(url))).toMatchObject({ outcome: 'delivered' });
    }
    expect(canary.connections).toBe(0);
  });

  it('a name that moves while a connection is kept is judged when there is a new one', async () => {
    const certificate = signCertificate({ names: [NAME] });
    let is_last = false;
    const receiver = await startReceiver({
      tls: certificate,
      onRequest: (socket) => {
        if (is_last) socket.end(OK.replace('content', 'connection: close\r\ncontent'));
        else socket.write(OK);
      },
    });
    let addresses = ['127.0.0.1'];
    const dns = await startDnsServer(() => addresses);
    const sender = startSender({
      policy: { ...LOOPBACK, ports: [receiver.port] },
      ca: certificate.cert,
      dns_servers: [dns.address],
    });
    const webhook = webhookTo(`https://${NAME}:${receiver.port}/`);
    expect(await sender.send(webhook)).toMatchObject({ outcome: 'delivered' });

    addresses = ['127.0.0.2'];
    expect(await sender.send(webhook)).toMatchObject({ outcome: 'delivered' });
    is_last = true;
    expect(await sender.send(webhook)).toMatchObject({ outcome: 'delivered' });
    await waitFor(() => receiver.open.size === 0);
    expect(await sender.send(webhook)).toEqual(blocked);
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
    const certificate = signCertificate({ names: [NAME] });
    const receiver = await startReceiver({ tls: certificate });
    const dns = await startDnsServer(() => ['127.0.0.1']);
    const sender = startSender({
      policy: { ...LOOPBACK, ports: [receiver.port] },
      ca: certificate.cert,
      dns_servers: [dns.address],
    });
    const webhook = webhookTo(`https://${NAME}:${receiver.port}/`);
    expect(await sender.send(webhook)).toMatchObject({ outcome: 'delivered' });
    const later = performance.now() + 61_000;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => later);
    expect(await sender.send(webhook)).toMatchObject({ outcome: 'delivered' });
    clock.mockRestore();
    expect(receiver.connections).toBe(2);
    expect(dns.questions).toHaveLength(4);
  });

  it('a connection to one origin is not used for another', async () => {
    const [one, other] = [await startReceiver(), await startReceiver()];
    const sender = startSender();
    for (const { port } of [one, other, one, other]) {
      await sender.send(webhookTo(`http://127.0.0.1:${port}/`));
    }
    expect([one.requests.length, other.requests.length]).toEqual([2, 2]);
    expect(one.requests[1]).toContain(`host: 127.0.0.1:${one.port}\r\n`);
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
