// Rows that need a workflow, and rows that need none any more, for the comparison with what Temporal runs.
// `grace_ms`: what has changed since is under way.

import { execute, type Db } from '../connect';
import type { IntentToRun } from '../payment-intents/intents';

type Ids = { readonly id: string }[];

async function ids(db: Db, name: string, text: string, values: unknown[]): Promise<string[]> {
  return (await execute<Ids[number]>(db, { name, text }, values)).map(({ id }) => id);
}

const MS = "interval '1 millisecond'";

/** Whether the intent has not come to its end, and has not changed for so long. */
export async function isIntentOpen(
  db: Db,
  { id }: IntentToRun,
  grace_ms: number,
): Promise<boolean> {
  const text = `select v.id from payment_intents v
     where v.id = $1 and v.status in ('creating', 'open', 'processing')
       and greatest(v.created_at, v.updated_at) < now() - $2 * ${MS}`;
  return (await ids(db, 'is_intent_open', text, [id, grace_ms])).length > 0;
}

/**
 * Lists which of these intents have ended, or are not there. A workflow stays until its intent
 * expires.
 */
export function listEndedIntents(db: Db, of: readonly string[], grace_ms: number) {
  const text = `select u.id from unnest($1::uuid[]) u (id)
      left join payment_intents v on v.id = u.id
     where v.id is null
        or (v.status not in ('creating', 'open', 'processing')
            and greatest(v.expires_at, v.updated_at) < now() - $2 * ${MS})`;
  return ids(db, 'list_ended_intents', text, [of, grace_ms]);
}

const OPEN_ORDER = `r.status in ('ordered', 'pending')`;

/** Items of suspense with an order to refund them that has no end; of these, or of all. */
export function listOpenItems(db: Db, of: readonly string[] | null, grace_ms: number) {
  const text = `select distinct r.item_id as id from suspense_refunds r
     where ${OPEN_ORDER} and r.ordered_at < now() - $2 * ${MS}
       and ($1::uuid[] is null or r.item_id = any ($1)) limit 10000`;
  return ids(db, 'list_open_items', text, [of, grace_ms]);
}

export function listEndedItems(db: Db, of: readonly string[], grace_ms: number) {
  const text = `select u.id from unnest($1::uuid[]) u (id)
     where not exists (select from suspense_refunds r
                        where r.item_id = u.id
                          and (${OPEN_ORDER}
                               or greatest(r.ordered_at, r.asked_at, r.notified_at, r.ended_at)
                                  > now() - $2 * ${MS}))`;
  return ids(db, 'list_ended_items', text, [of, grace_ms]);
}

/** Refunds of payments without an end; of these, or of all. */
export function listOpenRefunds(db: Db, of: readonly string[] | null, grace_ms: number) {
  const text = `select r.id from refunds r
     where r.status = 'pending' and r.created_at < now() - $2 * ${MS}
       and ($1::uuid[] is null or r.id = any ($1)) limit 10000`;
  return ids(db, 'list_open_refunds', text, [of, grace_ms]);
}

export function listEndedRefunds(db: Db, of: readonly string[], grace_ms: number) {
  const text = `select u.id from unnest($1::uuid[]) u (id)
      left join refunds r on r.id = u.id
     where r.id is null
        or (r.status <> 'pending'
            and greatest(r.updated_at, r.asked_at, r.notified_at) < now() - $2 * ${MS})`;
  return ids(db, 'list_ended_refunds', text, [of, grace_ms]);
}

/** Payouts without an end; of these, or of all. */
export function listOpenPayouts(db: Db, of: readonly string[] | null, grace_ms: number) {
  const text = `select p.id from payouts p
     where p.status in ('requires_approval', 'requires_confirmation', 'pending')
       and p.updated_at < now() - $2 * ${MS}
       and ($1::uuid[] is null or p.id = any ($1)) limit 10000`;
  return ids(db, 'list_open_payouts', text, [of, grace_ms]);
}

export function listEndedPayouts(db: Db, of: readonly string[], grace_ms: number) {
  const text = `select u.id from unnest($1::uuid[]) u (id)
      left join payouts p on p.id = u.id
     where p.id is null
        or (p.completed_at is not null
            and greatest(p.updated_at, p.asked_at, p.notified_at) < now() - $2 * ${MS})`;
  return ids(db, 'list_ended_payouts', text, [of, grace_ms]);
}

export function listEndedBatches(db: Db, of: readonly string[], grace_ms: number) {
  const text = `select u.id from unnest($1::uuid[]) u (id)
      left join transfer_batches b on b.id = u.id
     where b.id is null or (b.status <> 'processing' and b.progressed_at < now() - $2 * ${MS})`;
  return ids(db, 'list_ended_batches', text, [of, grace_ms]);
}
