// Switches that make the simulator's API slow, failing or silent, as gateways sometimes are. Each
// account has its own; they are lost when the process ends.

import { setTimeout as delay } from 'node:timers/promises';
import type { Context, Next } from 'koa';
import {
  booleanField,
  FieldFault,
  integerField,
  wordField,
  type Fields,
} from '../../../gateway/fields';

export const OPERATIONS = [
  'open',
  'close',
  'find',
  'refund',
  'list',
  'payout',
  'find_payout',
  'cancel_payout',
  'check_payout',
  'charge',
  'find_charge',
  'methods',
] as const;
export type Operation = (typeof OPERATIONS)[number];

const FAILURES = ['5xx', 'reset', 'hang'] as const;

export interface Faults {
  /** The wait before anything else is done. */
  readonly delay_ms: number;
  /** A 503 response, a reset connection, or no response until the caller hangs up. */
  readonly fail: (typeof FAILURES)[number] | null;
  /** True: the work is done before the failure, so only the response is lost. */
  readonly after_work: boolean;
  /** True: the work is done, and nothing is sent until the caller's timeout. */
  readonly answer_after_timeout: boolean;
  /** The one kind of call that has the faults; null for all. */
  readonly only: Operation | null;
  /** The number of calls that have the faults; null until the switches are set again. */
  readonly calls: number | null;
}

export const NO_FAULTS: Faults = {
  delay_ms: 0,
  fail: null,
  after_work: false,
  answer_after_timeout: false,
  only: null,
  calls: null,
};

const MAX_DELAY_MS = 10 * 60 * 1000;

/** Reads the switches; those that are left out are off. @throws FieldFault */
export function readFaults(value: Fields['value']): Faults {
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(NO_FAULTS, name));
  if (unknown !== undefined) throw new FieldFault(`${unknown.slice(0, 100)} is not a fault switch`);
  const isSet = (name: keyof Faults): boolean => (value[name] ?? null) !== null;
  return {
    delay_ms: isSet('delay_ms') ? integerField(value, 'delay_ms', 0, MAX_DELAY_MS) : 0,
    fail: isSet('fail') ? wordField(value, 'fail', FAILURES) : null,
    after_work: booleanField(value, 'after_work', false),
    answer_after_timeout: booleanField(value, 'answer_after_timeout', false),
    only: isSet('only') ? wordField(value, 'only', OPERATIONS) : null,
    calls: isSet('calls') ? integerField(value, 'calls', 1, 1_000_000) : null,
  };
}

export interface FaultSwitch {
  set(faults: Faults): void;
  /** Runs the call with the faults that apply to it. */
  run(operation: Operation, ctx: Context, work: Next): Promise<void>;
}

/** Aborting `stopping` ends every call that hangs. */
export function createFaultSwitch(initial: Faults, stopping: AbortSignal): FaultSwitch {
  let current = initial;
  let left = initial.calls ?? Infinity;

  const faultsFor = (operation: Operation): Faults => {
    const applies = current.only === null || current.only === operation;
    if (!applies || left === 0) return NO_FAULTS;
    left -= 1;
    return current;
  };
  return {
    set(faults) {
      current = faults;
      left = faults.calls ?? Infinity;
    },
    async run(operation, ctx, work) {
      const { delay_ms, fail, after_work, answer_after_timeout } = faultsFor(operation);
      // Stopping the process ends the delay, and the call is answered at once.
      if (delay_ms > 0)
        await delay(delay_ms, undefined, { signal: stopping }).catch(() => undefined);
      if (fail === null || after_work || answer_after_timeout) await work();
      await failWith(answer_after_timeout ? 'hang' : fail, ctx, stopping);
    },
  };
}

/** Whatever was done, the caller gets no byte of a response. */
export function resetConnection(ctx: Context): void {
  ctx.respond = false;
  ctx.req.socket.resetAndDestroy();
}

async function failWith(fail: Faults['fail'], ctx: Context, stopping: AbortSignal): Promise<void> {
  const { socket } = ctx.req;
  switch (fail) {
    case null:
      return;
    case '5xx':
      ctx.status = 503;
      ctx.body = { error: { code: 'unavailable', message: 'This fault was switched on.' } };
      return;
    case 'reset':
      return resetConnection(ctx);
    case 'hang':
      ctx.respond = false;
      await new Promise<void>((resolve) => {
        socket.once('close', () => resolve());
        stopping.addEventListener('abort', () => resolve(), { once: true });
        if (stopping.aborted || socket.destroyed) resolve();
      });
      socket.destroy();
  }
}
