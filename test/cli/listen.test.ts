import { makeWebhookSecret } from '../../secrets/webhook-secret';
import { pickTestPort } from '../support/ports';
import { expectGenuine, startReceiver } from '../support/webhooks';
import { waitFor } from '../support/wait';
import { BUILD_LIMIT_MS, type CommandLine, type Going } from './support/command-line';
import { openWebhookLine, type WebhookLine } from './support/webhook-line';

let line: WebhookLine;
let cli: CommandLine;

beforeAll(async () => {
  line = await openWebhookLine();
  ({ cli } = line);
}, BUILD_LIMIT_MS);

const merchant = (): string[] => ['--user', line.shop.merchant.username];

/** Its lines, once there are so many. */
async function said(going: Going, count: number) {
  const lines = await waitFor(() => going.lines().length >= count && going.lines());
  return lines.map((text) => JSON.parse(text) as Record<string, any>); // oxlint-disable-line typescript/no-explicit-any -- tests name its fields
}

describe('listen', () => {
  it('forwards each new event, signed with the secret that it says, until it is interrupted', async () => {
    const receiver = await startReceiver();
    await line.pay();
    const to = ['listen', '--forward-to', receiver.url, ...merchant()];
    const going = cli.start(...to, '--json');
    const [{ listening }] = (await said(going, 1)) as [Record<string, any>]; // oxlint-disable-line typescript/no-explicit-any -- as above
    expect(listening).toEqual({
      user: line.shop.merchant.username,
      environment: 'sandbox',
      forward_to: receiver.url,
      after: expect.any(Number) as number,
      secret: expect.stringMatching(/^whsec_/) as string,
    });
    const ids = [await line.pay(), await line.pay()];
    const [, first, second] = await said(going, 3);
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
    expect(await going.interrupt()).toMatchObject({ status: 0, stderr: '' });
  });

  it('begins after a sequence, with a secret of yours, and says what a receiver answers', async () => {
    const receiver = await startReceiver();
    receiver.answer = (_webhook, response) => response.writeHead(500).end();
    await line.pay();
    const secret = makeWebhookSecret();
    const given = [...merchant(), '--after', '0', '--secret', secret];
    const going = cli.start('listen', '--forward-to', receiver.url, ...given);
    const lines = await waitFor(() => going.lines().length >= 3 && going.lines());
    expect(lines[0]).toBe(
      `Events of ${line.shop.merchant.username} (sandbox) go to ${receiver.url}, signed with ${secret}`,
    );
    expect(lines[2]).toMatch(
      /^\d\d:\d\d:\d\d {2}payment\.succeeded {2}#1 {2}5000\.00 XOF {2}\S{36} {2}→ {2}500 in \d+ ms$/,
    );
    expectGenuine(receiver.received[0]!, secret);
    await going.interrupt();
  });

  it('goes on when the receiver is down', async () => {
    const url = `http://127.0.0.1:${await pickTestPort()}/`;
    const going = cli.start('listen', '--forward-to', url, ...merchant(), '--json');
    await said(going, 1);
    await line.pay();
    const [, down] = await said(going, 2);
    expect(down).toMatchObject({ status: null });
    expect(down!['error']).toContain('ECONNREFUSED');
    await line.pay();
    await said(going, 3);
    expect((await going.interrupt()).status).toBe(0);
  });

  it.each([
    [['--forward-to', 'file:///etc/passwd']],
    [['--after', 'yesterday']],
    [['--secret', 'my-secret']],
    [['--environment', 'production']],
  ])('refuses %j', async (options) => {
    const to = ['--forward-to', 'http://127.0.0.1:9/', ...merchant()];
    expect((await cli.fail('listen', ...to, ...options)).code).toBe('usage');
  });

  it('needs a user where no demo runs', async () => {
    const error = await cli.fail('listen', '--forward-to', 'http://127.0.0.1:9/');
    expect(error).toEqual({ code: 'usage', message: '--user is required' });
  });
});
