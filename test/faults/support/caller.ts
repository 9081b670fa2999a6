// A good caller: one key per transfer, and the same request with the same key until there is a
// final response. It records every response that it got.

import { setTimeout as delay } from 'node:timers/promises';
import type { Target } from './cluster';
import { postAs, type HttpClient, type NoReply, type Reply } from './http-client';
import { bodyOf, type Operation } from './operations';

export type Attempt = (Reply | NoReply) & {
  /** Counts a transfer's requests with the key, from 1. */
  readonly number?: number;
  readonly api: string;
  readonly at: number;
};

export interface OperationRecord {
  readonly operation: Operation;
  /** The ids of all requests with the key, in the order of sending. */
  readonly asked: string[];
  readonly attempts: Attempt[];
  final: Reply | undefined;
  /** Was told at some try that nothing was changed, and believed it. */
  is_abandoned: boolean;
}

export interface CallOptions {
  readonly client: HttpClient;
  readonly apis: readonly Target[];
  /** Longer than the service takes for any response unless the experiment says otherwise. */
  readonly timeout_ms?: number;
  /** A slow sender: authenticated at once, understood only later. */
  readonly body_after?: Promise<void>;
  /** No try begins later than this (epoch, ms): an operation may end without a response. */
  readonly give_up_at?: number;
}

const FINAL_STATUSES: readonly (number | undefined)[] = [200, 402, 404];
/** Responses after which a retry may get a final one. */
const AGAIN_STATUSES: readonly (number | undefined)[] = [undefined, 409, 503];
const TIMEOUT_MS = 15_000;
const AFTER_BROKEN_CONNECTION_MS = 100;

export function recordOf(operation: Operation): OperationRecord {
  return { operation, asked: [], attempts: [], final: undefined, is_abandoned: false };
}

/** Returns when the operation is over: answered, abandoned, or out of time. */
export async function perform(record: OperationRecord, options: CallOptions): Promise<void> {
  const { operation } = record;
  const { apis, give_up_at = Infinity } = options;
  for (let turn = operation.first_api; Date.now() < give_up_at; turn += 1) {
    const attempt = await ask(record, apis[turn % apis.length]!, options);
    if (isFinal(attempt)) {
      record.final = attempt;
      if (operation.is_repeated) await ask(record, apis[(turn + 1) % apis.length]!, options);
      return;
    }
    // Anything else is a fault, which the checks will name.
    if (!AGAIN_STATUSES.includes(attempt.status)) return;
    if (!operation.is_patient && promisesNoEffect(attempt)) {
      record.is_abandoned = true;
      return;
    }
    await delay(pauseAfter(attempt));
  }
}

/** One request, noted. */
export async function ask(
  { operation, attempts, asked }: OperationRecord,
  api: Target,
  { client, body_after, timeout_ms = TIMEOUT_MS }: Omit<CallOptions, 'apis' | 'give_up_at'>,
): Promise<Attempt> {
  const at = Date.now();
  // Says later which of the requests with the key had an effect.
  const request_id = `${operation.key}.${asked.length}`;
  const number = asked.push(request_id);
  const reply = await postAs(client, api, {
    user_key: operation.from.keys[operation.environment],
    key: operation.key,
    path: '/transfers',
    headers: { 'x-request-id': request_id },
    body: bodyOf(operation),
    body_after,
    timeout_ms,
  });
  const attempt = { ...reply, number, api: api.name, at };
  attempts.push(attempt);
  return attempt;
}

export function isFinal(attempt: Attempt): attempt is Attempt & Reply {
  return FINAL_STATUSES.includes(attempt.status);
}

/** The sentence that says that a caller is safe without a retry, in any wording. */
export function promisesNoEffect(attempt: Attempt): boolean {
  return attempt.status === 503 && NOTHING_CHANGED.test(attempt.text);
}

const NOTHING_CHANGED = /nothing (was|has been|is) changed|changed nothing/i;

function pauseAfter(attempt: Attempt): number {
  if (attempt.status === undefined) return AFTER_BROKEN_CONNECTION_MS;
  const seconds = Number(attempt.headers['retry-after']);
  return Number.isFinite(seconds) ? seconds * 1000 : AFTER_BROKEN_CONNECTION_MS;
}
