// A provider's payouts against ours, in both directions. What it says of a payout now, and our row does not, is not
// booked from the list: the payout's workflow asks the provider, as after a notification.

import type { Db } from '../../db/connect';
import { notePayoutNotice } from '../../db/payouts/payouts';
import {
  findRecordedPayouts,
  listRecordedPayouts,
  type PayoutAccount,
  type RecordedPayout,
} from '../../db/reconciliation/reconciled-payouts';
import type { CheckedTime } from '../../db/reconciliation/reconciliations';
import type { PayoutState } from '../../domain/payout';
import type { Finding } from '../../domain/reconciliation';
import type { ListedPayout, PayoutProvider, PayoutProviders } from '../../gateway/payout-port';
import type { Pursue } from '../../temporal/pursuits';
import { NotChecked, settledTime, type CheckRun } from './check-run';
import { everyPage, money, patiently, pause } from './gateway-calls';

export interface PayoutComparisonDependencies {
  readonly db: Db;
  readonly payout_providers: PayoutProviders;
  readonly pursue: Pursue;
  /** A payout that is younger is under way. */
  readonly reconcile_grace_ms: number;
}

export interface PayoutComparison {
  /** One piece of the time after the other. */
  compare(piece: CheckedTime): Promise<void>;
  /** Looks at last at those that were perhaps only about to be told. */
  compareDoubtful(): Promise<void>;
}

const PAGE = 1_000;
/** Asked for one at a time, when the provider's list does not have them, or says something else. */
const MOST_ASKED = 1_000;
/** A payout that has just changed is told within so long, or its notification was lost. */
const LONGEST_NEWS_MS = 60_000;

export function comparePayouts(
  { db, pursue, reconcile_grace_ms }: PayoutComparisonDependencies,
  provider: PayoutProvider,
  run: CheckRun,
): PayoutComparison {
  const account: PayoutAccount = { provider: provider.name, environment: provider.environment };
  const settled_before = Date.parse(run.time.to) - reconcile_grace_ms;
  const doubtful = new Set<string>();
  let listed_before = new Set<string>();
  let asked = 0;

  const find = (id: string): Promise<PayoutState | 'never_seen'> => {
    asked += 1;
    if (asked > MOST_ASKED) {
      throw new NotChecked(`the provider says something else of ${MOST_ASKED} payouts`);
    }
    return patiently(() => provider.find(id));
  };

  async function compareListed(payouts: readonly ListedPayout[]): Promise<void> {
    const ids = payouts.map(({ id }) => id);
    const recorded = await findRecordedPayouts(db, account, ids);
    for (const payout of payouts) {
      const row = recorded.get(payout.id);
      if (!row) {
        if (Date.parse(payout.created_at) < settled_before) await run.report(unordered(payout));
        continue;
      }
      await run.report(...differences(payout, row));
      if (!agree(payout.state, row)) doubtful.add(row.id);
    }
    run.count(payouts.length);
  }

  async function compareRecorded(rows: readonly RecordedPayout[]): Promise<void> {
    for (const row of rows) {
      const state = await find(row.id);
      if (state === 'never_seen') {
        const is_known = row.provider_payment_id !== null || row.status === 'succeeded';
        if (is_known) await run.report(unknownPayout(row));
      } else if (!agree(state, row)) doubtful.add(row.id);
    }
  }

  async function compareAgain(id: string): Promise<void> {
    const state = await find(id);
    const row = (await findRecordedPayouts(db, account, [id])).get(id);
    if (state === 'never_seen' || row === undefined || agree(state, row)) return;
    const detail = `${state.status} at the provider, ${row.status} here`;
    const finding = { kind: 'payout_status', reference: row.reference, detail } as const;
    await run.report({ ...finding, is_repaired: false });
    await notePayoutNotice(db, provider, id);
    await pursue('payout', [id]);
    await run.report({ ...finding, is_repaired: true });
  }

  return {
    async compare(piece) {
      const listed = new Set<string>();
      const list = (cursor?: string) => provider.list(piece, cursor);
      for await (const payouts of everyPage(list, run)) {
        for (const { id } of payouts) listed.add(id);
        await compareListed(payouts);
      }
      const settled = settledTime(piece, reconcile_grace_ms);
      for (let after: string | null | undefined = null; settled && after !== undefined;) {
        run.goOn();
        const rows = await listRecordedPayouts(db, account, settled, { after, limit: PAGE });
        await compareRecorded(rows.filter(({ id }) => !listed.has(id) && !listed_before.has(id)));
        after = rows.length < PAGE ? undefined : rows.at(-1)!.id;
      }
      listed_before = listed;
    },
    async compareDoubtful() {
      if (doubtful.size === 0) return;
      await pause(Math.min(reconcile_grace_ms, LONGEST_NEWS_MS));
      for (const id of doubtful) {
        run.goOn();
        await compareAgain(id);
      }
    },
  };
}

/** Whether our row knows what the provider says. What is under way in both its workflow follows. */
function agree({ status, paid, returned = 0n }: PayoutState, row: RecordedPayout): boolean {
  const is_open = row.status === 'pending';
  const is_given_back = row.status === 'failed' || row.status === 'canceled';
  const got = paid ?? row.amount_minor;
  switch (status) {
    case 'queued':
    case 'sent':
      return is_open;
    case 'succeeded':
      return is_given_back ? row.lost_minor === got : row.status === 'succeeded';
    case 'returned': {
      if (is_given_back) return row.lost_minor === (got > returned ? got - returned : 0n);
      const most = returned < row.amount_minor ? returned : row.amount_minor;
      return !is_open && row.returned_minor === most;
    }
    case 'failed':
    case 'canceled':
      return is_given_back ? row.lost_minor === 0n : row.status === 'returned';
  }
}

function unordered({
  id: reference,
  provider_payment_id,
  state,
  ...payout
}: ListedPayout): Finding {
  const amount = money(payout.amount_minor, payout.currency);
  const detail = `${amount}, ${provider_payment_id}, ${state.status}, begun ${payout.created_at}`;
  return { kind: 'payout_missing', reference, detail, is_repaired: false };
}

function differences(payout: ListedPayout, row: RecordedPayout): Finding[] {
  const { provider_payment_id: theirs } = payout;
  const ours = row.provider_payment_id ?? theirs;
  const is_same =
    BigInt(payout.amount_minor) === row.amount_minor &&
    payout.currency === row.currency &&
    theirs === ours;
  if (is_same) return [];
  const said = `${money(payout.amount_minor, payout.currency)} as ${theirs}`;
  const here = `${money(row.amount_minor, row.currency)} as ${ours}`;
  const detail = `${said} at the provider, ${here} here`;
  return [{ kind: 'payout_differs', reference: row.reference, detail, is_repaired: false }];
}

function unknownPayout({ reference, status, ...row }: RecordedPayout): Finding {
  const amount = money(row.amount_minor, row.currency);
  const detail = `${amount} as ${row.provider_payment_id ?? 'none'}, ${status} here`;
  return { kind: 'payout_unknown', reference, detail, is_repaired: false };
}
