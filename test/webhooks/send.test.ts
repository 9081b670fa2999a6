import type { Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { isServiceSignature } from '../../secrets/webhook-secret';
import { MAX_RESPONSE_BYTES } from '../../webhooks/response';
import { waitFor } from '../support/wait';
import { OK, type ReceiverOptions } from './support/receivers';
import {
  BODY,
  CERTIFICATE,
  NAME,
  open,
  openByName,
  SECRET,
  startSender,
  webhookTo,
} from './support/sender';

describe('a delivery', () => {
  it('is the bytes that were signed, with a fixed list of headers', async () => {
    const { receiver, sender } = await open({}, { user_agent: 'payment-api/0.1' });
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
    const { receiver, send } = await open({}, { deadline_ms: 60_000 });
    await Promise.all(Array.from({ length: 2_000 }, () => send()));

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

  it('is delivered when the response is 2xx, and refused by every other', async () => {
    const statuses = [200, 201, 299, 300, 400, 410, 429, 500, 599];
    const left = [...statuses];
    const { send } = await open({
      onRequest: (socket) =>
        socket.write(
          `HTTP/1.1 ${left.shift()} x\r\nretry-after: 120\r\ncontent-length: 4\r\n\r\nwhy?`,
        ),
    });
    for (const status of statuses) {
      const outcome = status < 300 ? 'delivered' : 'refused';
      const seen = { outcome, status, response_body: 'why?', retry_after_seconds: 120 };
      expect(await send()).toMatchObject(seen);
    }
  });

  it('accepts a response without a body, and one that ends with its connection', async () => {
    const answers = [
      'HTTP/1.1 204 No Content\r\n\r\n',
      'HTTP/1.0 200 OK\r\n\r\nas long as it lasts',
    ];
    const { send } = await open({
      onRequest: (socket) => {
        const answer = answers.shift()!;
        if (answer.startsWith('HTTP/1.0')) socket.end(answer);
        else socket.write(answer);
      },
    });
    expect(await send()).toMatchObject({ status: 204, response_body: '' });
    const lasting = { outcome: 'delivered', response_body: 'as long as it lasts' };
    expect(await send()).toMatchObject(lasting);
  });

  it('is connection_failed where nobody listens', async () => {
    expect(await startSender().send(webhookTo('http://127.0.0.1:1/'))).toMatchObject({
      outcome: 'connection_failed',
      status: null,
      response_body: null,
    });
  });
});

const DELIVERED = { outcome: 'delivered' };

describe('connections', () => {
  it('are kept for the next request, and those to one origin are not used for another', async () => {
    const [one, other] = [await open(), await open()];
    for (let n = 0; n < 20; n += 1) {
      for (const { port } of [one.receiver, other.receiver]) {
        const sent = await one.sender.send(webhookTo(`http://127.0.0.1:${port}/${n}`));
        expect(sent).toMatchObject(DELIVERED);
      }
    }
    for (const { receiver } of [one, other]) {
      expect([receiver.connections, receiver.requests.length]).toEqual([1, 20]);
      expect(receiver.requests[1]).toContain(`host: 127.0.0.1:${receiver.port}\r\n`);
    }
  });

  it('are limited per origin, and a request that waits for one is served', async () => {
    const { receiver, send } = await open({}, { max_per_origin: 3 });
    const results = await Promise.all(Array.from({ length: 50 }, () => send()));
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['delivered']));
    expect(receiver.most_open).toBe(3);
  });

  it('are shared: an account whose receivers hang leaves some for others, and waits for its own', async () => {
    const hanging: Socket[] = [];
    let hangs = true;
    const { receiver, sender } = await open(
      {
        onRequest: (socket, request) => {
          if (hangs && request.includes('/hang')) hanging.push(socket);
          else socket.write(OK);
        },
      },
      { max_per_origin: 4, max_per_account: 3 },
    );
    const url = `http://127.0.0.1:${receiver.port}`;
    const send = async (count: number, path: string, account: string, deadline_ms?: number) => {
      const webhook = { ...webhookTo(`${url}/${path}`, deadline_ms), account };
      const sent = await Promise.all(Array.from({ length: count }, () => sender.send(webhook)));
      return [...new Set(sent.map(({ outcome }) => outcome))];
    };
    const slow = send(5, 'hang', 'a merchant', 60_000);
    await waitFor(() => hanging.length === 3);
    expect(await send(20, 'quick', 'another')).toEqual(['delivered']);
    expect(hanging).toHaveLength(3);
    hangs = false;
    for (const socket of hanging) socket.write(OK);
    expect(await slow).toEqual(['delivered']);
    // A sending that has ended is not counted any more.
    expect(await send(20, 'quick', 'a merchant')).toEqual(['delivered']);
    expect(receiver.most_open).toBe(4);
  });

  it('are given up with the attempt that uses them, and nobody else with it', async () => {
    const { receiver, send } = await open(
      {
        onRequest: (socket, request) => {
          if (!request.includes('/hang')) socket.write(OK);
        },
      },
      { max_per_origin: 1 },
    );
    // The second waits in vain until its deadline.
    const sent = await Promise.all([send('/hang', 300), send('/late', 100), send('/next')]);
    expect(sent.map(({ outcome }) => outcome)).toEqual(['timeout', 'timeout', 'delivered']);
    expect(receiver.requests.map((request) => request.split(' ')[1])).toEqual(['/hang', '/next']);
    await waitFor(() => receiver.open.size <= 1);
  });

  /** What a receiver does with each request, by its number from 1; the others are answered. */
  const unless = (act: (number: number, socket: Socket) => boolean): ReceiverOptions => {
    let number = 0;
    return {
      onRequest: (socket) => {
        if (!act((number += 1), socket)) socket.write(OK);
      },
    };
  };

  it('that the receiver has closed meanwhile are opened anew, once', async () => {
    const { receiver, send } = await open(
      unless((number, socket) => number === 2 && Boolean(socket.destroy())),
    );
    for (let n = 0; n < 2; n += 1) expect(await send()).toMatchObject(DELIVERED);
    expect([receiver.connections, receiver.requests.length]).toEqual([2, 3]);
  });

  it('that end at every request are tried no more than that', async () => {
    const { receiver, send } = await open(
      unless((number, socket) => number > 1 && Boolean(socket.resetAndDestroy())),
    );
    expect(await send()).toMatchObject(DELIVERED);
    for (const requests of [3, 4]) {
      expect(await send()).toMatchObject({ outcome: 'connection_failed' });
      expect(receiver.requests).toHaveLength(requests);
    }
  });

  it('that are kept and then hang are a timeout, and nothing is sent after it', async () => {
    const { receiver, send } = await open(unless((number) => number === 2));
    expect(await send()).toMatchObject(DELIVERED);
    expect(await send('/', 200)).toMatchObject({ outcome: 'timeout' });
    expect(await send()).toMatchObject(DELIVERED);
    expect([receiver.connections, receiver.requests.length]).toEqual([2, 3]);
  });

  it('with more bytes than a response are not used again', async () => {
    const { receiver, send } = await open({
      onRequest: (socket) => socket.write(`${OK}${OK.replace('200', '500')}`),
    });
    for (let n = 0; n < 5; n += 1) {
      expect(await send()).toMatchObject({ status: 200, response_body: 'ok' });
    }
    expect(receiver.requests).toHaveLength(5);
    await waitFor(() => receiver.open.size === 0);
  });

  it('are closed with the sender, when the requests under way have ended', async () => {
    let answer = (): void => {};
    const { receiver, sender, send } = await open({
      onRequest: (socket) => {
        answer = () => void socket.write(OK);
      },
    });
    const sending = send();
    await waitFor(() => receiver.requests.length === 1);
    const closing = sender.close();
    answer();
    expect(await sending).toMatchObject(DELIVERED);
    await closing;
    await waitFor(() => receiver.open.size === 0);
    expect(await send()).toMatchObject({ outcome: 'connection_failed' });
    expect(receiver.requests).toHaveLength(1);
  });
});

describe('a name', () => {
  it('is resolved, and sent to the receiver in TLS and in the request', async () => {
    const names: (string | null)[] = [];
    const tls: TlsOptions = {
      ...CERTIFICATE,
      SNICallback: (servername, callback) => {
        names.push(servername);
        callback(null);
      },
    };
    const { receiver, sender, dns } = await openByName(undefined, { tls });
    const webhook = webhookTo(`https://Hooks.Example.test.:${receiver.port}/a`);
    expect(await sender.send(webhook)).toMatchObject(DELIVERED);
    expect(names).toEqual([NAME]);
    expect(receiver.requests[0]).toContain(`\r\nhost: ${NAME}:${receiver.port}\r\n`);
    expect(dns.questions.map((one) => `${one.name} ${one.type}`).sort()).toEqual([
      `${NAME} A`,
      `${NAME} AAAA`,
    ]);
  });

  it('with several addresses leads to the one that responds', async () => {
    const { send } = await openByName(
      () => ['127.0.0.3', '127.0.0.1', '::1'],
      {},
      { allowed_addresses: ['127.0.0.0/8', '::1'] },
    );
    expect(await send()).toMatchObject(DELIVERED);
  });

  it('with one address family is enough, whatever happens to the other', async () => {
    for (const other of ['no such name', 'failure', []] as const) {
      const { send } = await openByName(({ type }) => (type === 'A' ? ['127.0.0.1'] : other));
      expect(await send()).toMatchObject(DELIVERED);
    }
  });

  it.each([
    ['does not exist', 'no such name'],
    ['has no address', []],
    ['fails', 'failure'],
    ['has 65 addresses', Array.from({ length: 65 }, (_, at) => `8.8.8.${at}`)],
  ] as const)('is dns_failed when it %s', async (_case, answer) => {
    const { send } = await openByName(() => answer);
    expect(await send()).toMatchObject({ outcome: 'dns_failed' });
  });

  it('S9 that hangs holds up nobody else: 200 of them at once', async () => {
    let hangs = true;
    const { send, sender, dns } = await openByName(({ name }) => {
      if (name === NAME) return ['127.0.0.1'];
      return hangs ? 'silence' : 'no such name';
    });
    let hanging = 200;
    const hung = Array.from({ length: hanging }, async (_, at) => {
      const result = await sender.send(webhookTo(`https://h${at}.example.test/`, 60_000));
      hanging -= 1;
      return result.outcome;
    });
    await waitFor(() => new Set(dns.questions.map(({ name }) => name)).size === 200);
    const { outcome } = await send();
    expect([outcome, hanging]).toEqual(['delivered', 200]);
    hangs = false;
    expect(new Set(await Promise.all(hung))).toEqual(new Set(['dns_failed']));
  });
});

it('a response is kept to 16 KiB, and the rest is not waited for', async () => {
  // A megabyte is promised, and 20 KiB come.
  const { receiver, send } = await open({
    onRequest: (socket) =>
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n${'a'.repeat(20_480)}`),
  });
  expect(await send()).toMatchObject({
    outcome: 'delivered',
    status: 200,
    response_body: 'a'.repeat(MAX_RESPONSE_BYTES),
    response_truncated: true,
  });
  await waitFor(() => receiver.open.size === 0);
});
