// A gateway's payments against ours, in both directions. One that the gateway has taken and that
// was never reported here is handed in as a stored notification, as if the gateway had sent it:
// there is one way for money to come in
// (docs/decisions/payments.md). Nothing else changes.

import type { Db } from '../../db/connect';
import { storeNotification } from '../../db/suspense/notifications';
import {
  findBookedPayments,
  findPaymentNotification,
  listBookedPayments,
  type BookedPayment,
  type GatewayAccount,
} from '../../db/reconciliation/reconciled-payments';
import type { CheckedTime } from '../../db/reconciliation/reconciliations';
import { isUuid } from '../../domain/ids';
import type { ListedPayment, PaymentNotification } from '../../domain/payment';
import type { Finding } from '../../domain/reconciliation';
import type { Gateway } from '../../gateway/port';
import type { DeliverNotification } from '../../temporal/notifications';
import { NotChecked, settledTime, type CheckRun } from './check-run';
import { everyPage, money, patiently } from './gateway-calls';

export interface PaymentComparisonDependencies {
  readonly db: Db;
  readonly deliverNotification: DeliverNotification;
  /** A payout that is younger is under way. */
  readonly reconcile_grace_ms: number;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

const PAGE = 1_000;
/** Asked for one at a time, when the gateway's list does not have them. */
const MOST_ASKED = 1_000;

/** Compares one piece of the time after the other. */
export function comparePayments(
  dependencies: PaymentComparisonDependencies,
  gateway: Gateway,
  run: CheckRun,
): (piece: CheckedTime) => Promise<void> {
  const { db, reconcile_grace_ms } = dependencies;
  const account: GatewayAccount = { gateway: gateway.name, environment: gateway.environment };
  const settled_before = Date.parse(run.time.to) - reconcile_grace_ms;
  // A payment may be listed under one day and booked the next.
  let listed_before = new Set<string>();
  let asked = 0;

  async function compareListed(payments: readonly ListedPayment[]): Promise<void> {
    const ids = payments.map(({ provider_payment_id }) => provider_payment_id);
    // Read after the list: what is booked by now is no finding.
    const booked = await findBookedPayments(db, account, ids);
    for (const payment of payments) {
      const row = booked.get(payment.provider_payment_id);
      if (row) await run.report(...differences(payment, row));
      else if (Date.parse(payment.occurred_at) < settled_before) {
        await missing(dependencies, account, payment, run);
      }
    }
    run.count(payments.length);
  }

  async function compareBooked(rows: readonly BookedPayment[]): Promise<void> {
    for (const row of rows) {
      asked += 1;
      if (asked > MOST_ASKED) {
        throw new NotChecked(`the gateway does not list ${MOST_ASKED} payments that are booked`);
      }
      const id = row.provider_payment_id;
      const taken = await patiently(() => gateway.findTakenPayment(id));
      await run.report(...(taken ? differences(taken, row) : [unknownPayment(row)]));
    }
  }

  return async (piece) => {
    const listed = new Set<string>();
    const list = (cursor?: string) => gateway.listPayments(piece, cursor);
    for await (const payments of everyPage(list, run)) {
      for (const { provider_payment_id } of payments) listed.add(provider_payment_id);
      await compareListed(payments);
    }
    const settled = settledTime(piece, reconcile_grace_ms);
    for (let after: string | undefined = ''; settled && after !== undefined;) {
      run.goOn();
      const rows = await listBookedPayments(db, account, settled, { after, limit: PAGE });
      await compareBooked(
        rows.filter(({ provider_payment_id: id }) => !listed.has(id) && !listed_before.has(id)),
      );
      after = rows.length < PAGE ? undefined : rows.at(-1)!.provider_payment_id;
    }
    listed_before = listed;
  };
}

/** A booked row that the list shows has the same money, or it is a finding. */
function differences(payment: ListedPayment, row: BookedPayment): Finding[] {
  const { provider_payment_id: reference, amount_minor, currency } = payment;
  if (BigInt(amount_minor) === row.amount_minor && currency === row.currency) return [];
  const detail = `${money(amount_minor, currency)} at the gateway, ${money(row.amount_minor, row.currency)} here`;
  return [{ kind: 'payment_differs', reference, detail, is_repaired: false }];
}

function unknownPayment(row: BookedPayment): Finding {
  const { provider_payment_id: reference, amount_minor, currency, booked_at } = row;
  const detail = `${money(amount_minor, currency)}, booked ${booked_at}`;
  return { kind: 'payment_unknown', reference, detail, is_repaired: false };
}

async function missing(
  dependencies: PaymentComparisonDependencies,
  account: GatewayAccount,
  payment: ListedPayment,
  { report }: CheckRun,
): Promise<void> {
  const { db } = dependencies;
  const { provider_payment_id: reference, amount_minor, currency, occurred_at } = payment;
  const intent_id = isUuid(payment.intent_id ?? '') ? payment.intent_id : null;
  const noted = await findPaymentNotification(db, account, reference, intent_id);
  const detail = `${money(amount_minor, currency)}, taken ${occurred_at}`;
  if (noted) {
    // The row of its booking is gone, or the inbox cannot apply it: to hand it in again would help
    // neither.
    const state = noted.outcome === null ? 'waits' : `was applied as ${noted.outcome}`;
    const what = `${detail}; its notification ${noted.id} ${state}`;
    await report({ kind: 'payment_not_booked', reference, detail: what, is_repaired: false });
    return;
  }
  const finding = { kind: 'payment_missing', reference, detail } as const;
  await report({ ...finding, is_repaired: false });
  await handIn(dependencies, account, payment);
  await report({ ...finding, is_repaired: true });
}

/** Stored once, however often the step is repeated. */
async function handIn(
  { db, deliverNotification, log }: PaymentComparisonDependencies,
  { gateway, environment }: GatewayAccount,
  { provider_payment_id, amount_minor, currency, occurred_at, ...named }: ListedPayment,
): Promise<void> {
  const notification: PaymentNotification = {
    event_id: `reconciled/${provider_payment_id}`,
    environment,
    type: 'payment.succeeded',
    final: true,
    intent_id: named.intent_id,
    reference: named.reference,
    provider_payment_id,
    amount_minor,
    currency,
    failure: null,
    occurred_at,
  };
  const raw = Buffer.from(JSON.stringify(notification));
  const stored = await storeNotification(db, gateway, notification, raw);
  if (stored.outcome !== null) return;
  try {
    await deliverNotification({ ...stored, gateway, environment });
  } catch (error) {
    // It is stored: the sweeper hands it over.
    log({ part: 'reconciliation', notification: stored.id, error: String(error) });
  }
}
