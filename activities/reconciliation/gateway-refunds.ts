// A gateway's refunds against ours, in both directions. What the gateway says of a refund now, and
// its row does not, is not booked from the list: the refund's workflow asks the gateway, as after a
// notification.

import type { Db } from '../../db/connect';
import {
  findBookedPayments,
  findRecordedRefunds,
  hasUnansweredRefund,
  listRecordedRefunds,
  type GatewayAccount,
  type RecordedRefund,
} from '../../db/reconciliation/reconciled-payments';
import type { CheckedTime } from '../../db/reconciliation/reconciliations';
import { notePaymentRefundNotice } from '../../db/refunds/refunds';
import { noteRefundNotice } from '../../db/suspense/suspense';
import { GatewayError } from '../../domain/gateway-error';
import type { ListedRefund, RefundState } from '../../domain/payment';
import type { Finding } from '../../domain/reconciliation';
import type { Gateway } from '../../gateway/port';
import type { Pursue } from '../../temporal/pursuits';
import { NotChecked, settledTime, type CheckRun } from './check-run';
import { everyPage, money, patiently, pause } from './gateway-calls';

export interface RefundComparisonDependencies {
  readonly db: Db;
  readonly pursue: Pursue;
  /** A payout that is younger is under way. */
  readonly reconcile_grace_ms: number;
}

export interface RefundComparison {
  /** One piece of the time after the other. */
  compare(piece: CheckedTime): Promise<void>;
  /** Looks at last at those that were perhaps only about to be told. */
  compareDoubtful(): Promise<void>;
}

const PAGE = 1_000;
/** Asked for one at a time, when the gateway's list does not have them, or says something else. */
const MOST_ASKED = 1_000;
/** A refund that has just changed is told within so long, or its notification was lost. */
const LONGEST_NEWS_MS = 60_000;

interface Doubtful {
  readonly refund_id: string;
  readonly provider_payment_id: string;
}

export function compareRefunds(
  dependencies: RefundComparisonDependencies,
  gateway: Gateway,
  run: CheckRun,
): RefundComparison {
  const { db, reconcile_grace_ms } = dependencies;
  const account: GatewayAccount = { gateway: gateway.name, environment: gateway.environment };
  const settled_before = Date.parse(run.time.to) - reconcile_grace_ms;
  const doubtful: Doubtful[] = [];
  let listed_before = new Set<string>();
  let asked = 0;

  const countAsked = (): void => {
    asked += 1;
    if (asked > MOST_ASKED) {
      throw new NotChecked(`the gateway says something else of ${MOST_ASKED} refunds`);
    }
  };

  async function compareListed(refunds: readonly ListedRefund[]): Promise<void> {
    const payments = [...new Set(refunds.map((one) => one.provider_payment_id))];
    const booked = await findBookedPayments(db, account, payments);
    // Others use the account too: only refunds of our payments are ours.
    const ours = refunds.filter(({ provider_payment_id: id }) => booked.has(id));
    const recorded = await findRecordedRefunds(db, account, payments);
    for (const refund of ours) {
      const row = recorded.get(refund.refund_id);
      if (!row) {
        if (Date.parse(refund.created_at) < settled_before) await reportUnordered(refund);
        continue;
      }
      await run.report(...differences(refund, row));
      if (!agree(refund.status, row.status)) doubtful.push(refund);
    }
    run.count(ours.length);
  }

  async function reportUnordered(refund: ListedRefund): Promise<void> {
    const { refund_id: reference, provider_payment_id, created_at, status } = refund;
    // The answer to our order was lost: its workflow asks again.
    if (await hasUnansweredRefund(db, account, provider_payment_id)) return;
    const amount = money(refund.amount_minor, refund.currency);
    const detail = `${amount} of ${provider_payment_id}, ${status}, made ${created_at}`;
    await run.report({ kind: 'refund_missing', reference, detail, is_repaired: false });
  }

  async function compareRecorded(rows: readonly RecordedRefund[]): Promise<void> {
    for (const row of rows) {
      countAsked();
      const state = await findState(gateway, row.refund_id);
      if (state === undefined) await run.report(unknownRefund(row));
      else if (!agree(state.status, row.status)) doubtful.push(row);
    }
  }

  async function compareAgain({ refund_id, provider_payment_id }: Doubtful): Promise<void> {
    countAsked();
    const state = await findState(gateway, refund_id);
    const row = (await findRecordedRefunds(db, account, [provider_payment_id])).get(refund_id);
    if (state === undefined || row === undefined || agree(state.status, row.status)) return;
    const detail = `${row.reference}: ${state.status} at the gateway, ${row.status} here`;
    const finding = { kind: 'refund_status', reference: refund_id, detail } as const;
    await run.report({ ...finding, is_repaired: false });
    const is_asked = await askAgain(dependencies, account, { refund_id, provider_payment_id });
    if (is_asked) await run.report({ ...finding, is_repaired: true });
  }

  return {
    async compare(piece) {
      const listed = new Set<string>();
      const list = (cursor?: string) => gateway.listRefunds(piece, cursor);
      for await (const refunds of everyPage(list, run)) {
        for (const { refund_id } of refunds) listed.add(refund_id);
        await compareListed(refunds);
      }
      const settled = settledTime(piece, reconcile_grace_ms);
      for (let after: string | undefined = ''; settled && after !== undefined;) {
        run.goOn();
        const rows = await listRecordedRefunds(db, account, settled, { after, limit: PAGE });
        await compareRecorded(
          rows.filter(({ refund_id: id }) => !listed.has(id) && !listed_before.has(id)),
        );
        after = rows.length < PAGE ? undefined : rows.at(-1)!.refund_id;
      }
      listed_before = listed;
    },
    async compareDoubtful() {
      if (doubtful.length === 0) return;
      await pause(Math.min(reconcile_grace_ms, LONGEST_NEWS_MS));
      for (const one of doubtful) {
        run.goOn();
        await compareAgain(one);
      }
    },
  };
}

/** Undefined when the gateway does not know it. */
async function findState(gateway: Gateway, refund_id: string): Promise<RefundState | undefined> {
  try {
    return await patiently(() => gateway.findRefund(refund_id));
  } catch (error) {
    if (error instanceof GatewayError && error.fault === 'refused' && error.is_about_access) {
      return undefined;
    }
    throw error;
  }
}

function agree(said: ListedRefund['status'], recorded: RecordedRefund['status']): boolean {
  return said === (recorded === 'ordered' ? 'pending' : recorded);
}

function differences(refund: ListedRefund, row: RecordedRefund): Finding[] {
  const is_same =
    BigInt(refund.amount_minor) === row.amount_minor &&
    refund.currency === row.currency &&
    refund.provider_payment_id === row.provider_payment_id;
  if (is_same) return [];
  const said = `${money(refund.amount_minor, refund.currency)} of ${refund.provider_payment_id}`;
  const here = `${money(row.amount_minor, row.currency)} of ${row.provider_payment_id}`;
  const detail = `${row.reference}: ${said} at the gateway, ${here} here`;
  return [{ kind: 'refund_differs', reference: refund.refund_id, detail, is_repaired: false }];
}

function unknownRefund({ refund_id: reference, ...row }: RecordedRefund): Finding {
  const detail = `${row.reference}: ${money(row.amount_minor, row.currency)}, ${row.status} here`;
  return { kind: 'refund_unknown', reference, detail, is_repaired: false };
}

/**
 * Asks the gateway again, as after its notification. False when no order here follows this refund.
 */
async function askAgain(
  { db, pursue }: RefundComparisonDependencies,
  { gateway, environment }: GatewayAccount,
  refund: Doubtful,
): Promise<boolean> {
  const notice = { environment, ...refund, reference: null };
  const items = await noteRefundNotice(db, gateway, notice);
  const ids = await notePaymentRefundNotice(db, gateway, notice);
  await Promise.all([pursue('suspense-refund', items), pursue('refund', ids)]);
  return items.length + ids.length > 0;
}
