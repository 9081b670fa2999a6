// Canceling a payout that waits at a provider whose answers are the test's.

import { decidePayout } from '../../use-cases/payouts/decide';
import type { OrderDependencies } from '../../use-cases/requests/dependencies';
import { getPayout } from '../../db/payouts/payouts';
import type { PayoutState } from '../../domain/payout';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, setUp } from '../support/database';
import { answerPayout, BY, orderedPayout } from '../support/payouts';
import { buildUser } from '../support/users';

const database = setUp(createTestDatabase);
const merchant = setUp(() => buildUser(database.db, { funds: { sandbox: { XOF: 10_000_000n } } }));

afterEach(() => expectBooksHold(database.db));

/** Cancels it, at a provider that says how far it is; no workflow runs. */
async function cancel(id: string, status: PayoutState['status']): Promise<unknown> {
  const { db } = database;
  const cancelQueued = async () => ({ status, provider_payment_id: `po_${id}` });
  const closed = { allowsRequests: () => false };
  const dependencies = {
    db,
    breakers: { live: closed, sandbox: closed },
    payout_providers: { live: [], sandbox: [{ name: 'sandbox', cancelQueued }] },
  } as unknown as OrderDependencies;
  const options = { request_id: 'r', by: BY };
  return decidePayout(dependencies, await getPayout(db, id), { kind: 'cancel' }, options).catch(
    (error: unknown) => error,
  );
}

it('that is taken back a little later is not known yet, and no refusal', async () => {
  const id = await orderedPayout(database.db, merchant);
  await answerPayout(database.db, id, { status: 'queued' });
  expect(await cancel(id, 'queued')).toMatchObject({
    code: 'unavailable',
    message: 'It may have happened. Repeat the request.',
  });
  expect(await cancel(id, 'canceled')).toMatchObject({ status: 'canceled' });
});

it.each(['sent', 'succeeded'] as const)('that is %s by then is refused', async (status) => {
  const id = await orderedPayout(database.db, merchant);
  await answerPayout(database.db, id, { status: 'queued' });
  expect(await cancel(id, status)).toMatchObject({ code: 'payout_not_cancelable' });
});
