// Judges webhooks: what merchants received, what the database says was sent, and what should have
// been. Returns every fault in words.

import type { Counts } from './checks';
import { WEBHOOK_RETRY_SECONDS } from './cluster';
import { groupBy } from './group';
import type { AttemptKept, DeliveryKept, HookBooks } from './hook-books';
import type { Hook, Reception } from './hooks';

export interface JudgedHooks {
  readonly hooks: readonly Hook[];
  readonly receptions: readonly Reception[];
  readonly books: HookBooks;
  /** Everything ran again at this time (epoch, ms). */
  readonly healed_at: number;
  /** Everything has to have arrived within this time from then on. */
  readonly limit_ms: number;
}

/** A wait takes at least this share of its plan; the jitter is domain/webhook.ts's matter. */
const EARLIEST_SHARE = 0.8;
/** The end of an attempt, as it is kept, and the start of the next wait may be so far apart. */
const CLOCKS_MS = 50;

export function findHookFaults(judged: JudgedHooks): string[] {
  const { receptions, books, hooks } = judged;
  const received = groupBy(receptions, nameOfReception);
  return [
    ...books.deliveries.flatMap((delivery) => {
      const got = received.get(nameOf(delivery)) ?? [];
      const hook = hooks.find(({ id }) => id === delivery.endpoint_id)!;
      return [
        ...findArrivalFaults(delivery, got, judged),
        ...findAttemptFaults(delivery, got),
        ...findScheduleFaults(delivery.made),
      ].map((fault) => `event ${delivery.event_id} at ${hook.path}: ${fault}`);
    }),
    ...receptions.flatMap(({ fault, hook, event_id }) =>
      fault === undefined ? [] : [`event ${event_id} at ${hook.path}: ${fault}`],
    ),
    ...findStrangers(receptions, books),
    ...findEventFaults(books, new Set(receptions.map(({ event_id }) => event_id))),
  ];
}

function findArrivalFaults(
  delivery: DeliveryKept,
  got: readonly Reception[],
  { healed_at, limit_ms }: JudgedHooks,
): string[] {
  if (got.length === 0) return [`never received, and it is ${delivery.status}`];
  const faults: string[] = [];
  if (delivery.status !== 'delivered') faults.push(`received, and it is ${delivery.status}`);
  if (got.some(({ body }) => body !== delivery.body)) faults.push('received with other bytes');
  const late_ms = lateness(delivery, got, healed_at);
  if (late_ms > limit_ms) faults.push(`received ${late_ms} ms late, and ${limit_ms} were allowed`);
  return faults;
}

/** Counts from the later of its creation and the repair, until a receiver responded 2xx. */
function lateness(
  { added_at }: DeliveryKept,
  got: readonly Reception[],
  healed_at: number,
): number {
  const taken = got.filter(isTaken).map(({ at }) => at);
  return Math.max(0, Math.round(Math.min(...taken) - Math.max(healed_at, added_at)));
}

function findAttemptFaults(
  { attempts, made, status }: DeliveryKept,
  got: readonly Reception[],
): string[] {
  const faults: string[] = [];
  if (made.length !== attempts || made.some(({ number }, at) => number !== at + 1)) {
    faults.push(`counts ${attempts} attempts, kept ${made.map(({ number }) => number).join()}`);
  }
  const delivered = made.filter(({ outcome }) => outcome === 'delivered').length;
  if (delivered !== (status === 'delivered' ? 1 : 0) || (delivered && !isLastDelivered(made))) {
    faults.push(`${status} after ${made.map(({ outcome }) => outcome).join()}`);
  }
  // A response to a process that died is not stored; a stored response was really given.
  const answers = got.filter(({ answer }) => typeof answer.status === 'number').length;
  const kept = made.filter((attempt) => attempt.status !== null).length;
  if (kept > answers) faults.push(`${kept} responses are stored, and ${answers} were given`);
  return faults;
}

function isLastDelivered(made: readonly AttemptKept[]): boolean {
  return made.at(-1)?.outcome === 'delivered';
}

/** None earlier than the schedule allows. */
function findScheduleFaults(made: readonly AttemptKept[]): string[] {
  return made.slice(1).flatMap((attempt, at) => {
    const before = made[at]!;
    const wanted = WEBHOOK_RETRY_SECONDS[before.number - 1]! * 1_000 * EARLIEST_SHARE;
    const waited = Math.round(attempt.began - before.ended);
    if (waited >= wanted - CLOCKS_MS) return [];
    return [`attempt ${attempt.number} began after ${waited} ms instead of ${wanted}`];
  });
}

function findStrangers(receptions: readonly Reception[], { deliveries }: HookBooks): string[] {
  const known = new Set(deliveries.map(nameOf));
  return receptions
    .filter(({ hook }) => !hook.is_given_up)
    .map(nameOfReception)
    .filter((name) => !known.has(name))
    .map((name) => `${name}: received, and there is no such delivery`);
}

/** Each end of an intent has its one event, and their numbers have no gap. */
function findEventFaults({ ended, events }: HookBooks, received: ReadonlySet<string>): string[] {
  const faults: string[] = [];
  for (const { id, status, types, event_ids } of ended) {
    const wanted = status === 'canceled' ? '' : `payment.${status}`;
    if (types.join() !== wanted)
      faults.push(`intent ${id} is ${status}, and its events: ${types.join()}`);
    for (const event of event_ids) {
      if (!received.has(event)) faults.push(`intent ${id}: event ${event} never arrived`);
    }
  }
  const counts = new Map<string, { events: number; last: number }>();
  for (const { id, user_id, environment, sequence, has_delivery } of events) {
    if (!has_delivery) faults.push(`event ${id} has no delivery`);
    if (sequence === 0) continue;
    const count = counts.get(`${user_id} ${environment}`) ?? { events: 0, last: 0 };
    counts.set(`${user_id} ${environment}`, {
      events: count.events + 1,
      last: Math.max(count.last, sequence),
    });
  }
  for (const [name, count] of counts) {
    // They are unique by the database.
    if (count.events !== count.last)
      faults.push(`${name}: ${count.events} of ${count.last} events`);
  }
  return faults;
}

/** Counts for the line that each experiment prints. */
export function countHooks({ books, receptions, healed_at }: JudgedHooks): Counts {
  const { deliveries } = books;
  const received = groupBy(receptions, nameOfReception);
  const taken = deliveries.flatMap((delivery) => {
    const got = received.get(nameOf(delivery)) ?? [];
    return got.some(isTaken) ? [{ delivery, got }] : [];
  });
  const late = (since: number, which: typeof taken): number =>
    Math.max(0, ...which.map(({ delivery, got }) => lateness(delivery, got, since)));
  return {
    webhooks: deliveries.length,
    received: receptions.length,
    refused: receptions.filter((reception) => !isTaken(reception)).length,
    duplicates: countDuplicates(receptions),
    attempts: deliveries.reduce((sum, { made }) => sum + made.length, 0),
    webhook_slowest_ms: late(0, taken),
    webhook_recovery_ms: late(
      healed_at,
      taken.filter(({ delivery }) => delivery.added_at < healed_at),
    ),
    webhook_after_ms: late(
      healed_at,
      taken.filter(({ delivery }) => delivery.added_at >= healed_at),
    ),
  };
}

/** Received once more after a 2xx response. */
export function countDuplicates(receptions: readonly Reception[]): number {
  let duplicates = 0;
  for (const got of groupBy(receptions, nameOfReception).values()) {
    duplicates += Math.max(0, got.filter(isTaken).length - 1);
  }
  return duplicates;
}

function isTaken({ answer, is_answered }: Reception): boolean {
  return is_answered && typeof answer.status === 'number' && answer.status < 300;
}

function nameOf({ endpoint_id, event_id }: DeliveryKept): string {
  return `${endpoint_id} ${event_id}`;
}

function nameOfReception({ hook, event_id }: Reception): string {
  return `${hook.id} ${event_id}`;
}
