// Canceling a payout that waits at a provider whose answers are the test's.

import { decidePayout } from '../../use-cases/payouts/decide';
import type { OrderDependencies } from '../../use-cases/requests/dependencies';
import { beginCancelingPayout, getPayout } from '../../db/payouts/payouts';
import type { PayoutState } from '../../domain/payout';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, setUp } from '../support/database';
import { answerPayout, BY, orderedPayout } from '../support/payouts';
import { buildUser } from '../support/users';

const database = setUp(createTestDatabase);
const merchant = setUp(() => buildUser(database.db, { funds: { sandbox: { XOF: 10_000_000n } } }));

afterEach(() => expectBooksHold(database.db));

/** Cancels it, at a provider that says how far it is; no workflow runs. `meanwhile`: what happens before each answer. */
async function cancel(
  id: string,
  status: PayoutState['status'],
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<unknown> {
  const { db } = database;
  const cancelQueued = async () => {
    await meanwhile();
    return { status, provider_payment_id: `po_${id}` };
  };
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

it('about which the provider is asked meanwhile is canceled all the same', async () => {
  const id = await orderedPayout(database.db, merchant);
  await answerPayout(database.db, id, { status: 'queued' });
  let others = 0;
  const askToo = async (): Promise<void> => {
    others++;
    if (others === 1) await beginCancelingPayout(database.db, id, BY);
  };
  expect(await cancel(id, 'canceled', askToo)).toMatchObject({ status: 'canceled' });
  expect(others).toBe(2);
});

it('about which others ask at each moment is not known yet', async () => {
  const id = await orderedPayout(database.db, merchant);
  await answerPayout(database.db, id, { status: 'queued' });
  const askToo = () => beginCancelingPayout(database.db, id, BY);
  expect(await cancel(id, 'canceled', askToo)).toMatchObject({ code: 'unavailable' });
  expect(await cancel(id, 'canceled')).toMatchObject({ status: 'canceled' });
});

it('whose cancellation stood still for more than ten seconds does not ask the provider', async () => {
  const id = await orderedPayout(database.db, merchant);
  await answerPayout(database.db, id, { status: 'queued' });
  const asked = jest.fn();
  const now = performance.now();
  const clock = jest
    .spyOn(performance, 'now')
    .mockReturnValueOnce(now)
    .mockReturnValue(now + 10_001);
  const outcome = await cancel(id, 'canceled', asked).finally(() => clock.mockRestore());
  expect(outcome).toMatchObject({ code: 'unavailable' });
  expect(asked).not.toHaveBeenCalled();
  expect(await getPayout(database.db, id)).toMatchObject({ status: 'pending', stage: 'queued' });
});
