// Notifications as a gateway sends them, and as somebody else would.

import { randomUUID } from 'node:crypto';
import type { Environment } from '../../../domain/environment';
import { signGatewayBody } from '../../../secrets/gateway-signature';
import type { TestDatabase } from '../../support/database';
import type { Answer } from '../../support/http';
import { request } from '../../support/http';
import { GATEWAY_SECRETS } from '../../support/sandbox-gateway';
import type { Shop } from '../../support/shop';
import { waitFor } from '../../support/wait';

export const SIGNATURE = 'x-gateway-signature';

export type Fields = Readonly<Record<string, unknown>>;

/** A succeeded payment of the intent's own amount; an undefined field is left out. */
export function notificationOf(intent: Answer['json'], fields: Fields = {}): Fields {
  return {
    event_id: `evt_${randomUUID()}`,
    type: 'payment.succeeded',
    intent_id: intent.id,
    reference: intent.reference,
    amount: intent.amount,
    currency: intent.currency,
    environment: intent.environment,
    provider_payment_id: `pay_${randomUUID()}`,
    occurred_at: new Date().toISOString(),
    ...fields,
  };
}

/** With the given headers and nothing else. */
export function deliver(
  url: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string | string[]>>,
): Promise<Answer> {
  return request({ base_url: '' }, 'POST', url, { headers, body });
}

/** Signed by the secret of this environment. */
export function deliverSigned(
  { notification_url }: Pick<Shop, 'notification_url'>,
  body: string | Uint8Array,
  environment: Environment = 'sandbox',
): Promise<Answer> {
  const [secret] = GATEWAY_SECRETS[environment];
  const signature = signGatewayBody(typeof body === 'string' ? body : Buffer.from(body), secret);
  return deliver(notification_url, body, { [SIGNATURE]: signature });
}

/** Everything that a notification could change, as text to compare. */
export async function stateOf({ owner }: Pick<TestDatabase, 'owner'>): Promise<string> {
  const { rows } = await owner.raw(
    `select jsonb_build_object(
       'intents', (select jsonb_agg(to_jsonb(i) order by i.id) from payment_intents i),
       'inbox', (select count(*) from gateway_notifications),
       'payments', (select count(*) from gateway_payments),
       'suspense', (select count(*) from suspense_items),
       'events', (select count(*) from events),
       'timeline', (select count(*) from intent_timeline),
       'journal', (select count(*) from ledger_transactions),
       'accounts', (select jsonb_agg(array[a.id, a.balance_minor, a.version] order by a.id)
                      from ledger_accounts a))::text as state`,
  );
  return rows[0].state;
}

export interface InboxRow {
  readonly event_id: string;
  readonly outcome: string | null;
  readonly intent_id: string | null;
}

/** What came of a notification, once it was applied. */
export function untilApplied(
  { owner }: Pick<TestDatabase, 'owner'>,
  event_id: unknown,
): Promise<InboxRow> {
  return waitFor(async () => {
    const { rows } = await owner.raw(
      `select event_id, outcome, intent_id from gateway_notifications
        where event_id = ? and outcome is not null`,
      [event_id as string],
    );
    return rows[0];
  });
}

export interface SuspenseRow {
  readonly reason: string;
  readonly currency: string;
  readonly amount_minor: string;
  readonly status: string;
  readonly environment: string;
  readonly intent_id: string | null;
  readonly account_id: string | null;
}

export async function suspenseOf(
  { owner }: Pick<TestDatabase, 'owner'>,
  provider_payment_id: unknown,
): Promise<SuspenseRow[]> {
  const { rows } = await owner.raw(
    `select reason, currency, amount_minor::text, status, environment, intent_id, account_id
       from suspense_items where provider_payment_id = ?`,
    [provider_payment_id as string],
  );
  return rows;
}

/** The balances of all wallets, of whoever. */
export async function walletsOf({ owner }: Pick<TestDatabase, 'owner'>): Promise<string> {
  const { rows } = await owner.raw(
    `select json_agg(json_build_array(id, balance_minor) order by id)::text as wallets
       from ledger_accounts where kind = 'wallet'`,
  );
  return rows[0].wallets;
}
