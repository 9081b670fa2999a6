// Shows and advances the clock of the caller's sandbox.

import { parseInstant } from '../../domain/instant';
import { Refusal } from '../../domain/refusal';
import { orUnknown } from '../../use-cases/requests/failures';
import { MOST_SECONDS, moveClock, showClock, type ClockMove } from '../../use-cases/sandbox/clock';
import { routesOf } from '../route';
import { success } from '../success';
import {
  advanceClockBody,
  advancedResponse,
  clockResponse,
  type AdvanceClockBody,
} from './clock-schema';

const MAY_BE_MOVED = 'The clock may have been moved. GET /sandbox/clock says where it stands.';

function isMoving(): Refusal {
  return new Refusal('rate_limited', {
    message: 'The clock of this account is being moved already: wait until that is over.',
    retry_after_seconds: 1,
  });
}

function readMove(body: AdvanceClockBody): ClockMove {
  if (Object.keys(body).length !== 1) {
    throw invalid('seconds', 'Send exactly one of seconds, to and to_next.');
  }
  if (body.to === undefined) return { seconds: body.seconds };
  const to = parseInstant(body.to);
  if (to === undefined) throw invalid('to', 'to must be an ISO 8601 instant or date.');
  return { to };
}

function refused(error: 'backwards' | 'too_far' | 'moving', { seconds }: ClockMove): Refusal {
  if (error === 'moving') return isMoving();
  const param = seconds === undefined ? 'to' : 'seconds';
  return error === 'backwards'
    ? invalid(param, 'The clock only moves forward: to is before its now.')
    : invalid(param, `The clock moves ${MOST_SECONDS} seconds in all, which are 400 days.`);
}

function invalid(param: string, message: string): Refusal {
  return new Refusal('invalid_request', { param, message });
}

const on = routesOf('Sandbox');

export const SANDBOX_CLOCK_ROUTES = [
  on.get('/sandbox/clock', {
    summary: 'The clock of the sandbox, and what waits for it',
    description:
      'An account has one clock in the sandbox. It runs as the time does, and is ahead of it by as much as it was moved. Responses to test keys then carry it in the header `Sandbox-Clock`.',
    sandbox_only: true,
    response: clockResponse,
    handler: async function getSandboxClock(dependencies, { caller }) {
      const { waiting, ...clock } = await showClock(dependencies, caller.user_id);
      const next_due_at = waiting[0]?.due_at ?? null;
      return success({ ...clock, next_due_at, waiting: waiting.map((row) => ({ ...row })) });
    },
  }),
  on.post('/sandbox/clock/advance', {
    summary: 'Advance the clock of the sandbox',
    description:
      'Exactly one of the fields. What becomes due on the way is done as it would be: links expire, webhooks are sent again and again, payouts come back, approvals lapse. It only moves forward, 400 days in all. What has happened keeps its real time.',
    scope: 'sandbox',
    sandbox_only: true,
    body: advanceClockBody,
    response: advancedResponse,
    handler: async function advanceSandboxClock(dependencies, request) {
      const move = readMove(request.body);
      const { user_id } = request.caller;
      const done = await orUnknown(MAY_BE_MOVED, () => moveClock(dependencies, user_id, move));
      if (!done.ok) throw refused(done.error, move);
      const { ok: _, now, moved, ...rest } = done;
      const headers = rest.offset_seconds > 0 ? { 'Sandbox-Clock': now } : {};
      return { ...success({ now, ...rest, moved: { ...moved } }), headers };
    },
  }),
];
