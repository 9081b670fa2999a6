// JSON Schema literals that several resources share. Types, validation and the OpenAPI document come
// from them.

import { CURRENCIES } from '../domain/currency';
import { ENVIRONMENTS } from '../domain/environment';
import { ERROR_CODES } from '../domain/errors';
import { EVENT_TYPES } from '../domain/event';
import { UUID_PATTERN } from '../domain/ids';

export const COUNTRY_PATTERN = '^[A-Z]{2}$';
export const EMAIL_PATTERN = '^[^\\s@]{1,64}@[^\\s@]+\\.[^\\s@.]+$';
/** 7 to 15 digits (E.164), however they are grouped. */
export const PHONE_PATTERN = '^\\+[1-9](?:[ ().-]*[0-9]){6,14}[ ().-]*$';

/** What a value must be, for people: a pattern says it to machines. */
export const PATTERN_FAULTS: ReadonlyMap<string, string> = new Map([
  [COUNTRY_PATTERN, 'must be a country code of two capital letters, such as SN'],
  [EMAIL_PATTERN, 'must be an e-mail address, such as awa@example.com'],
  [PHONE_PATTERN, 'must be an international phone number, such as +221771234567'],
  [UUID_PATTERN, 'must be a UUID, such as 3d699e31-8712-4324-954e-d01b8642b52d'],
]);

const ok = { type: 'boolean', const: true } as const;
export const uuid = {
  type: 'string',
  format: 'uuid',
  pattern: UUID_PATTERN,
  maxLength: 36,
} as const;
export const currency = { type: 'string', enum: CURRENCIES } as const;
export const environment = { type: 'string', enum: ENVIRONMENTS } as const;
export const eventType = { type: 'string', enum: EVENT_TYPES } as const;
export const username = { type: 'string', minLength: 1, maxLength: 64 } as const;
/** What identifies a resource in a path: an id, a reference or a short code. */
export const pathName = { type: 'string', minLength: 1, maxLength: 64 } as const;

/** Microseconds, because a bare timestamp is also the cursor. */
export const timestamp = {
  type: 'string',
  format: 'date-time',
  maxLength: 40,
  examples: ['2026-11-21T04:39:12.123456Z'],
} as const;

export const nullableTime = { ...timestamp, type: ['string', 'null'] } as const;

export const nullableText = { type: ['string', 'null'], maxLength: 500 } as const;

/** An instant in a query: also a date, and any zone. */
export const instant = { type: 'string', minLength: 10, maxLength: 40 } as const;
/** The period of a list or a resend. */
export const period = {
  created_from: { ...instant, description: 'An ISO 8601 instant or date; rows at it or later.' },
  created_to: { ...instant, description: 'An ISO 8601 instant or date; rows before it.' },
} as const;

/** A query or a body: these fields, each optional, and no others. */
export function optionalFields<const P extends Properties>(properties: P) {
  return { type: 'object', required: [], additionalProperties: false, properties } as const;
}

type Properties = Readonly<Record<string, object>>;

/** What a response shows of a resource: these fields, each required unless it is optional, and no others. */
export function resource<P extends Properties>(properties: P, optional: readonly string[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, additionalProperties: false, properties };
}

/** A successful response: `ok: true`, and these fields. */
export function response<P extends Properties>(properties: P, optional: readonly string[] = []) {
  return resource({ ok, ...properties }, optional);
}

/** A page of a list: the rows under their plural, and whether another page follows. */
export function page(plural: string, items: object, next_cursor: object = nullableTime) {
  return response({
    [plural]: { type: 'array', maxItems: MAX_PAGE, items },
    next_cursor,
    has_more: { type: 'boolean' },
  });
}

const MAX_PAGE = 100;

/** In the query of every list. */
export const paging = {
  limit: { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: 25 },
  cursor: {
    ...instant,
    description: 'Any ISO 8601 instant, as next_cursor gives it; rows before it are listed.',
    examples: timestamp.examples,
  },
} as const;

/** The largest amount that survives JSON text, a double and back (docs/decisions/0004-limits-of-amounts.md). */
const MAX_AMOUNT = 9999999999999.99;

/** An amount in a request. ajv's `multipleOf: 0.01` refuses 0.29 and 4.35, so decimals are checked later. */
export const requestAmount = {
  type: 'number',
  exclusiveMinimum: 0,
  maximum: MAX_AMOUNT,
  description: 'A plain decimal with at most two decimals; whole for XOF.',
} as const;

/** An amount in a response: two decimals, literally in the bytes. */
export const amount = {
  type: 'number',
  minimum: 0,
  maximum: MAX_AMOUNT,
  examples: [5000.0],
} as const;

export const errorSchema = {
  type: 'object',
  required: ['ok', 'error'],
  additionalProperties: false,
  properties: {
    ok: { type: 'boolean', const: false },
    error: {
      type: 'object',
      required: ['code', 'message', 'doc_url', 'request_id', 'retryable'],
      additionalProperties: false,
      properties: {
        code: { type: 'string', enum: ERROR_CODES },
        message: { type: 'string', maxLength: 1000 },
        param: { type: 'string', maxLength: 255 },
        details: {
          type: 'array',
          maxItems: 100,
          items: {
            type: 'object',
            required: ['param', 'message'],
            additionalProperties: false,
            properties: {
              param: { type: 'string', maxLength: 255 },
              message: { type: 'string', maxLength: 1000 },
            },
          },
        },
        doc_url: { type: 'string', maxLength: 2048 },
        request_id: { type: 'string', maxLength: 128 },
        retryable: { type: 'boolean' },
      },
    },
  },
} as const;
