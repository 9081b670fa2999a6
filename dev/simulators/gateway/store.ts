// The simulator's state in memory: its records, what our account for payouts holds, and notifications that the service
// has not accepted yet. Only journal entries change it, so replaying them restores it.

import { ENVIRONMENTS, type Environment } from '../../../domain/environment';
import type { Currency } from '../../../domain/currency';
import type { PaymentState } from '../../../domain/payment';
import type { AnyRecord, Charge, Kind, Payment, Payout, RecordOf, Session } from './records';

export interface Notification {
  readonly event_id: string;
  readonly environment: Environment;
  /** Every try sends exactly these bytes. */
  readonly body: string;
  /** The event is delivered this many times, all at once. */
  readonly copies: number;
}

export type Entry =
  | {
      /** New records, or where they have come to, with their notifications: all or nothing. */
      readonly records: readonly AnyRecord[];
      readonly notifications: readonly Notification[];
    }
  /** Our account's balance from now on. */
  | { readonly float: string; readonly environment: Environment; readonly currency: Currency }
  /** The event of a copy that the service has accepted. */
  | { readonly delivered: string };

/** The fields by which records are found, besides their own id. */
const KEYS = {
  session: ['intent_id'],
  payment: ['session_id'],
  charge: ['charge_id', 'phone'],
  refund: ['idempotency_key', 'provider_payment_id'],
  dispute: ['provider_payment_id'],
  payout: ['payout_id'],
} as const satisfies { [K in Kind]: readonly (keyof RecordOf<K>)[] };

export interface Store {
  apply(entry: Entry): void;
  /** Finds a record by its own id, in either account. */
  get<K extends Kind>(kind: K, id: string): RecordOf<K> | undefined;
  /** Those that have this value, or all of an account, in the order in which they were made. */
  find<K extends Kind>(
    kind: K,
    environment: Environment,
    key?: readonly [field: (typeof KEYS)[K][number], value: string],
  ): readonly RecordOf<K>[];
  /** The records to which something happens by itself. */
  waiting(): readonly AnyRecord[];
  float(environment: Environment, currency: Currency): bigint;
  /** The undelivered notifications; `copies` counts only those still to be delivered. */
  undelivered(): readonly Notification[];
}

const FIRST_FLOAT = 1_000_000_000_00n;

export function createStore(): Store {
  const records = new Map<string, AnyRecord>();
  const ids = new Map<string, Set<string>>();
  const floats = new Map<string, bigint>();
  const undelivered = new Map<string, Notification>();
  const float = (environment: Environment, currency: Currency): bigint =>
    floats.get(`${environment}/${currency}`) ?? FIRST_FLOAT;

  const keep = (record: AnyRecord): void => {
    const { kind, environment, id } = record;
    if (record.kind === 'payout') {
      const before = records.get(id) as Payout | undefined;
      const taken = takenBy(record) - (before === undefined ? 0n : takenBy(before));
      const left = float(environment, record.currency) - taken;
      floats.set(`${environment}/${record.currency}`, left);
    }
    records.set(id, record);
    const fields: readonly string[] = KEYS[kind];
    const values = record as unknown as Readonly<Record<string, string>>;
    const keys = fields.map((field) => `${kind}/${environment}/${field}/${values[field]}`);
    for (const key of [`${kind}/${environment}`, ...keys]) {
      ids.set(key, (ids.get(key) ?? new Set()).add(id));
    }
  };
  const deliver = (event_id: string): void => {
    const notification = undelivered.get(event_id);
    const copies = (notification?.copies ?? 0) - 1;
    if (copies <= 0) undelivered.delete(event_id);
    else undelivered.set(event_id, { ...notification!, copies });
  };

  return {
    apply(entry) {
      if ('delivered' in entry) return deliver(entry.delivered);
      if ('float' in entry) {
        floats.set(`${entry.environment}/${entry.currency}`, BigInt(entry.float));
        return;
      }
      if (!('records' in entry))
        throw new Error('The journal is of another version: move it away.');
      for (const record of entry.records) keep(record);
      for (const one of entry.notifications) undelivered.set(one.event_id, one);
    },
    get<K extends Kind>(kind: K, id: string) {
      const record = records.get(id);
      return record?.kind === kind ? (record as RecordOf<K>) : undefined;
    },
    find<K extends Kind>(kind: K, environment: Environment, key: readonly string[] = []) {
      const found = ids.get([kind, environment, ...key].join('/')) ?? [];
      return [...found].map((id) => records.get(id) as RecordOf<K>);
    },
    waiting: () => [...records.values()].filter(({ next }) => next !== null),
    float,
    undelivered: () => [...undelivered.values()],
  };
}

/** An order takes its amount when it is accepted, and gives it back when it fails. */
function takenBy({ status, amount_minor, returned_minor }: Payout): bigint {
  const is_off = status === 'failed' || status === 'canceled';
  return is_off ? 0n : BigInt(amount_minor) - BigInt(returned_minor);
}

/** A payment that was taken, in a session or by phone: it is listed, refunded and disputed in the same way. */
export type Taken = Payment | Charge;

export function takenOf(store: Store, id: string, environment?: Environment): Taken | undefined {
  const taken = store.get('payment', id) ?? store.get('charge', id);
  const is_taken = taken?.status === 'succeeded' || taken?.status === 'paid';
  const is_ours = environment === undefined || taken?.environment === environment;
  return is_taken && is_ours ? taken : undefined;
}

export function allTaken(store: Store, environment: Environment): readonly Taken[] {
  const all = [...store.find('payment', environment), ...store.find('charge', environment)];
  return all.filter(({ id }) => takenOf(store, id) !== undefined);
}

/** The charges of a phone in both accounts, the newest first. */
export function chargesOf(store: Store, phone: string): readonly Charge[] {
  return ENVIRONMENTS.flatMap((one) => store.find('charge', one, ['phone', phone])).sort(
    (one, other) => other.created_at.localeCompare(one.created_at),
  );
}

/** Nothing was paid in an unknown session, and nothing can be. */
export function paymentStateOf(store: Store, session: Session | undefined): PaymentState {
  if (session === undefined) return { state: 'none' };
  const tries = store.find('payment', session.environment, ['session_id', session.id]);
  const paid = tries.find(({ status }) => status === 'succeeded');
  if (paid) {
    const { id: provider_payment_id, amount_minor, currency, changed_at: occurred_at } = paid;
    return { state: 'paid', payment: { provider_payment_id, amount_minor, currency, occurred_at } };
  }
  if (tries.some(({ status }) => status === 'pending')) return { state: 'pending' };
  // After any other failure the customer may try again.
  const failure = tries.find(({ status }) => status === 'refused')?.failure;
  return failure ? { state: 'failed', failure } : { state: 'none' };
}

export type SessionStatus = 'open' | 'closed' | 'lapsed' | 'paid' | 'pending' | 'failed';

/** Whether the session can be paid at this moment, and if not, why. */
export function statusOf(store: Store, session: Session): SessionStatus {
  const { state } = paymentStateOf(store, session);
  if (state !== 'none') return state;
  if (session.status === 'closed') return 'closed';
  return Date.now() >= Date.parse(session.expires_at) ? 'lapsed' : 'open';
}
