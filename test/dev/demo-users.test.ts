// The people of `npm start`, where every amount needs a second operator.

import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { findUserByName } from '../../db/accounts/users';
import { listWallets } from '../../db/ledger/wallets';
import { listApprovals } from '../../db/operators/approvals';
import { migrate } from '../../db/schema/migrate';
import { seedDemoUsers } from '../../dev/demo-users';
import { expectBooksHold } from '../support/books';
import { createTestDatabase } from '../support/database';
import { readStack } from '../support/stack';

it('have their funds, which one operator requested and the other approved', async () => {
  const database = await createTestDatabase();
  const { app_role, operator_role, folder } = readStack();
  await migrate({
    owner_url: database.owner_url,
    app_role,
    operator_role,
    approval_above: { XOF: 0n, EUR: 0n, USD: 0n },
  });
  const seeding = { db: database.operator, actor: 'demo' };
  const users = await seedDemoUsers(seeding, mkdtempSync(join(folder, 'demo-')));
  expect(users.map(({ username }) => username)).toEqual([
    'merchant',
    'customer',
    'operator',
    'supervisor',
  ]);
  const { id } = (await findUserByName(database.db, 'merchant'))!;
  const wallets = await listWallets(database.db, id, 'live');
  expect(wallets.map(({ currency, balance_minor }) => [currency, balance_minor])).toEqual([
    ['XOF', 500_000_000n],
    ['EUR', 5_000_000n],
    ['USD', 5_000_000n],
  ]);
  expect(await listApprovals(database.operator, false, 10)).toEqual([]);
  const { rows } = await database.owner.raw(
    'select email from logins where is_operator order by 1',
  );
  expect(rows).toEqual([{ email: 'operator@example.com' }, { email: 'supervisor@example.com' }]);
  await expectBooksHold(database.db);
});
