// The five kinds of step that a scene is made of (docs/sandbox.md). A `description` is what is said of a
// value that does not fit.

import type { FromSchema } from 'json-schema-to-ts';
import { ACTIONS } from '../../dev/simulators/gateway/courses';
import { REFUND_COURSES } from '../../dev/simulators/gateway/courses';

const text = { type: 'string', minLength: 1, maxLength: 2_000 } as const;
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

const object = <const Required extends readonly string[], const Properties extends object>(
  required: Required,
  properties: Properties,
) => ({ type: 'object', required, additionalProperties: false, properties }) as const;

export const STEPS = {
  call: object(['call'], {
    call: {
      ...text,
      pattern: '^(GET|POST|PATCH|DELETE) /\\S*$',
      description: 'must be a method and a path, such as GET /wallets',
    },
    headers,
    body: { type: 'object' },
    save,
  }),
  advance: object(['advance'], {
    advance: {
      type: ['integer', 'string'],
      minimum: 1,
      pattern: '^(next|\\d{4}-\\d\\d-\\d\\dT\\S{1,30}|\\$\\{[a-z0-9_]+\\})$',
      description: 'must be a number of seconds, next, or an instant',
    },
  }),
  fault: object(['fault', 'on'], {
    fault: text,
    on: text,
    times: { type: 'integer', minimum: 1, maximum: 100 },
  }),
  pay: object(['pay'], {
    pay: text,
    with: { type: 'string', enum: ACTIONS, description: `must be one of ${ACTIONS.join(', ')}` },
    refunds: {
      type: 'string',
      enum: REFUND_COURSES,
      description: `must be one of ${REFUND_COURSES.join(', ')}`,
    },
    delay_ms: { type: 'integer', minimum: 0, maximum: 60_000 },
  }),
  expect: {
    ...object(['expect'], {
      expect: {
        anyOf: [
          { type: 'integer', minimum: 100, maximum: 599 },
          { type: 'string', const: 'lost' },
          { type: 'object', minProperties: 1 },
        ],
        description: 'must be a status, lost, or a part of the response',
      },
      headers,
      get: { ...text, pattern: '^/\\S*$', description: 'must be a path, such as /wallets' },
      // Ten minutes are enough for what the clock does not bring nearer.
      within: { type: 'integer', minimum: 1, maximum: 600 },
      save,
    }),
    dependentRequired: { within: ['get'] },
  },
} as const;
export type Kind = keyof typeof STEPS;
export type StepOf<Given extends Kind> = FromSchema<(typeof STEPS)[Given]>;
export type Does = { [Each in Kind]: StepOf<Each> }[Kind];

export const scene = object(['name', 'steps'], {
  name: { ...text, maxLength: 200 },
  steps: { type: 'array', minItems: 1, maxItems: 200 },
});
