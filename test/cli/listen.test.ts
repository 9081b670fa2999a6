import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeWebhookSecret } from '../../secrets/webhook-secret';
import { setUp } from '../support/database';
import { closeAfterFile } from '../support/cleanup';
import { pickTestPort } from '../support/ports';
import { buildApiKey, revokeKey } from '../support/users';
import { expectGenuine, startReceiver } from '../support/webhooks';
import { waitFor } from '../support/wait';
import { buildCli, type Cli, type RunningCommand } from './support/cli';
import { buildWebhookCli } from './support/webhook-cli';

const setup = setUp(buildWebhookCli);
let cli: Cli;

// A merchant has no database and no setting, only the address of the service and a key.
beforeAll(async () => {
  cli = buildCli(undefined, {}).withInput(setup.api.test_key);
});

const service = (url = setup.api.service.origin): string[] => ['--api', url, '--key-stdin'];

/** Waits until the command has printed `count` lines. */
async function printed(running: RunningCommand, count: number) {
  const lines = await waitFor(() => running.lines().length >= count && running.lines());
  return lines.map((text) => JSON.parse(text) as Record<string, any>); // oxlint-disable-line typescript/no-explicit-any -- tests name its fields
}

describe('listen', () => {
  it('forwards each new event as it was delivered, signed with the secret that it prints', async () => {
    const receiver = await startReceiver();
    await setup.pay();
    const to = ['listen', '--forward-to', receiver.url, ...service()];
    const running = cli.start(...to, '--json');
    const [{ listening }] = (await printed(running, 1)) as [Record<string, any>]; // oxlint-disable-line typescript/no-explicit-any -- as above
    expect(listening).toEqual({
      user: setup.api.merchant.username,
      environment: 'sandbox',
      forward_to: receiver.url,
      after: 1,
      secret: expect.stringMatching(/^whsec_/) as string,
    });
    const ids = [await setup.pay({ description: 'a "brace" }]' }), await setup.pay()];
    const [, first, second] = await printed(running, 3);
    expect(first).toEqual({
      event_id: ids[0],
      type: 'payment.succeeded',
      sequence: listening.after + 1,
      created_at: expect.any(String) as string,
      reference: expect.stringMatching(/^TRX-/) as string,
      status: 200,
      error: null,
      duration_ms: expect.any(Number) as number,
    });
    expect(second).toMatchObject({ event_id: ids[1], sequence: listening.after + 2 });
    const { rows } = await setup.api.database.owner.raw(
      'select body from events where id = any(?) order by sequence',
      [ids],
    );
    expect(receiver.received.map(({ body }) => ({ body }))).toEqual(rows);
    for (const webhook of receiver.received) expectGenuine(webhook, listening.secret);
    expect(await running.interrupt()).toMatchObject({ status: 0, stderr: '' });
    // A receiver that knows the secret needs no other at the next start.
    const again = cli.start(...to, '--json');
    expect((await printed(again, 1))[0]).toMatchObject({
      listening: { after: 3, secret: listening.secret },
    });
    await again.interrupt();
  });

  it('starts after a sequence number, with a given secret, and prints what the receiver responds', async () => {
    const receiver = await startReceiver();
    receiver.answer = (_webhook, response) => response.writeHead(500).end();
    await setup.pay();
    const secret = makeWebhookSecret();
    const given = [...service(), '--after', '0', '--secret', secret];
    const running = cli.start('listen', '--forward-to', receiver.url, ...given);
    const lines = await waitFor(() => running.lines().length >= 3 && running.lines());
    expect(lines[2]).toMatch(
      /^\d\d:\d\d:\d\d {2}payment\.succeeded {2}#1 {2}5000\.00 XOF {2}\S{36} {2}→ {2}500 in \d+ ms$/,
    );
    expectGenuine(receiver.received[0]!, secret);
    await running.interrupt();
  });

  it('continues when the receiver is down', async () => {
    const url = `http://127.0.0.1:${await pickTestPort()}/`;
    const running = cli.start('listen', '--forward-to', url, ...service(), '--json');
    await printed(running, 1);
    await setup.pay();
    const [, down, hint] = await printed(running, 3);
    expect(down).toMatchObject({ status: null });
    expect(down!['error']).toContain('ECONNREFUSED');
    // The option brings the event again, to a receiver that runs by then.
    const again = `--after ${Number(down!['sequence']) - 1}`;
    expect(hint).toEqual({ warning: 'not_received', again });
    await setup.pay();
    // Said once.
    expect((await printed(running, 4))[3]).toMatchObject({ status: null });
    expect((await running.interrupt()).status).toBe(0);
  });

  it.each([
    ['does not answer', undefined],
    ['wants less to be asked', 429],
  ])('goes on once a service that %s does so again, and misses nothing', async (_name, status) => {
    const receiver = await startReceiver();
    let is_away = false;
    let refused = 0;
    const front = createServer((request, response) => {
      if (is_away) {
        refused += 1;
        if (status === undefined) return void response.destroy();
        return void response.writeHead(status).end('{"ok":false,"error":{"retryable":true}}');
      }
      const { authorization = '' } = request.headers;
      void fetch(setup.api.service.origin + request.url, { headers: { authorization } }).then(
        async (answer) => response.end(await answer.text()),
      );
    }).listen(0, '127.0.0.1');
    closeAfterFile(() => void front.close());
    await once(front, 'listening');
    const origin = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
    const running = cli.start('listen', '--forward-to', receiver.url, ...service(origin), '--json');
    await printed(running, 1);
    is_away = true;
    expect((await printed(running, 2))[1]).toEqual({ warning: 'api_unreachable' });
    const missed = await setup.pay();
    await waitFor(() => refused >= 2);
    is_away = false;
    // The warning came once.
    expect((await printed(running, 3))[2]).toMatchObject({ event_id: missed, status: 200 });
    expect((await running.interrupt()).status).toBe(0);
  });

  it('ends, and says why, when the key is revoked', async () => {
    const { api } = setup;
    const { id, key } = await buildApiKey(api.database.db, {
      user: api.merchant,
      environment: 'sandbox',
    });
    const to = ['listen', '--forward-to', 'http://127.0.0.1:2/', ...service()];
    await revokeKey(api.database.db, id);
    expect(await cli.withInput(key).fail(...to)).toEqual({
      code: 'unauthorized',
      message: expect.stringContaining('was revoked') as string,
    });
  });

  it.each([
    [['--forward-to', 'file:///etc/passwd']],
    [['--api', 'http://pay.example.com']],
    [['--api', 'https://merchant:key@pay.example.com']],
    [['--after', 'yesterday']],
    [['--secret', 'my-secret']],
  ])('refuses %j', async (options) => {
    const to = ['--forward-to', 'http://127.0.0.1:2/', ...service()];
    expect((await cli.fail('listen', ...to, ...options)).code).toBe('usage');
  });

  it('needs a key and a service when none runs here', async () => {
    const to = ['listen', '--forward-to', 'http://127.0.0.1:2/'];
    expect((await cli.fail(...to)).message).toContain('--key-stdin is required');
    expect((await cli.fail(...to, '--key-stdin')).message).toContain('--api is required');
  });
});
