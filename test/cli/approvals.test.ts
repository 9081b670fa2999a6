// Two operators at the command line: what one requests, another approves.

import { limitOperators } from '../support/database';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import { buildUser } from '../support/users';
import { setUpMerchantCli } from './support/merchant-cli';

const { api, cli } = setUpMerchantCli();

beforeAll(() => limitOperators(api.database, 0n));

afterEach(() => expectBooksHold(api.database.db));

type Item = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- tests name its fields

/** The message of a command whose effect needs a second operator names the request. */
async function requestBy(actor: string, ...args: string[]): Promise<string> {
  const { code, message } = await cli.fail(...args, '--actor', actor);
  expect(code).toBe('approval_required');
  return /approvals approve ([0-9a-f-]{36})/.exec(message)![1]!;
}

const approve = (id: string, actor: string): Promise<Item> =>
  cli.json('approvals', 'approve', id, '--actor', actor) as Promise<Item>;

const credit = (reference: string): string =>
  `wallets credit --user ${api.merchant.username} --environment live --currency XOF` +
  ` --amount 2500 --reference ${reference} --reason cheque-17`;

describe('a credit above the limit', () => {
  it('waits for another operator, is listed, and is credited once', async () => {
    const balance = (): Promise<bigint> => balanceOf(api.database.db, api.merchant);
    const before = await balance();
    const id = await requestBy('awa', credit('CHEQUE-0017'));
    const { approvals } = (await cli.json('approvals', 'list')) as { approvals: Item[] };
    expect(approvals.find((one) => one['id'] === id)).toMatchObject({
      action: 'wallets.credit',
      status: 'waiting',
      amount: 2500,
      requested_by: 'awa',
      reason: 'cheque-17',
      username: api.merchant.username,
    });
    const own = await cli.fail('approvals', 'approve', id, '--actor', 'AWA');
    expect(own.code).toBe('same_operator');
    expect(await balance()).toBe(before);

    expect(await approve(id, 'moussa')).toMatchObject({ status: 'approved', decided_by: 'moussa' });
    expect(await approve(id, 'moussa')).toMatchObject({ status: 'approved' });
    expect(await balance()).toBe(before + 250_000n);
    // The command that asked for it, repeated, has its result.
    const repeated = await cli.json(credit('CHEQUE-0017'), '--actor', 'awa');
    expect(repeated).toMatchObject({ repeated: true, amount: 2500 });
    expect(await balance()).toBe(before + 250_000n);
  });
});

describe('an operator', () => {
  it('is made and unmade by a role, on record', async () => {
    const { username } = await buildUser(api.database.db);
    const change = (word: string): Promise<Item> =>
      cli.json('users', word, '--user', username, '--role', 'operator') as Promise<Item>;
    expect(await change('grant')).toMatchObject({ is_operator: true, changed: true });
    expect(await change('grant')).toMatchObject({ changed: false });
    expect(await change('revoke-role')).toMatchObject({ is_operator: false, changed: true });
    const { audit_rows } = (await cli.json('audit', 'list', '--user', username)) as {
      audit_rows: Item[];
    };
    const actions = audit_rows.map((row) => row['action'] as string);
    expect(actions.slice(0, 2)).toEqual(['users.revoke-role', 'users.grant']);
    const wrong = await cli.fail('users', 'grant', '--user', username, '--role', 'owner');
    expect(wrong.code).toBe('usage');
    const unknown = await cli.fail('users', 'grant', '--user', 'nobody', '--role', 'operator');
    expect(unknown.code).toBe('user_not_found');
  });
});
