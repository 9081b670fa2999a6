// Rows that a third party is asked about until it says how they ended: found for their workflows, and those that no
// workflow seems to follow. Each kind has its questions in its own row (docs/decisions/workflows.md).

import type { Pursued, PursuitKind } from '../domain/pursuit';
import { execute, lookUp, type Db } from './connect';

/** The longest times, in ms, after which a workflow that runs has asked; a lost one has not. */
export interface AskedWithin {
  /** It was never asked about. */
  readonly ordered_ms: number;
  readonly asked_ms: number;
  /** The third party has it, and takes its time. */
  readonly pending_ms: number;
  readonly notified_ms: number;
}

interface Kind {
  /** Columns of Pursued. */
  readonly columns: string;
  readonly from: string;
  readonly id: string;
  readonly within: AskedWithin;
  /** The rows that have questions, the id in them, and when they were last asked about, or ordered. */
  readonly asked: { readonly from: string; readonly id: string; readonly at: string };
  /** Whether a row was asked about too long ago, or never. */
  readonly isStalled: (before: (age: keyof AskedWithin) => string) => string;
}

const WITHIN = {
  ordered_ms: 10_000,
  asked_ms: 120_000,
  pending_ms: 7_200_000,
  notified_ms: 5_000,
};

const KINDS: Readonly<Record<PursuitKind, Kind>> = {
  'suspense-refund': {
    columns: `s.id, s.environment, s.reference, s.currency, s.amount_minor::text, u.username, null as operator, s.status`,
    from: 'suspense_items s left join users u on u.id = s.user_id',
    id: 's.id',
    // An operator's command waits for the first answer.
    within: { ...WITHIN, ordered_ms: 120_000 },
    asked: {
      from: 'suspense_refunds r',
      id: 'r.item_id',
      at: 'coalesce(r.asked_at, r.ordered_at)',
    },
    isStalled: (before) => `
      (r.status = 'ordered' and coalesce(r.asked_at, r.ordered_at) < ${before('ordered_ms')})
      or (r.status = 'pending' and r.asked_at < ${before('pending_ms')})
      or (r.notified_at < ${before('notified_ms')}
          and (r.status in ('ordered', 'pending') or r.refund_id is not null))`,
  },
  refund: {
    columns: `r.id, r.environment, r.reference, r.currency, r.amount_minor::text, u.username, null as operator, r.status`,
    from: 'refunds r join users u on u.id = r.user_id',
    id: 'r.id',
    within: WITHIN,
    asked: { from: 'refunds r', id: 'r.id', at: 'coalesce(r.asked_at, r.created_at)' },
    isStalled: (before) => `
      (r.status = 'pending' and coalesce(r.asked_at, r.created_at) <
         case when r.asked_at is null then ${before('ordered_ms')}
              when r.gateway_refund_id is null then ${before('asked_ms')} else ${before('pending_ms')} end)
      or (r.notified_at < ${before('notified_ms')}
          and (r.status = 'pending' or r.gateway_refund_id is not null))`,
  },
  payout: {
    columns: `p.id, p.environment, p.reference, p.currency, p.amount_minor::text, u.username, null as operator, p.status`,
    from: 'payouts p join users u on u.id = p.user_id',
    id: 'p.id',
    within: WITHIN,
    asked: { from: 'payouts p', id: 'p.id', at: 'coalesce(p.asked_at, p.created_at)' },
    isStalled: (before) => `
      (p.status = 'pending' and p.asked_at is null and p.updated_at < ${before('ordered_ms')})
      or (p.status = 'pending' and p.asked_at < ${before('pending_ms')})
      or (p.status in ('requires_approval', 'requires_confirmation') and p.expires_at < ${before('ordered_ms')})
      or p.notified_at < ${before('notified_ms')}`,
  },
  'payment-attempt': {
    columns: `a.id, a.environment, i.reference, i.currency, i.amount_minor::text, u.username, a.operator, a.status`,
    from: `payment_attempts a join payment_intents i on i.id = a.intent_id join users u on u.id = a.user_id`,
    id: 'a.id',
    within: WITHIN,
    asked: { from: 'payment_attempts a', id: 'a.id', at: 'coalesce(a.asked_at, a.created_at)' },
    isStalled: (before) => `
      (a.status = 'waiting' and a.asked_at is null and a.updated_at < ${before('ordered_ms')}
         and (not a.is_otp_due or a.expires_at < ${before('ordered_ms')}))
      or (a.status = 'waiting' and a.asked_at < ${before('asked_ms')})
      or (a.look_until is not null and a.asked_at < ${before('pending_ms')})
      or (a.notified_at < ${before('notified_ms')}
          and (coalesce(a.asked_at < a.notified_at, true) or a.asked_at < ${before('asked_ms')}))`,
  },
};

/** In the order of the ids. */
export async function findPursued(
  db: Db,
  kind: PursuitKind,
  ids: readonly string[],
): Promise<Pursued[]> {
  if (ids.length === 0) return [];
  const { columns, from, id } = KINDS[kind];
  const text = `select '${kind}' as kind, ${columns}
                  from ${from} join unnest($1::uuid[]) with ordinality o (id, place) on o.id = ${id}
                 order by o.place`;
  return lookUp<Pursued>(db, { name: `find_pursued_${kind}`, text }, [ids]);
}

/** The ids of those that no workflow seems to follow; those that were asked about lately come last. */
export async function listStalled(
  db: Db,
  kind: PursuitKind,
  limit: number,
  within: AskedWithin = KINDS[kind].within,
): Promise<string[]> {
  const { asked, isStalled } = KINDS[kind];
  const before = (age: keyof AskedWithin): string =>
    `clock_timestamp() - ($1::jsonb ->> '${age}')::float8 * interval '1 millisecond'`;
  const text = `select ${asked.id} as id from ${asked.from} where ${isStalled(before)}
                 group by ${asked.id} order by min(${asked.at}) limit $2`;
  const statement = { name: `list_stalled_${kind}`, text };
  const rows = await execute<{ id: string }>(db, statement, [JSON.stringify(within), limit]);
  return rows.map(({ id }) => id);
}

/** A third party's words, within the bound of the columns that keep them, in characters. */
export function shortened<Words extends string | null>(words: Words): Words {
  return (words === null ? null : Array.from(words).slice(0, 1_000).join('')) as Words;
}
