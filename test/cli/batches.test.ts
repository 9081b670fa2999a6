// The command line orders a file of payouts, watches it, lists, shows and cancels.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderProgress } from '../../cli/progress';
import { expectBooksHold } from '../support/books';
import { openSession, setUp } from '../support/database';
import { buildUser, fund } from '../support/users';
import { waitFor } from '../support/wait';
import { setUpMerchantCli } from './support/merchant-cli';

const { api, cli } = setUpMerchantCli();
const awa = setUp(() => buildUser(api.database.db));
let user: string[];

beforeAll(async () => {
  await fund(api.database.db, api.merchant.id, 'live', 'XOF', 1_000_000n);
  user = ['--user', api.merchant.username, '--environment', 'live'];
});

afterEach(() => expectBooksHold(api.database.db));

function fileOf(...lines: string[]): string {
  const path = join(mkdtempSync(join(tmpdir(), 'payouts-')), 'payouts.csv');
  writeFileSync(path, ['to_username,currency,amount', ...lines, ''].join('\n'));
  return path;
}

describe('batches', () => {
  it('create carries out a file, and show, list and items say what became of it', async () => {
    const file = fileOf(`${awa.username},XOF,5`, 'nobody-here,XOF,6', `${awa.username},XOF,7`);
    const { batch } = await cli.json('batches', 'create', '--file', file, ...user);
    expect(batch).toMatchObject({
      status: 'completed',
      total: 3,
      completed: 2,
      failed: 1,
      environment: 'live',
      username: api.merchant.username,
    });
    const shown = await cli.json('batches', 'show', batch.id);
    expect(shown.workflow.state).toMatch(/^(running|completed)$/);
    const { batches } = await cli.json('batches', 'list', ...user, '--status', 'completed');
    expect(batches[0].id).toBe(batch.id);
    const { transfers, next_cursor } = await cli.json('batches', 'items', batch.id, '--limit', '2');
    expect(transfers.map(({ status }: { status: string }) => status)).toEqual([
      'completed',
      'failed',
    ]);
    expect(next_cursor).toBe('1');
    const { stdout } = await cli.run('batches', 'items', batch.id, '--status', 'failed');
    expect(stdout).toContain('recipient_not_found');
    const transfer = await waitFor(async () => {
      const found = await cli.json('transfers', 'show', transfers[0].reference);
      return found.workflow.fault === null && found;
    });
    expect(transfer.workflow.id).toBe(shown.workflow.id);
    expect(transfer.transfer).toMatchObject({ batch_id: batch.id, idempotency_key: null });
    const audit = await cli.json('audit', 'list', '--limit', '1');
    expect(JSON.stringify(audit)).toContain('batches.create');
    // Not on a terminal: no progress bar.
    expect(await cli.fail('batches', 'cancel', batch.id)).toMatchObject({
      code: 'batch_not_cancelable',
    });
  });

  it('create with --dry-run moves nothing', async () => {
    const file = fileOf(`${awa.username},XOF,5`);
    const { batch } = await cli.json('batches', 'create', '--file', file, '--dry-run', ...user);
    expect(batch).toMatchObject({ status: 'completed', dry_run: true, completed: 1 });
  });

  it('create names each line that is wrong', async () => {
    const file = fileOf(`${awa.username},XOF,5`, `${awa.username},XOF,0`, `x,GBP,1`);
    const fault = await cli.fail('batches', 'create', '--file', file, ...user);
    expect(fault.code).toBe('invalid_file');
    expect(fault.message).toContain('payouts.csv:3: amount must be more than zero');
    expect(fault.message).toContain('payouts.csv:4: currency must be XOF, EUR or USD');
    const missing = await cli.fail('batches', 'create', '--file', '/nowhere.csv', ...user);
    expect(missing.code).toBe('file_unreadable');
  });

  it('create refuses what needs a second operator', async () => {
    await api.database.owner.raw(
      `update approval_limits set above_minor = 1000 where currency = 'XOF'`,
    );
    const file = fileOf(`${awa.username},XOF,5`, `${awa.username},XOF,6`);
    expect(await cli.fail('batches', 'create', '--file', file, ...user)).toMatchObject({
      code: 'approval_required',
    });
    await api.database.owner.raw(`update approval_limits set above_minor = null`);
  });

  it('cancel stops what is not posted', async () => {
    const session = await openSession(api.database.owner_url);
    await session.query('begin');
    await session.query('select 1 from ledger_accounts where user_id = $1 for update', [awa.id]);
    const file = fileOf(`${awa.username},XOF,5`);
    const args = ['batches', 'create', '--file', file, '--no-wait', ...user];
    await cli.json(...args);
    const { batch } = await cli.json(...args);
    expect(batch.status).toBe('processing');
    const again = await cli.run(...args, '--key', batch.idempotency_key);
    expect(again.stderr).toContain(`Idempotency key: ${batch.idempotency_key}\n`);
    expect(again.stderr).toContain('A batch was ordered with this key');
    const canceled = await cli.json('batches', 'cancel', batch.id);
    expect(canceled.batch).toMatchObject({ status: 'canceled', completed: 0 });
    await session.query('commit');
    await waitFor(async () => {
      const { batches } = await cli.json('batches', 'list', '--status', 'processing');
      return batches.length === 0;
    });
  });

  it('draws its progress', () => {
    expect(renderProgress(0, 200)).toBe(`[${'.'.repeat(40)}]   0 % 0/200`);
    expect(renderProgress(150, 200)).toBe(`[${'#'.repeat(30)}${'.'.repeat(10)}]  75 % 150/200`);
  });
});
