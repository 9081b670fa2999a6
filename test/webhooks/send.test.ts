import type { Socket } from 'node:net';
import { isServiceSignature } from '../../secrets/webhook-secret';
import { MAX_RESPONSE_BYTES } from '../../webhooks/response';
import { signCertificate } from '../support/certificate';
import { waitFor } from '../support/wait';
import { startDnsServer } from './support/dns-server';
import { OK, startReceiver } from './support/receivers';
import { BODY, LOOPBACK, NOBODY, SECRET, startSender, webhookTo } from './support/sender';

describe('a delivery', () => {
  it('is the bytes that were signed, with a fixed list of headers', async () => {
    const receiver = await startReceiver();
    const sender = startSender({ user_agent: 'payment-api/0.1' });
    const url = `http://127.0.0.1:${receiver.port}/hooks/a?b=%C3%A9`;
    const webhook = webhookTo(url);
    const headers = { ...webhook.headers, 'x-other': '1', host: 'inner', authorization: 'Bearer' };

    expect(await sender.send({ ...webhook, headers })).toEqual({
      outcome: 'delivered',
      status: 200,
      response_body: 'ok',
      response_truncated: false,
      retry_after_seconds: null,
      duration_ms: expect.any(Number) as number,
    });
    const [request = ''] = receiver.requests;
    const [head = '', body = ''] = request.split('\r\n\r\n');
    const [line, ...lines] = head.split('\r\n');
    expect(line).toBe('POST /hooks/a?b=%C3%A9 HTTP/1.1');
    expect(lines).toEqual([
      `host: 127.0.0.1:${receiver.port}`,
      'connection: keep-alive',
      'content-type: application/json',
      'user-agent: payment-api/0.1',
      `x-service-signature: ${webhook.headers['x-service-signature']}`,
      'webhook-id: evt_1',
      'webhook-timestamp: 1700000000',
      `webhook-signature: ${webhook.headers['webhook-signature']}`,
      `content-length: ${BODY.length}`,
    ]);
    expect(body).toBe(BODY);
    expect(isServiceSignature(body, webhook.headers['x-service-signature'], SECRET)).toBe(true);
  });

  it('S11 never contains the secret, in 2,000 requests', async () => {
    const receiver = await startReceiver();
    const sender = startSender({ deadline_ms: 60_000 });
    const webhook = webhookTo(`http://127.0.0.1:${receiver.port}/`);
    await Promise.all(Array.from({ length: 2_000 }, () => sender.send(webhook)));

    const sent = receiver.requests.join('\n');
    expect(receiver.requests).toHaveLength(2_000);
    const bare = SECRET.slice('whsec_'.length);
    const bytes = Buffer.from(bare, 'base64');
    const forms = [
      SECRET,
      bare,
      bare.replace('=', ''),
      bytes.toString('base64url'),
      bytes.toString('hex'),
      'whsec',
      Buffer.from(SECRET).toString('base64').slice(0, -4),
      Buffer.from(SECRET).toString('hex'),
      bytes.toString('hex').toUpperCase(),
    ];
    for (const form of forms) expect(sent.includes(form)).toBe(false);
  });

  it.each([
    ['delivered', 200],
    ['delivered', 201],
    ['delivered', 299],
    ['refused', 300],
    ['refused', 400],
    ['refused', 410],
    ['refused', 429],
    ['refused', 500],
    ['refused', 599],
  ])('is %s when the response is %d', async (outcome, status) => {
    const receiver = await startReceiver({
      onRequest: (socket) =>
        socket.write(`HTTP/1.1 ${status} x\r\nretry-after: 120\r\ncontent-length: 4\r\n\r\nwhy?`),
    });
    expect(await startSender().send(webhookTo(`http://127.0.0.1:${receiver.port}`))).toMatchObject({
      outcome,
      status,
      response_body: 'why?',
      retry_after_seconds: 120,
    });
  });

  it('accepts a response without a body, and one that ends with its connection', async () => {
    const answers = [
      'HTTP/1.1 204 No Content\r\n\r\n',
      'HTTP/1.0 200 OK\r\n\r\nas long as it lasts',
    ];
    const receiver = await startReceiver({
      onRequest: (socket) => {
        const answer = answers.shift()!;
        if (answer.startsWith('HTTP/1.0')) socket.end(answer);
        else socket.write(answer);
      },
    });
    const sender = startSender();
    const webhook = webhookTo(`http://127.0.0.1:${receiver.port}`);
    expect(await sender.send(webhook)).toMatchObject({ status: 204, response_body: '' });
    expect(await sender.send(webhook)).toMatchObject({
      outcome: 'delivered',
      response_body: 'as long as it lasts',
    });
  });

  it('is connection_failed where nobody listens', async () => {
    expect(await startSender().send(webhookTo('http://127.0.0.1:1/'))).toMatchObject({
      outcome: 'connection_failed',
      status: null,
      response_body: null,
    });
  });
});

describe('connections', () => {
  it('are kept for the next request', async () => {
    const receiver = await startReceiver();
    const sender = startSender();
    for (let i = 0; i < 20; i += 1) {
      const { outcome } = await sender.send(webhookTo(`http://127.0.0.1:${receiver.port}/${i}`));
      expect(outcome).toBe('delivered');
    }
    expect(receiver.connections).toBe(1);
  });

  it('are limited per origin, and a request that waits for one is served', async () => {
    const receiver = await startReceiver();
    const sender = startSender({ max_per_origin: 3 });
    const webhook = webhookTo(`http://127.0.0.1:${receiver.port}`);
    const results = await Promise.all(Array.from({ length: 50 }, () => sender.send(webhook)));
    expect(results.map(({ outcome }) => outcome)).toEqual(results.map(() => 'delivered'));
    expect(receiver.most_open).toBe(3);
  });

  it('are shared: an account whose receivers hang leaves some for others, and waits for its own', async () => {
    const hanging: Socket[] = [];
    let hangs = true;
    const receiver = await startReceiver({
      onRequest: (socket, request) => {
        if (hangs && request.includes('/hang')) hanging.push(socket);
        else socket.write(OK);
      },
    });
    const sender = startSender({ max_per_origin: 4, max_per_account: 3 });
    const url = `http://127.0.0.1:${receiver.port}`;
    const send = (count: number, path: string, account: string, deadline_ms?: number) =>
      Promise.all(
        Array.from({ length: count }, async () => {
          const webhook = webhookTo(`${url}/${path}`, deadline_ms);
          return (await sender.send({ ...webhook, account })).outcome;
        }),
      );
    const slow = send(5, 'hang', 'a merchant', 60_000);
    await waitFor(() => hanging.length === 3);
    expect(new Set(await send(20, 'quick', 'another'))).toEqual(new Set(['delivered']));
    expect(hanging).toHaveLength(3);
    hangs = false;
    for (const socket of hanging) socket.write(OK);
    expect(new Set(await slow)).toEqual(new Set(['delivered']));
    // A sending that has ended is not counted any more.
    expect(new Set(await send(20, 'quick', 'a merchant'))).toEqual(new Set(['delivered']));
    expect(receiver.most_open).toBe(4);
  });

  it('are given up with the attempt that uses them, and nobody else with it', async () => {
    const receiver = await startReceiver({
      onRequest: (socket, request) => {
        if (!request.includes('/hang')) socket.write(OK);
      },
    });
    const sender = startSender({ max_per_origin: 1 });
    const url = `http://127.0.0.1:${receiver.port}`;
    const [first, second, third] = await Promise.all([
      sender.send(webhookTo(`${url}/hang`, 300)),
      // Waits in vain until its deadline.
      sender.send(webhookTo(`${url}/late`, 100)),
      sender.send(webhookTo(`${url}/next`)),
    ]);
    expect([first.outcome, second.outcome, third.outcome]).toEqual([
      'timeout',
      'timeout',
      'delivered',
    ]);
    expect(receiver.requests.map((request) => request.split(' ')[1])).toEqual(['/hang', '/next']);
    await waitFor(() => receiver.open.size <= 1);
  });

  it('that the receiver has closed meanwhile are opened anew, once', async () => {
    // The first connection serves one request, and is closed at the next.
    const receiver = await startReceiver({
      onRequest: (socket) => {
        if (receiver.requests.length === 1) socket.write(OK);
        else if (receiver.connections === 1) socket.destroy();
        else socket.write(OK);
      },
    });
    const sender = startSender();
    const webhook = webhookTo(`http://127.0.0.1:${receiver.port}`);
    expect(await sender.send(webhook)).toMatchObject({ outcome: 'delivered' });
    expect(await sender.send(webhook)).toMatchObject({ outcome: 'delivered' });
    expect([receiver.connections, receiver.requests.length]).toEqual([2, 3]);
  });

  it('that end at every request are tried no more than that', async () => {
    const receiver = await startReceiver({
      onRequest: (socket) => {
        if (receiver.requests.length === 1) socket.write(OK);
        else socket.resetAndDestroy();
      },
    });
    const sender = startSender();
    const webhook = webhookTo(`http://127.0.0.1:${receiver.port}`);
    expect(await sender.send(webhook)).toMatchObject({ outcome: 'delivered' });
    expect(await sender.send(webhook)).toMatchObject({ outcome: 'connection_failed' });
    expect(receiver.requests).toHaveLength(3);
    expect(await sender.send(webhook)).toMatchObject({ outcome: 'connection_failed' });
    expect(receiver.requests).toHaveLength(4);
  });

  it('that are kept and then hang are a timeout, and nothing is sent after it', async () => {
    const receiver = await startReceiver({
      onRequest: (socket) => {
        if (receiver.requests.length !== 2) socket.write(OK);
      },
    });
    const sender = startSender();
    const webhook = webhookTo(`http://127.0.0.1:${receiver.port}`);
    expect(await sender.send(webhook)).toMatchObject({ outcome: 'delivered' });
    expect(await sender.send({ ...webhook, deadline_ms: 200 })).toMatchObject({
      outcome: 'timeout',
    });
    expect(await sender.send(webhook)).toMatchObject({ outcome: 'delivered' });
    expect([receiver.connections, receiver.requests.length]).toEqual([2, 3]);
  });

  it('with more bytes than a response are not used again', async () => {
    const receiver = await startReceiver({
      onRequest: (socket) => socket.write(`${OK}${OK.replace('200', '500')}`),
    });
    const sender = startSender();
    const webhook = webhookTo(`http://127.0.0.1:${receiver.port}`);
    for (let i = 1; i <= 5; i += 1) {
      expect(await sender.send(webhook)).toMatchObject({ status: 200, response_body: 'ok' });
    }
    expect(receiver.requests).toHaveLength(5);
    await waitFor(() => receiver.open.size === 0);
  });

  it('are closed with the sender, when the requests under way have ended', async () => {
    let answer = (): void => {};
    const receiver = await startReceiver({
      onRequest: (socket) => {
        answer = () => void socket.write(OK);
      },
    });
    const sender = startSender();
    const webhook = webhookTo(`http://127.0.0.1:${receiver.port}`);
    const sending = sender.send(webhook);
    await waitFor(() => receiver.requests.length === 1);
    const closing = sender.close();
    answer();
    expect(await sending).toMatchObject({ outcome: 'delivered' });
    await closing;
    await waitFor(() => receiver.open.size === 0);
    expect(await sender.send(webhook)).toMatchObject({ outcome: 'connection_failed' });
    expect(receiver.requests).toHaveLength(1);
  });
});

describe('a name', () => {
  const name = 'hooks.example.test';
  const certificate = signCertificate({ names: [name] });

  it('is resolved, and sent to the receiver in TLS and in the request', async () => {
    const names: (string | null)[] = [];
    const receiver = await startReceiver({
      tls: {
        ...certificate,
        SNICallback: (servername, callback) => {
          names.push(servername);
          callback(null);
        },
      },
    });
    const dns = await startDnsServer(() => ['127.0.0.1']);
    const sender = startSender({
      policy: { ...LOOPBACK, ports: [receiver.port] },
      ca: certificate.cert,
      dns_servers: [dns.address],
    });
    const webhook = webhookTo(`https://Hooks.Example.test.:${receiver.port}/a`);
    expect(await sender.send(webhook)).toMatchObject({ outcome: 'delivered' });
    expect(names).toEqual([name]);
    expect(receiver.requests[0]).toContain(`\r\nhost: ${name}:${receiver.port}\r\n`);
    expect(dns.questions.map((one) => `${one.name} ${one.type}`).sort()).toEqual([
      `${name} A`,
      `${name} AAAA`,
    ]);
  });

  it('with several addresses leads to the one that responds', async () => {
    const receiver = await startReceiver({ tls: certificate });
    const dns = await startDnsServer(() => ['127.0.0.3', '127.0.0.1', '::1']);
    const sender = startSender({
      policy: { ...NOBODY, allowed_addresses: ['127.0.0.0/8', '::1'], ports: [receiver.port] },
      ca: certificate.cert,
      dns_servers: [dns.address],
    });
    expect(await sender.send(webhookTo(`https://${name}:${receiver.port}/`))).toMatchObject({
      outcome: 'delivered',
    });
  });

  it('with one address family is enough, whatever happens to the other', async () => {
    const receiver = await startReceiver({ tls: certificate });
    for (const other of ['no such name', 'failure', []] as const) {
      const dns = await startDnsServer(({ type }) => (type === 'A' ? ['127.0.0.1'] : other));
      const sender = startSender({
        policy: { ...LOOPBACK, ports: [receiver.port] },
        ca: certificate.cert,
        dns_servers: [dns.address],
      });
      expect(await sender.send(webhookTo(`https://${name}:${receiver.port}/`))).toMatchObject({
        outcome: 'delivered',
      });
    }
  });

  it.each([
    ['does not exist', 'no such name'],
    ['has no address', []],
    ['fails', 'failure'],
    ['has 65 addresses', Array.from({ length: 65 }, (_, at) => `8.8.8.${at}`)],
  ] as const)('is dns_failed when it %s', async (_case, answer) => {
    const dns = await startDnsServer(() => answer);
    const sender = startSender({ dns_servers: [dns.address] });
    expect(await sender.send(webhookTo(`https://${name}/`))).toMatchObject({
      outcome: 'dns_failed',
    });
  });

  it('S9 that hangs holds up nobody else: 200 of them at once', async () => {
    const receiver = await startReceiver({ tls: certificate });
    const dns = await startDnsServer((question) =>
      question.name === name ? ['127.0.0.1'] : 'silence',
    );
    const sender = startSender({
      policy: { ...LOOPBACK, ports: [receiver.port] },
      ca: certificate.cert,
      dns_servers: [dns.address],
    });
    let hanging = 200;
    const hung = Array.from({ length: hanging }, async (_, at) => {
      const result = await sender.send(webhookTo(`https://h${at}.example.test/`, 6_000));
      hanging -= 1;
      return result.outcome;
    });
    await waitFor(() => new Set(dns.questions.map((question) => question.name)).size === 200);
    const { outcome } = await sender.send(webhookTo(`https://${name}:${receiver.port}/`));
    expect([outcome, hanging]).toEqual(['delivered', 200]);
    expect(new Set(await Promise.all(hung))).toEqual(new Set(['timeout']));
  });
});

describe('a response', () => {
  it('is kept to 16 KiB, and the rest is not waited for', async () => {
    const receiver = await startReceiver({
      // A megabyte is promised, and 20 KiB come.
      onRequest: (socket) =>
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n${'a'.repeat(20_480)}`),
    });
    const webhook = webhookTo(`http://127.0.0.1:${receiver.port}`);
    expect(await startSender().send(webhook)).toMatchObject({
      outcome: 'delivered',
      status: 200,
      response_body: 'a'.repeat(MAX_RESPONSE_BYTES),
      response_truncated: true,
    });
    await waitFor(() => receiver.open.size === 0);
  });
});
