// JSON Schema literals that several resources share. Types, validation and the OpenAPI document
// come from them. A schema with a title is one of the document's named schemas: clients get a type
// of that name.

import { isCountry } from '../domain/country';
import { CURRENCIES } from '../domain/currency';
import { MAX_EMAIL, readEmail } from '../domain/email';
import { ENVIRONMENTS } from '../domain/environment';
import { ERROR_CODES } from '../domain/errors';
import { EVENT_TYPES } from '../domain/event';
import { INTENT_REFERENCE_PATTERN, REFERENCE_PATTERN, UUID_PATTERN } from '../domain/ids';
import { AMOUNT_PATTERN } from '../domain/money';
import { NO_PHONE, PHONE_PATTERN } from '../domain/phone';

/** Rules that a pattern cannot say. `is`: for the validator; `fault`: for people. */
export const FORMATS = {
  'idn-email': {
    is: (text: string) => readEmail(text) !== undefined,
    fault: 'must be an e-mail address, such as awa@example.com',
  },
  'country-code': {
    is: isCountry,
    fault:
      'must be a country code of ISO 3166-1 in two capital letters, such as SN (the United Kingdom is GB)',
  },
} as const;

/** 15 digits last a user 30,000 years at a thousand events a second. */
export const SEQUENCE_PATTERN = '^[0-9]{1,15}$';
export const AFTER_PATTERN = '^([0-9]{1,15}|latest)$';

const KEY_PATTERN = '^[\\x20-\\x7e]+$';

/** Tells people the form of a value: a pattern tells it to machines. */
export const PATTERN_FAULTS: ReadonlyMap<string, string> = new Map([
  [AFTER_PATTERN, 'is not one of ours: pass next_cursor unchanged, a sequence, or latest'],
  [PHONE_PATTERN, NO_PHONE],
  [INTENT_REFERENCE_PATTERN, 'must be a reference, such as TRX-9F2C41D7A3E8B605Q7ZM'],
  [REFERENCE_PATTERN, 'must be a reference, such as TRF-9F2C41D7A3E8B605Q7ZM'],
  [AMOUNT_PATTERN, 'must be a plain decimal number, without a sign or an exponent'],
  [KEY_PATTERN, 'must be 1 to 255 printable ASCII characters'],
  [UUID_PATTERN, 'must be a UUID, such as 3d699e31-8712-4324-954e-d01b8642b52d'],
]);

const ok = { type: 'boolean', const: true } as const;
export const uuid = {
  type: 'string',
  format: 'uuid',
  pattern: UUID_PATTERN,
  maxLength: 36,
} as const;
export const idempotencyKey = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: KEY_PATTERN,
} as const;
export const currency = { title: 'Currency', type: 'string', enum: CURRENCIES } as const;
export const environment = {
  title: 'Environment',
  type: 'string',
  enum: ENVIRONMENTS,
  description: 'Of the key: live moves money, sandbox is for trying.',
} as const;
export const direction = {
  title: 'Direction',
  type: 'string',
  enum: ['in', 'out'],
  description: "Whether the money came to the key's owner or left.",
} as const;
export const eventType = { title: 'EventType', type: 'string', enum: EVENT_TYPES } as const;
export const username = { type: 'string', minLength: 1, maxLength: 64 } as const;
export const email = {
  type: 'string',
  format: 'idn-email',
  maxLength: MAX_EMAIL,
  description:
    'Stored and given back in lower case, the domain as DNS has it (xn--…); a dot in the domain.',
  examples: ['awa@example.com'],
} as const;
/** Identifies a resource in a path: an id, a reference or a short code. */
export const pathName = { type: 'string', minLength: 1, maxLength: 64 } as const;

/** Microseconds, because a bare timestamp is also the cursor. */
export const timestamp = {
  type: 'string',
  format: 'date-time',
  maxLength: 40,
  examples: ['2026-11-21T04:39:12.123456Z'],
} as const;

export const nullableTime = { ...timestamp, type: ['string', 'null'] } as const;

/** Plain text for clients: one that makes a time of it may keep milliseconds only. */
const nullableCursor = {
  type: ['string', 'null'],
  maxLength: timestamp.maxLength,
  examples: timestamp.examples,
} as const;

export const nullableText = { type: ['string', 'null'], maxLength: 500 } as const;

/** A named schema, or null. */
export function nullable<S extends object>(schema: S) {
  return { anyOf: [schema, { type: 'null' }] } as const;
}

/** An instant in a query: also a date, and any zone. */
export const instant = { type: 'string', minLength: 10, maxLength: 40 } as const;
/** The period of a list or a resend. */
export const period = {
  created_from: {
    ...instant,
    description:
      'An ISO 8601 instant or date; rows at it or later. Hours go to 23 and seconds to 59: 24:00:00 and leap seconds are refused.',
  },
  created_to: {
    ...instant,
    description: 'An ISO 8601 instant or date, as in created_from; rows before it.',
  },
} as const;

/** A query or a body: these fields, each optional, and no others. */
export function optionalFields<const P extends Properties>(properties: P) {
  return { type: 'object', required: [], additionalProperties: false, properties } as const;
}

type Properties = Readonly<Record<string, object>>;

/** A schema that the OpenAPI document lists under its title. */
export interface NamedSchema {
  readonly title: string;
  readonly properties: Properties;
}

/**
 * A part of a response: these fields, each required unless it is optional. Others may be added in a
 * later version, so clients must be prepared for them. The title is letters only.
 */
export function part(
  title: string,
  properties: Properties,
  optional: readonly string[] = [],
): NamedSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { title, type: 'object', required, properties } as NamedSchema;
}

/** A successful response: `ok: true`, and these fields. */
export function response(
  title: string,
  properties: Properties,
  optional: readonly string[] = [],
): NamedSchema {
  return part(title, { ok, ...properties }, optional);
}

/**
 * A resource is a response of its own, with `ok: true`, and also a row or a part of others, without it.
 * It is one type for clients (docs/decisions/api.md).
 */
export function resource(
  title: string,
  properties: Properties,
  optional: readonly string[] = [],
): NamedSchema {
  const described = { ...ok, description: 'In a response of its own; not in a list or an event.' };
  return part(title, { ok: described, ...properties }, ['ok', ...optional]);
}

/** A page of a list: the rows under their plural, and whether another page follows. */
export function page(
  plural: string,
  items: NamedSchema,
  next_cursor: object = nullableCursor,
): NamedSchema {
  return response(`${items.title}List`, {
    [plural]: { type: 'array', maxItems: MAX_PAGE, items },
    next_cursor: { ...next_cursor, description: 'The cursor of the next page; null on the last.' },
    has_more: { type: 'boolean' },
  });
}

const MAX_PAGE = 100;

/** The fields in the query of every list. */
export const paging = {
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE,
    default: 25,
    description: 'How many rows a page has at most.',
  },
  cursor: {
    ...instant,
    // A text that is no instant is refused in words where it is read.
    minLength: 1,
    description:
      'next_cursor, unchanged, or any ISO 8601 instant; rows before it are listed. One with fewer digits than next_cursor is refused where it may stand for several rows.',
    examples: timestamp.examples,
  },
} as const;

/**
 * The largest amount that survives JSON text, a double and back
 * (docs/decisions/amounts.md).
 */
const MAX_AMOUNT = 9999999999999.99;

/**
 * An amount in a request. ajv's `multipleOf: 0.01` refuses 0.29 and 4.35, so decimals are checked
 * later.
 */
export const requestAmount = {
  type: ['number', 'string'],
  exclusiveMinimum: 0,
  maximum: MAX_AMOUNT,
  pattern: AMOUNT_PATTERN,
  maxLength: 62,
  description:
    'A plain decimal with at most two decimals, as a number or as text: 5000, 5000.00, "5000.00". Whole for XOF.',
} as const;

/** An amount in a response: two decimals, literally in the bytes. */
export const amount = {
  type: 'number',
  minimum: 0,
  maximum: MAX_AMOUNT,
  examples: [5000.0],
} as const;

/** Beside a fee in a response. */
export const taxAmount = { ...amount, description: 'The part of `fee` that is tax.' } as const;

export const errorCode = { title: 'ErrorCode', type: 'string', enum: ERROR_CODES } as const;

export const errorSchema = part('Error', {
  ok: { type: 'boolean', const: false },
  error: part(
    'ErrorInfo',
    {
      code: errorCode,
      message: { type: 'string', maxLength: 1000, description: 'For people; it may change.' },
      param: { type: 'string', maxLength: 255, description: 'The field at fault.' },
      details: {
        type: ['array', 'object'],
        maxItems: 100,
        additionalProperties: true,
        description:
          'Every fault, when several fields are at fault. An object of figures where a limit was reached: `minimum` and `maximum`; or `limit` (`single`, `daily`, `monthly`, `key_daily`), `currency`, `maximum`, `used`, `remaining` and `resets_at`. Amounts are numbers.',
        items: part('ErrorDetail', {
          param: { type: 'string', maxLength: 255 },
          message: { type: 'string', maxLength: 1000 },
        }),
      },
      doc_url: {
        type: 'string',
        maxLength: 2048,
        description: 'What the code means and what to do.',
      },
      request_id: { type: 'string', maxLength: 128, description: 'As in the header X-Request-Id.' },
      retryable: {
        type: 'boolean',
        description: 'The same request, with the same Idempotency-Key, may succeed later.',
      },
    },
    ['param', 'details'],
  ),
});
