// The five kinds of step that a scene is made of (docs/sandbox.md). A `description` is what is said of a
// value that does not fit.

import type { FromSchema } from 'json-schema-to-ts';
import { ACTIONS } from '../../dev/simulators/gateway/actions';
import { REFUND_COURSES } from '../../dev/simulators/gateway/store';

const text = { type: 'string', minLength: 1, maxLength: 2_000 } as const;
const path = {
  ...text,
  pattern: '^/\\S*$',
  description: 'must be a path, such as /wallets',
} as const;
const texts = { type: 'object', maxProperties: 20, additionalProperties: text } as const;
const headers = {
  ...texts,
  propertyNames: { pattern: '^(?![Aa]uthorization$)[A-Za-z-]{1,64}$' },
  description: 'must name headers, and not Authorization',
} as const;
const save = {
  ...texts,
  propertyNames: { pattern: '^[a-z][a-z0-9_]{0,31}$' },
  description: 'must have names of small letters, digits and _',
} as const;
const seconds = (maximum: number) => ({ type: 'integer', minimum: 1, maximum }) as const;

const call = {
  type: 'object',
  required: ['call'],
  additionalProperties: false,
  properties: {
    call: {
      ...text,
      pattern: '^(GET|POST|PATCH|DELETE) /\\S*$',
      description: 'must be a method and a path, such as GET /wallets',
    },
    headers,
    body: { type: 'object' },
    save,
  },
} as const;
export type CallStep = FromSchema<typeof call>;

const advance = {
  type: 'object',
  required: ['advance'],
  additionalProperties: false,
  properties: {
    advance: {
      type: ['integer', 'string'],
      minimum: 1,
      pattern: '^(next|\\d{4}-\\d\\d-\\d\\dT\\S{1,30}|\\$\\{[a-z0-9_]+\\})$',
      description: 'must be a number of seconds, next, or an instant',
    },
  },
} as const;
export type AdvanceStep = FromSchema<typeof advance>;

const fault = {
  type: 'object',
  required: ['fault', 'on'],
  additionalProperties: false,
  properties: {
    fault: text,
    on: {
      ...text,
      description: "must be an operation, such as POST /payouts, or an endpoint's id",
    },
    times: seconds(100),
  },
} as const;
export type FaultStep = FromSchema<typeof fault>;

const pay = {
  type: 'object',
  required: ['pay'],
  additionalProperties: false,
  properties: {
    pay: text,
    with: { type: 'string', enum: ACTIONS, description: `must be one of ${ACTIONS.join(', ')}` },
    refunds: {
      type: 'string',
      enum: REFUND_COURSES,
      description: `must be one of ${REFUND_COURSES.join(', ')}`,
    },
    delay_ms: { type: 'integer', minimum: 0, maximum: 60_000 },
  },
} as const;
export type PayStep = FromSchema<typeof pay>;

const expect = {
  type: 'object',
  required: ['expect'],
  additionalProperties: false,
  dependentRequired: { within: ['get'] },
  properties: {
    expect: {
      anyOf: [
        { type: 'integer', minimum: 100, maximum: 599 },
        { type: 'string', const: 'lost' },
        { type: 'object', minProperties: 1 },
      ],
      description: 'must be a status, lost, or a part of the response',
    },
    headers,
    get: path,
    /** Ten minutes are enough for what the clock does not bring nearer. */
    within: seconds(600),
    save,
  },
} as const;
export type ExpectStep = FromSchema<typeof expect>;

export const STEPS = { call, advance, fault, pay, expect } as const;
export type Kind = keyof typeof STEPS;
export type Does = CallStep | AdvanceStep | FaultStep | PayStep | ExpectStep;

export const scene = {
  type: 'object',
  required: ['name', 'steps'],
  additionalProperties: false,
  properties: {
    name: { ...text, maxLength: 200 },
    steps: { type: 'array', minItems: 1, maxItems: 200 },
  },
} as const;
