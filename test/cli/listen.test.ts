import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeWebhookSecret } from '../../secrets/webhook-secret';
import { startTcpProxy, type TcpProxy } from '../api/support/tcp-proxy';
import { pickTestPort } from '../support/ports';
import { readStack } from '../support/stack';
import { expectGenuine, startReceiver } from '../support/webhooks';
import { waitFor } from '../support/wait';
import { buildCli, type Cli, type RunningCommand } from './support/cli';
import { buildWebhookCli, type WebhookCli } from './support/webhook-cli';

let setup: WebhookCli;
let cli: Cli;

beforeAll(async () => {
  setup = await buildWebhookCli();
  ({ cli } = setup);
});

const merchant = (): string[] => ['--user', setup.api.merchant.username];

/** Waits until the command has printed `count` lines. */
async function printed(running: RunningCommand, count: number) {
  const lines = await waitFor(() => running.lines().length >= count && running.lines());
  return lines.map((text) => JSON.parse(text) as Record<string, any>); // oxlint-disable-line typescript/no-explicit-any -- tests name its fields
}

describe('listen', () => {
  it('forwards each new event, signed with the secret that it prints, until it is interrupted', async () => {
    const receiver = await startReceiver();
    await setup.pay();
    const to = ['listen', '--forward-to', receiver.url, ...merchant()];
    const running = cli.start(...to, '--json');
    const [{ listening }] = (await printed(running, 1)) as [Record<string, any>]; // oxlint-disable-line typescript/no-explicit-any -- as above
    expect(listening).toEqual({
      user: setup.api.merchant.username,
      environment: 'sandbox',
      forward_to: receiver.url,
      after: expect.any(Number) as number,
      secret: expect.stringMatching(/^whsec_/) as string,
    });
    const ids = [await setup.pay(), await setup.pay()];
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
    expect(receiver.received.map(({ id }) => id)).toEqual(ids);
    for (const webhook of receiver.received) expectGenuine(webhook, listening.secret);
    expect(await running.interrupt()).toMatchObject({ status: 0, stderr: '' });
  });

  it('starts after a sequence number, with a given secret, and prints what the receiver responds', async () => {
    const receiver = await startReceiver();
    receiver.answer = (_webhook, response) => response.writeHead(500).end();
    await setup.pay();
    const secret = makeWebhookSecret();
    const given = [...merchant(), '--after', '0', '--secret-stdin'];
    const running = cli.withInput(secret).start('listen', '--forward-to', receiver.url, ...given);
    const lines = await waitFor(() => running.lines().length >= 3 && running.lines());
    expect(lines[0]).toBe(
      `Events of ${setup.api.merchant.username} (sandbox) go to ${receiver.url}, signed with the given secret`,
    );
    expect(lines[2]).toMatch(
      /^\d\d:\d\d:\d\d {2}payment\.succeeded {2}#1 {2}5000\.00 XOF {2}\S{36} {2}→ {2}500 in \d+ ms$/,
    );
    expectGenuine(receiver.received[0]!, secret);
    await running.interrupt();
  });

  it('continues when the receiver is down', async () => {
    const url = `http://127.0.0.1:${await pickTestPort()}/`;
    const running = cli.start('listen', '--forward-to', url, ...merchant(), '--json');
    await printed(running, 1);
    await setup.pay();
    const [, down, hint] = await printed(running, 3);
    expect(down).toMatchObject({ status: null });
    expect(down!['error']).toContain('ECONNREFUSED');
    // With it the event comes again, to a receiver that runs by then.
    const again = `--after ${Number(down!['sequence']) - 1}`;
    expect(hint).toEqual({ warning: 'not_received', again });
    await setup.pay();
    // Said once.
    expect((await printed(running, 4))[3]).toMatchObject({ status: null });
    expect((await running.interrupt()).status).toBe(0);
  });

  it('continues where the system is after a restart, also when its database has another port', async () => {
    const receiver = await startReceiver();
    const { app_url, operator_url } = setup.api.database;
    const url = new URL(app_url);
    const target = { host: url.hostname, port: Number(url.port) };
    const [before, after] = [await startTcpProxy(target), await startTcpProxy(target)];
    // As `npm start` writes them.
    const folder = mkdtempSync(join(readStack().folder, 'listen-'));
    const runAt = ({ port }: TcpProxy): void => {
      const at = (text: string): string => Object.assign(new URL(text), { port }).href;
      writeFileSync(join(folder, 'operator-database-url'), `${at(operator_url)}\n`);
      writeFileSync(join(folder, 'demo.json'), JSON.stringify({ database_url: at(app_url) }));
    };
    runAt(before);
    const demo_cli = buildCli(undefined, { DATA_DIRECTORY: folder });
    const running = demo_cli.start('listen', '--forward-to', receiver.url, ...merchant(), '--json');
    await printed(running, 1);
    const first = await setup.pay();
    expect((await printed(running, 2))[1]).toMatchObject({ event_id: first, status: 200 });
    rmSync(join(folder, 'demo.json'));
    await before.cut();
    expect((await printed(running, 3))[2]).toEqual({ warning: 'database_unreachable' });
    const missed = await setup.pay();
    runAt(after);
    expect((await printed(running, 4))[3]).toMatchObject({ event_id: missed, status: 200 });
    expect((await running.interrupt()).status).toBe(0);
  });

  it.each([
    [['--forward-to', 'file:///etc/passwd']],
    [['--after', 'yesterday']],
    [['--secret', 'my-secret']],
  ])('refuses %j', async (options) => {
    const to = ['--forward-to', 'http://127.0.0.1:9/', ...merchant()];
    expect((await cli.withInput('my-secret').fail('listen', ...to, ...options)).code).toBe('usage');
  });

  it('needs --user when no demo is running', async () => {
    const error = await cli.fail('listen', '--forward-to', 'http://127.0.0.1:9/');
    expect(error).toEqual({ code: 'usage', message: '--user is required' });
  });
});
