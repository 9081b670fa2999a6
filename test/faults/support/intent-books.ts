// Everything that database and gateway hold about payment intents, to be compared with each other and
// with the responses that merchants and customers got.

import type { Db } from '../../../db/connect';
import type { Currency } from '../../../domain/currency';
import type { Environment } from '../../../domain/environment';
import type { StoredIntentStatus } from '../../../domain/intent';
import type { GatewayPayment as ListedPayment } from '../../../dev/simulators/gateway/payments-api';
import { environmentsOf, listPayments } from '../../support/sandbox-gateway';
import type { System } from './cluster';
import type { FundedUser } from './users';

export interface IntentKept {
  readonly id: string;
  readonly user_id: string;
  readonly environment: Environment;
  readonly idempotency_key: string;
  readonly status: StoredIntentStatus;
  readonly reference: string;
  readonly currency: Currency;
  readonly amount_minor: bigint;
  readonly expires_at: string;
  readonly expired_at: string | null;
  /** The intent could neither be seen nor expire before this. */
  readonly opened_at: string | null;
  /** The database's clock decides, to the microsecond. */
  readonly is_early: boolean;
}

export interface PaymentKept {
  readonly environment: Environment;
  readonly provider_payment_id: string;
  readonly intent_id: string | null;
  readonly currency: string;
  readonly amount_minor: bigint;
  readonly booked_as: 'payment' | 'suspense';
  /** Says why a payment is in suspense. */
  readonly reason: string | null;
}

export interface SystemAccount {
  readonly environment: Environment;
  readonly currency: string;
  readonly kind: 'gateway_clearing' | 'suspense';
  readonly balance_minor: bigint;
}

export interface PaidOut {
  readonly environment: Environment;
  readonly currency: string;
  readonly amount_minor: bigint;
}

export interface GatewayPayment extends ListedPayment {
  readonly environment: Environment;
}

export interface IntentBooks {
  readonly intents: readonly IntentKept[];
  /** Payments of all users: the gateway lists them all, too. */
  readonly payments: readonly PaymentKept[];
  readonly accounts: readonly SystemAccount[];
  /** The payouts out of the gateway's account, without the amounts that came back. */
  readonly paid_out: readonly PaidOut[];
  /** Every attempt to pay, made on the gateway's pages. */
  readonly listed: readonly GatewayPayment[];
}

/** Needs a time when nothing is under way any more: the two lists are not of one moment. */
export async function readIntentBooks(
  { db, gateway }: Pick<System, 'db' | 'gateway'>,
  users: readonly FundedUser[],
): Promise<IntentBooks> {
  const ids = users.map(({ id }) => id);
  const listed: GatewayPayment[] = [];
  for (const environment of environmentsOf(gateway)) {
    const { payments } = await listPayments(gateway, environment);
    listed.push(...payments.map((payment) => ({ ...payment, environment })));
  }
  return {
    listed,
    intents: await read<IntentKept>(
      db,
      `select id, user_id, environment, idempotency_key, status, reference, currency,
              amount_minor, expires_at, expired_at, s.opened_at,
              coalesce(expired_at < expires_at, false) as is_early
         from payment_intents i
         left join checkout_sessions s on s.intent_id = i.id and s.number = 1
        where user_id = any(:ids)`,
      { ids },
    ),
    payments: await read<PaymentKept>(
      db,
      `select p.environment, p.provider_payment_id, p.intent_id, p.currency, p.amount_minor,
              p.booked_as, s.reason
         from gateway_payments p
         left join suspense_items s using (gateway, environment, provider_payment_id)`,
    ),
    accounts: await read<SystemAccount>(
      db,
      `select environment, currency, kind, balance_minor from ledger_accounts
        where user_id is null and kind in ('gateway_clearing', 'suspense')`,
    ),
    paid_out: await read<PaidOut>(
      db,
      `select environment, currency, amount_minor - returned_minor as amount_minor from payouts
        where status in ('succeeded', 'returned')`,
    ),
  };
}

async function read<Row>(db: Db, sql: string, values: object = {}): Promise<Row[]> {
  return ((await db.raw(sql, values as Record<string, never>)) as { rows: Row[] }).rows;
}
