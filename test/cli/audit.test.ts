// Every command that changes something leaves one row in the audit log, with its operator and without
// a secret; the others leave none. `audit list` shows them.

import { addAuditRow, listAuditRows } from '../../db/operators/audit';
import { buildMerchantCli, setUpMerchantCli } from './support/merchant-cli';

const { api, cli } = setUpMerchantCli();

interface Row {
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly details: Record<string, unknown>;
}

/** Runs a command with success and returns what it printed and the rows that it left, oldest first. */
async function rowsOf(
  ...args: string[]
  // oxlint-disable-next-line typescript/no-explicit-any -- tests name its fields
): Promise<{ json: any; rows: Row[]; text: string }> {
  const newest = async () => (await listAuditRows(api.database.db, {}, 1))[0]?.id ?? 0n;
  const before = await newest();
  const { status, stdout, stderr } = await cli.withInput(`${PASSWORD}\n`).run(...args, '--json');
  expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: '' });
  const rows = (await listAuditRows(api.database.db, {}, 100)).filter(({ id }) => id > before);
  return { json: JSON.parse(stdout), rows: rows.reverse(), text: JSON.stringify(rows, textOf) };
}

const textOf = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? value.toString() : value;

const PASSWORD = 'canary-of-the-password';
const URL_TOKEN = 'canary-of-the-url';

describe('a command that changes something', () => {
  it('leaves one row with its operator, in users, identity checks, keys and wallets', async () => {
    const username = 'moussa';
    const user = ['--user', username];
    const created = await rowsOf(
      'users create --username moussa --email moussa@example.com --password-stdin --country SN',
    );
    expect(created.rows).toMatchObject([
      { actor: 'awa', action: 'users.create', subject: 'user/moussa', details: { username } },
    ]);
    const approved = await rowsOf('kyc', 'approve', ...user, '--actor', 'binta@example.com');
    expect(approved.rows).toMatchObject([
      {
        actor: 'binta@example.com',
        action: 'kyc.approve',
        subject: 'user/moussa',
        details: { username, before: 'not_started', after: 'approved' },
      },
    ]);
    const key = await rowsOf('keys', 'create', ...user, '--environment', 'live');
    expect(key.rows).toMatchObject([
      { action: 'keys.create', subject: `key/${key.json.id}`, details: { username } },
    ]);
    const changed = await rowsOf('keys', 'update', key.json.id, '--scope', 'read');
    expect(changed.rows).toMatchObject([
      { action: 'keys.update', details: { username, scopes: ['read'], environment: 'live' } },
    ]);
    const rotated = await rowsOf('keys', 'rotate', key.json.id);
    expect(rotated.rows).toMatchObject([
      { action: 'keys.rotate', details: { username, new_key: rotated.json.id } },
    ]);
    const revoked = await rowsOf('keys', 'revoke', rotated.json.id);
    expect(revoked.rows).toMatchObject([{ action: 'keys.revoke', details: { username } }]);
    const credit =
      'wallets credit --user moussa --currency EUR --amount 25 --environment live --reference BANK-0001';
    expect((await rowsOf(credit)).rows).toMatchObject([
      { action: 'wallets.credit', subject: 'wallet/moussa/live/EUR', details: { amount: '25.00' } },
    ]);
    expect((await rowsOf('kyc', 'reject', ...user)).rows).toMatchObject([{ action: 'kyc.reject' }]);
    // A repetition that changes nothing.
    expect((await rowsOf(credit)).rows).toEqual([]);
    expect((await rowsOf('keys', 'revoke', rotated.json.id)).rows).toEqual([]);
    const { audit_rows } = await cli.json('audit', 'list', ...user);
    expect(audit_rows).toHaveLength(8);
    const texts = [created, approved, key, rotated, revoked].map(({ text }) => text).join();
    for (const secret of [PASSWORD, key.json.key, rotated.json.key]) {
      expect(texts).not.toContain(secret);
    }
  });

  it('leaves one row in webhooks, payment intents and notifications', async () => {
    const username = api.merchant.username;
    const at = ['--user', username, '--environment', 'test'];
    const url = `http://127.0.0.1:9/${URL_TOKEN}`;
    const created = await rowsOf('webhooks', 'create', ...at, '--url', url);
    const id = created.json.id as string;
    const subject = `webhook_endpoint/${id}`;
    const details = { username, environment: 'sandbox' };
    expect(created.rows).toMatchObject([{ action: 'webhooks.create', subject, details }]);
    const texts = [created.text];
    const expectRow = async (action: string, ...args: string[]): Promise<void> => {
      const { rows, text } = await rowsOf(...action.split('.'), ...args);
      texts.push(text);
      expect(rows).toMatchObject([{ actor: 'awa', action, details }]);
    };
    await expectRow('webhooks.update', id, '--url', `${url}/more`);
    await expectRow('webhooks.test', id);
    const rotated = await rowsOf('webhooks', 'rotate-secret', id);
    expect(rotated.rows).toMatchObject([{ action: 'webhooks.rotate-secret', subject, details }]);
    expect((await rowsOf('webhooks', 'reseal')).rows).toEqual([]);
    const { json: intent } = await api.create();
    const notify = ['--intent', intent.id, '--type', 'payment.pending'];
    await expectRow('gateway.notify', ...notify);
    const { json: other } = await api.create();
    await expectRow('intents.cancel', other.id);
    await expectRow('webhooks.delete', id);
    for (const secret of [URL_TOKEN, created.json.secret, rotated.json.secret]) {
      expect(texts.join() + rotated.text).not.toContain(secret);
    }
  });

  it('leaves none when it is refused', async () => {
    const { rows } = await rowsOf('users', 'list');
    expect(rows).toEqual([]);
    const before = await listAuditRows(api.database.db, {}, 1_000);
    await cli.fail('kyc', 'approve', '--user', 'nobody-at-all');
    await cli.fail('users', 'list', '--actor', 'a name in words');
    expect(await listAuditRows(api.database.db, {}, 1_000)).toEqual(before);
  });
});

describe("the application's role", () => {
  it('lists, but changes nothing, and the refusal says what to set', async () => {
    const plain = buildMerchantCli(api, { OPERATOR_DATABASE_URL: '' });
    expect((await plain.json('users', 'list')).users).not.toEqual([]);
    const refused = await plain.fail('kyc', 'reject', '--user', api.merchant.username);
    expect(refused.code).toBe('operator_role_required');
    expect(refused.message).toContain('OPERATOR_DATABASE_URL');
  });
});

describe('audit list', () => {
  const BY = ['audit', 'list', '--by', 'lister'];

  beforeAll(async () => {
    for (const subject of ['user/one', 'user/two', 'user/three']) {
      const details = { reason: 'line\nbreak \u009b' };
      await api.database.owner.transaction((tx) =>
        addAuditRow(tx, { actor: 'lister', action: 'kyc.approve', subject, details }),
      );
    }
  });

  it('shows the rows newest first, page by page', async () => {
    const first = await cli.json(...BY, '--limit', '2');
    const [newest, next] = first.audit_rows;
    expect(newest).toEqual({
      id: next.id + 1,
      at: expect.any(String) as string,
      actor: 'lister',
      database_role: 'postgres',
      action: 'kyc.approve',
      subject: 'user/three',
      details: { reason: 'line\nbreak \u009b' },
    });
    expect([next.subject, first.next_cursor]).toEqual(['user/two', String(next.id)]);
    const second = await cli.json(...BY, '--limit', '2', '--cursor', first.next_cursor);
    expect(second).toMatchObject({ audit_rows: [{ subject: 'user/one' }], next_cursor: null });
    // No page follows the last one, also when that is full.
    expect(await cli.json(...BY, '--limit', '3')).toMatchObject({ next_cursor: null });
    const { stdout } = await cli.run(...BY, '--limit', '2');
    expect(stdout).toMatch(/^ID +AT +ACTOR +ACTION +SUBJECT +DETAILS\n.*user\/three.*\n.*two.*\n/);
    expect(stdout).toContain(`More: --cursor ${next.id}`);
    expect(stdout).not.toContain('\u009b');
  });

  it('takes filters', async () => {
    const found = async (...filters: string[]): Promise<unknown> =>
      (await cli.json(...BY, ...filters)).audit_rows.map(
        ({ subject }: { subject: string }) => subject,
      );
    expect(await found('--user', 'TWO')).toEqual(['user/two']);
    expect(await found('--subject', 'user/one')).toEqual(['user/one']);
    expect(await found('--action', 'kyc.reject')).toEqual([]);
    expect(await found('--since', '2026-01-01')).toHaveLength(3);
    expect(await found('--since', '9999-01-01')).toEqual([]);
    for (const wrong of ['--since yesterday', '--cursor x']) {
      expect((await cli.fail(`audit list ${wrong}`)).code).toBe('usage');
    }
  });
});
