// Proves that a notification changed something, or nothing.

import type { TestDatabase } from '../../support/database';
import { waitFor } from '../../support/wait';

/** Everything that a notification could change, as text to compare. */
export async function readState({ owner }: Pick<TestDatabase, 'owner'>): Promise<string> {
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

/** The inbox row of a notification, once it was applied. */
export function waitForOutcome(
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
  readonly user_id: string | null;
}

export async function listSuspense(
  { owner }: Pick<TestDatabase, 'owner'>,
  provider_payment_id: unknown,
): Promise<SuspenseRow[]> {
  const { rows } = await owner.raw(
    `select reason, currency, amount_minor::text, status, environment, intent_id, user_id
       from suspense_items where provider_payment_id = ?`,
    [provider_payment_id as string],
  );
  return rows;
}

/** The balances of the wallets of all users. */
export async function readWallets({ owner }: Pick<TestDatabase, 'owner'>): Promise<string> {
  const { rows } = await owner.raw(
    `select json_agg(json_build_array(id, balance_minor) order by id)::text as wallets
       from ledger_accounts where kind = 'wallet'`,
  );
  return rows[0].wallets;
}
