import { listAuditRows } from '../../db/operators/audit';
import { setUp } from '../support/database';
import { startTestApi } from '../support/api';
import { request } from '../support/http';
import { actAt, setFaults } from '../support/sandbox-gateway';
import { buildApiKey, buildUser, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import { parseLine, type Cli } from './support/cli';
import { buildMerchantCli } from './support/merchant-cli';

const NOWHERE = '127.0.0.1:1';

const api = setUp(startTestApi);
let cli: Cli;
let merchant: TestUser;
let key: string;

beforeAll(async () => {
  cli = buildMerchantCli(api);
});

beforeEach(async () => {
  merchant = await buildUser(api.database.db);
  ({ key } = await buildApiKey(api.database.db, { user: merchant, environment: 'sandbox' }));
});

const freeze = (...options: string[]): string[] => [
  `users freeze --user ${merchant.username} --reason stolen-card`,
  ...options,
];

async function open(): Promise<{ id: string; reference: string; checkout_url: string }> {
  const { status, json } = await api.create({}, { key });
  expect(status).toBe(201);
  return json;
}

const statusOf = async (id: string): Promise<string> =>
  (await cli.json('intents', 'show', id)).intent.status;

const me = () => request(api.service, 'GET', '/me', { key });

describe('users freeze', () => {
  it('freezes at once, shows since when and why, and names its actor in the audit log', async () => {
    const frozen = await cli.json(...freeze('--actor', 'awa'));
    expect(frozen).toEqual({
      username: merchant.username,
      frozen_at: expect.stringMatching(/Z$/),
      changed: true,
    });
    expect((await me()).json.error.code).toBe('account_frozen');
    const shown = await cli.json('users', 'show', '--user', merchant.username);
    expect(shown).toMatchObject({
      username: merchant.username,
      frozen_at: frozen.frozen_at,
      frozen_reason: 'stolen-card',
    });
    expect(shown).not.toHaveProperty('password_hash');
    const { users } = await cli.json('users', 'list');
    expect(users).toContainEqual(shown);
    expect((await cli.run('users', 'show', '--user', merchant.username)).stdout).toContain(
      'stolen-card',
    );
    expect(await cli.json(...freeze())).toEqual({ ...frozen, changed: false });
    const { username } = merchant;
    expect(
      await listAuditRows(api.database.owner, { username, action: 'users.freeze' }, 10),
    ).toMatchObject([
      { actor: 'awa', action: 'users.freeze', details: { username, reason: 'stolen-card' } },
    ]);
  });

  it('is undone by users unfreeze', async () => {
    await cli.json(...freeze());
    const unfreeze = ['users', 'unfreeze', '--user', merchant.username, '--reason', 'found'];
    const state = { username: merchant.username, frozen_at: null };
    expect(await cli.json(...unfreeze)).toEqual({ ...state, changed: true });
    expect((await me()).status).toBe(200);
    expect(await cli.json(...unfreeze)).toEqual({ ...state, changed: false });
  });
});

describe('users freeze --close-links', () => {
  it('cancels the open links', async () => {
    const links = [await open(), await open(), await open()];
    const paid = await open();
    await actAt(paid.checkout_url, 'pay');
    await waitFor(async () => (await statusOf(paid.id)) === 'succeeded');
    const closed = await cli.json(...freeze('--close-links'));
    expect(closed).toMatchObject({ changed: true, links_closed: 3, links_open: [] });
    for (const { id } of links) expect(await statusOf(id)).toBe('canceled');
    expect(await cli.json(...freeze('--close-links'))).toMatchObject({
      changed: false,
      links_closed: 0,
      links_open: [],
    });
  });

  it('lists what cannot be cancelled with its reason, exits with 1, and may be repeated', async () => {
    const [pending, stuck] = [await open(), await open()];
    await api.notify(pending, { type: 'payment.pending' });
    await waitFor(async () => (await statusOf(pending.id)) === 'processing');
    await setFaults(api.gateway, 'sandbox', { fail: '5xx', only: 'close' });
    const first = await cli.run(...freeze('--close-links'), '--json');
    await setFaults(api.gateway, 'sandbox', {});
    expect([first.status, first.stderr]).toEqual([1, '']);
    const result = parseLine(first.stdout) as { links_open: { reference: string }[] };
    const byReference = (one: { reference: string }, other: { reference: string }): number =>
      one.reference < other.reference ? -1 : 1;
    expect(result).toMatchObject({ changed: true, links_closed: 0 });
    expect(result.links_open.toSorted(byReference)).toMatchObject(
      [
        { reference: pending.reference, status: 'processing', code: 'intent_not_cancelable' },
        { reference: stuck.reference, status: 'open', code: 'gateway_unreachable' },
      ].toSorted(byReference),
    );
    const again = await cli.run(...freeze('--close-links'));
    expect(again.status).toBe(1);
    expect(again.stdout).toContain('Payment links closed: 1.');
    expect(again.stdout).toContain(pending.reference);
    expect(again.stdout).not.toContain(stuck.reference);
    expect(await statusOf(stuck.id)).toBe('canceled');
  });

  it('freezes also when Temporal is away, and says that the links are open', async () => {
    const { id } = await open();
    const alone = buildMerchantCli(api, { TEMPORAL_ADDRESS: NOWHERE });
    const { status, stdout } = await alone.run(...freeze('--close-links'), '--json');
    expect(status).toBe(1);
    expect(parseLine(stdout)).toMatchObject({
      changed: true,
      links_closed: 0,
      links_open: [{ id, code: 'temporal_unreachable' }],
    });
    expect((await me()).status).toBe(403);
    expect(await statusOf(id)).toBe('open');
  });
});
