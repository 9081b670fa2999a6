// Finds records for operators by a caller's words: a reference, an address, a phone, an amount
// (docs/decisions/operators.md).

import type { Db } from '../db/connect';
import { listAccounts, type AccountRow } from '../db/operators/operators';
import { findByAmount, findPaidByPhone, type FoundRow } from '../db/operators/search';
import {
  findOperatorIntent,
  listIntentsOfCustomer,
  type OperatorIntent,
} from '../db/payment-intents/operator-intents';
import {
  findOperatorPayout,
  listOperatorPayouts,
  type OperatorPayout,
} from '../db/payouts/operator-payouts';
import { findOperatorRefund } from '../db/refunds/operator-refunds';
import { listSuspense, listSuspenseOf, type SuspenseItem } from '../db/suspense/suspense';
import { findCase } from '../db/risk/cases';
import { findOperatorTransfer } from '../db/transfers/operator-transfers';
import type { Currency } from '../domain/currency';
import { readEmail } from '../domain/email';
import type { Environment } from '../domain/environment';
import { intentWorkflowId, plainReference, pursuitWorkflowId } from '../domain/ids';
import { parseAmount } from '../domain/money';
import { readPhone } from '../domain/phone';

/** Most results of each kind. */
const LIMIT = 50;

export interface FoundThing {
  readonly kind: 'intent' | 'transfer' | 'refund' | 'payout' | 'item' | 'case';
  readonly created_at: string;
  readonly reference: string;
  /** An account's case has none of these. */
  readonly environment: Environment | null;
  readonly currency: Currency | null;
  readonly amount_minor: bigint | null;
  readonly status: string;
  readonly accounts: readonly string[];
  readonly customer_email?: string | null;
  /** Set for a payment, and for a refund of one. */
  readonly payment_id?: string;
  /** Set for an item of suspense. */
  readonly item_id?: string;
  /** Set for a payout. */
  readonly payout_id?: string;
  readonly workflow_id?: string;
}

export interface Found {
  readonly things: readonly FoundThing[];
  readonly accounts: readonly AccountRow[];
}

export async function searchEverything(db: Db, pay_url_base: string, text: string): Promise<Found> {
  if (text === '') return { things: [], accounts: [] };
  const email = readEmail(text);
  const [things, accounts] = await Promise.all([
    email === undefined
      ? findNamed(db, pay_url_base, plainReference(text))
      : findOfCustomer(db, pay_url_base, email),
    listAccounts(db, { search: text, after: undefined, limit: LIMIT }),
  ]);
  return { things, accounts };
}

async function findOfCustomer(db: Db, pay_url_base: string, email: string): Promise<FoundThing[]> {
  return (await listIntentsOfCustomer(db, email, { limit: LIMIT, pay_url_base })).map(intentFound);
}

async function findNamed(db: Db, pay_url_base: string, name: string): Promise<FoundThing[]> {
  const phone = readPhone(name);
  const amount = readAnyAmount(name);
  const [intent, transfer, refund, payout, held_case, paid_out, paid, items, of_amount, waiting] =
    await Promise.all([
      findOperatorIntent(db, name, pay_url_base),
      findOperatorTransfer(db, name),
      findOperatorRefund(db, name),
      findOperatorPayout(db, name),
      findCase(db, name),
      phone.ok ? listOperatorPayouts(db, { phone: phone.phone }, LIMIT) : [],
      phone.ok ? findPaidByPhone(db, phone.phone, LIMIT) : [],
      listSuspenseOf(db, [name]),
      amount === undefined ? [] : findByAmount(db, amount, LIMIT),
      amount === undefined ? [] : listSuspense(db, false),
    ]);
  const found: FoundThing[] = [];
  if (intent) found.push(intentFound(intent));
  if (transfer) {
    const accounts = [transfer.from_username, transfer.to_username];
    found.push({ ...transfer, kind: 'transfer', accounts });
  }
  if (refund) {
    const workflow_id = pursuitWorkflowId('refund', refund.environment, refund.id);
    const { username, intent_id: payment_id } = refund;
    found.push({ ...refund, kind: 'refund', accounts: [username], payment_id, workflow_id });
  }
  if (payout) found.push(payoutFound(payout));
  if (held_case) found.push({ ...held_case, kind: 'case', accounts: [held_case.username] });
  found.push(...paid_out.map(payoutFound), ...paid.map(rowFound));
  found.push(...items.map(itemFound));
  const held = waiting.filter(({ amount_minor }) => amount_minor === amount);
  return [...found, ...held.slice(0, LIMIT).map(itemFound), ...of_amount.map(rowFound)];
}

/** `15 000`, `15 000 FCFA`, `15.000` and `49,90 EUR`, in minor units of whatever currency. */
function readAnyAmount(text: string): bigint | undefined {
  const bare = text.replaceAll(/\s|FCFA|CFA|XOF|EUR|USD|[€$]/giu, '');
  const whole = bare.replaceAll(/[.,](?=\d{3}(?!\d))/g, '');
  const parsed = parseAmount(whole.replace(',', '.'), 'EUR');
  return parsed.ok ? parsed.amount : undefined;
}

function rowFound({ payment_id, ...row }: FoundRow): FoundThing {
  const { kind, id, environment } = row;
  const workflow_id =
    kind === 'intent'
      ? intentWorkflowId(environment, id)
      : pursuitWorkflowId(kind, environment, id);
  return { ...row, workflow_id, ...(payment_id === null ? { payout_id: id } : { payment_id }) };
}

function intentFound(intent: OperatorIntent): FoundThing {
  const workflow_id = intentWorkflowId(intent.environment, intent.id);
  const payment_id = intent.id;
  return { ...intent, kind: 'intent', accounts: [intent.username], payment_id, workflow_id };
}

function payoutFound(payout: OperatorPayout): FoundThing {
  const { id, environment, username, stage, status } = payout;
  return {
    ...payout,
    kind: 'payout',
    status: stage === 'unknown' ? stage : status,
    accounts: [username],
    payout_id: id,
    workflow_id: pursuitWorkflowId('payout', environment, id),
  };
}

function itemFound(item: SuspenseItem): FoundThing {
  const accounts = item.username === null ? [] : [item.username];
  return { ...item, kind: 'item', accounts, item_id: item.id };
}
