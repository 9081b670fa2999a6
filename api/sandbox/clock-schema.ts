// GET /sandbox/clock and POST /sandbox/clock/advance.

import type { FromSchema } from 'json-schema-to-ts';
import { WAITING_TYPES } from '../../db/sandbox/clock';
import { MOST_SECONDS, MOVED } from '../../use-cases/sandbox/clock';
import { instant, nullableTime, part, response, timestamp, uuid } from '../schemas';

export const advanceClockBody = {
  type: 'object',
  required: [],
  additionalProperties: false,
  properties: {
    seconds: {
      type: 'integer',
      minimum: 1,
      maximum: MOST_SECONDS,
      description: 'How far the clock is moved.',
    },
    to: {
      ...instant,
      description: "An ISO 8601 instant of the account's clock, not before its `now`.",
    },
    to_next: {
      type: 'boolean',
      const: true,
      description: 'To what is due next. With nothing waiting nothing moves.',
    },
  },
} as const;
export type AdvanceClockBody = FromSchema<typeof advanceClockBody>;

const offset = {
  type: 'integer',
  minimum: 0,
  maximum: MOST_SECONDS,
  description: 'How many seconds the clock is ahead of the time.',
} as const;

const now = { ...timestamp, description: "The account's clock." } as const;

export const clockResponse = response('SandboxClock', {
  now,
  offset_seconds: offset,
  next_due_at: { ...nullableTime, description: 'Of the first in `waiting`; null with none.' },
  waiting: {
    type: 'array',
    maxItems: 100,
    description: 'What waits, the first 100 by when it is due, by this clock.',
    items: part('SandboxWaiting', {
      type: { title: 'SandboxWaitingType', type: 'string', enum: WAITING_TYPES },
      id: uuid,
      due_at: timestamp,
    }),
  },
});

const count = { type: 'integer', minimum: 0 } as const;

export const advancedResponse = response('SandboxClockMove', {
  now,
  offset_seconds: offset,
  moved: {
    ...part('SandboxMoved', Object.fromEntries(MOVED.map((name) => [name, count]))),
    description: 'How many came nearer.',
  },
  settled: {
    type: 'boolean',
    description:
      'True when all that became due is done, with its webhooks. False after ten seconds: it goes on, ask again.',
  },
});
