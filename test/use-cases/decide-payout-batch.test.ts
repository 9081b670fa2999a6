// Repeated decisions about a payout batch that was canceled meanwhile; no workflow runs.

import { getPayoutBatch } from '../../db/payout-batches/payout-batches';
import { decidePayoutBatch, type PayoutBatchDecision } from '../../use-cases/payout-batches/decide';
import type { OrderDependencies } from '../../use-cases/requests/dependencies';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, setUp } from '../support/database';
import { buildItem, createSteps, orderedBatch } from '../support/payout-batches';
import { BY } from '../support/payouts';
import { addMember, buildUser } from '../support/users';

const database = setUp(createTestDatabase);
const merchant = setUp(() => buildUser(database.db, { funds: { sandbox: { XOF: 10_000_000n } } }));

afterEach(() => expectBooksHold(database.db));

async function decide(id: string, decision: PayoutBatchDecision): Promise<unknown> {
  const { db } = database;
  const closed = { allowsRequests: () => false };
  const dependencies = {
    db,
    breakers: { live: closed, sandbox: closed },
  } as unknown as OrderDependencies;
  const batch = await getPayoutBatch(db, id);
  return decidePayoutBatch(dependencies, batch, decision, { request_id: 'r', by: BY }).catch(
    (error: unknown) => error,
  );
}

/** Its destinations are looked at. */
async function ordered(): Promise<string> {
  const items = [buildItem('100'), buildItem('004')];
  const id = await orderedBatch(database.db, merchant, items, { confirm: false });
  await createSteps(database.db).run(id);
  return id;
}

describe('a repeated decision', () => {
  it('is no confirmation of a batch that was confirmed, and canceled since', async () => {
    const id = await ordered();
    const confirm = { kind: 'confirm', exclude: ['no_match'] } as const;
    expect(await decide(id, confirm)).toMatchObject({ status: 'processing' });
    // Repeated as it was it changes nothing; another one would leave out something else.
    expect(await decide(id, confirm)).toMatchObject({ status: 'processing' });
    const other = { kind: 'confirm', exclude: [] } as const;
    const refused = { code: 'payout_batch_not_confirmable' };
    expect(await decide(id, other)).toMatchObject(refused);
    expect(await decide(id, { kind: 'cancel' })).toMatchObject({ status: 'canceled' });
    expect(await decide(id, { kind: 'cancel' })).toMatchObject({ status: 'canceled' });
    expect(await decide(id, confirm)).toMatchObject(refused);
  });

  it('is no approval of a batch that was approved, and canceled since', async () => {
    const approving = { user_id: merchant.id, currency: 'XOF', approval_above_minor: 0 };
    await database.owner('payout_settings').insert({ ...approving, approvers: 1 });
    const id = await ordered();
    const login_id = await addMember(database, merchant, 'owner');
    const approve = { kind: 'approve', login_id } as const;
    expect(await decide(id, approve)).toMatchObject({ status: 'requires_confirmation' });
    expect(await decide(id, approve)).toMatchObject({ status: 'requires_confirmation' });
    expect(await decide(id, { kind: 'cancel' })).toMatchObject({ status: 'canceled' });
    expect(await decide(id, approve)).toMatchObject({ code: 'payout_batch_not_approvable' });
  });
});
