// Reads a JSON body within its limits and keeps the source text of its numbers
// (docs/decisions/api.md).

import { RESERVED_KEYS } from '../../domain/json';
import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { Next } from 'koa';
import { openScan, scanJson, type JsonSource } from '../../domain/json-source';
import { isUtf8Type } from '../../domain/media-type';
import { createLimit } from '../../domain/limit';
import { Refusal } from '../../domain/refusal';
import type { HttpContext, HttpMiddleware } from '../../http/context';
import { readBody } from '../../http/read-body';

/** Deeper than any schema here; bounds the work of code that walks the value. */
const MAX_DEPTH = 32;
/**
 * Ten for each of 10,000 transfers; of 64 KiB more than any body needs. As many as there is room for would take long to
 * walk.
 */
const MAX_VALUES = { large: 100_000, usual: 10_000 };

// A byte order mark in front is left out (RFC 8259, section 8.1, lets a reader do so); invalid bytes are not text.
const utf8 = new TextDecoder('utf-8', { fatal: true });

export interface JsonBodyOptions {
  /** A request without a body counts as one with an empty object. */
  readonly may_be_omitted?: boolean | undefined;
  readonly max_bytes?: number | undefined;
}

export function jsonBody({ may_be_omitted, max_bytes }: JsonBodyOptions = {}): HttpMiddleware {
  return async (ctx, next) => {
    if (may_be_omitted && isOmitted(ctx.req)) {
      ctx.state.body = { value: {}, source: scanJson('{}') };
      return next();
    }
    if (
      !isUtf8Type(ctx.get('Content-Type'), 'application/json') ||
      !isIdentity(ctx.get('Content-Encoding'))
    ) {
      throw new Refusal('unsupported_media_type');
    }
    const account = ctx.state.caller?.user_id ?? ctx.state.ip;
    const handle = async (): Promise<void> => {
      const bytes = await readBody(ctx.req, max_bytes);
      const readAndGoOn = (max_values: number): Promise<void> =>
        readText(decode(bytes), max_values, ctx, next);
      if (bytes.length <= LARGE_BYTES) return readAndGoOn(MAX_VALUES.usual);
      ctx.state.is_body_large = true;
      return LARGE_BODIES.run(() => readAndGoOn(MAX_VALUES.large), account);
    };
    return mayBeLarge(ctx.req, max_bytes) ? UPLOADS.run(handle, account) : handle();
  };
}

function mayBeLarge({ headers }: IncomingMessage, max_bytes = 0): boolean {
  const { 'content-length': length } = headers;
  return max_bytes > LARGE_BYTES && (length === undefined || Number(length) > LARGE_BYTES);
}

/** One of each account, from its first byte: the others are not read before, and take no memory. */
const UPLOADS = createLimit({ each: 1 });

/**
 * A larger one takes a hundred times its size in memory at worst, from its text to its response.
 */
const LARGE_BYTES = 64 * 1024;
const LARGE_BODIES = createLimit({ at_once: 2, each: 1 });

async function readText(
  text: string,
  max_values: number,
  ctx: HttpContext,
  next: Next,
): Promise<void> {
  const value = parse(text);
  const source = await scanInTurns(text, max_values);
  if (source.depth > MAX_DEPTH) {
    throw new Refusal('invalid_json', {
      message: `The body is nested deeper than ${MAX_DEPTH} levels.`,
    });
  }
  if (source.commas > max_values) {
    throw new Refusal('invalid_json', { message: `The body has more than ${max_values} values.` });
  }
  if (source.duplicate_key !== undefined) {
    throw new Refusal('invalid_json', {
      message: 'An object in the body has the same key twice.',
      param: source.duplicate_key.slice(0, 100),
    });
  }
  const broken = findBrokenText(value);
  if (broken !== undefined) throw brokenText(broken);
  ctx.state.body = { value, source };
  await next();
}

/**
 * Some milliseconds of this process; other requests have their turn in between. Most bodies are shorter.
 */
const SCANNED_AT_ONCE = 16 * 1024;

async function scanInTurns(text: string, max_values: number): Promise<JsonSource> {
  const scan = openScan(text, max_values);
  while (scan.run(SCANNED_AT_ONCE)) await setImmediate();
  return scan.source();
}

function isOmitted({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}

function isIdentity(encoding: string): boolean {
  return encoding === '' || encoding.toLowerCase() === 'identity';
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    // The decoder's own message does not say what to do.
    throw new Refusal('invalid_json', { message: 'The body is not UTF-8.' });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // V8's message quotes the body; ours must not.
    throw new Refusal('invalid_json');
  }
}

/** The pointer of the first text or key that Postgres could not store: put together only once it is found. */
function findBrokenText(value: unknown): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : '';
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, field] of Object.entries(value)) {
    if (!isStorable(key)) return '';
    const broken = findBrokenText(field);
    if (broken !== undefined) return join(key, broken);
  }
  return undefined;
}

function join(key: string, rest: string): string {
  return rest === '' ? key : `${key}/${rest}`;
}

// These names are data like any other here, and what reads our JSON elsewhere may merge them into a
// prototype.
/** The pointer of the first key that could be taken for an object's own machinery. */
export function findPoison(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, field] of Object.entries(value)) {
    const found = RESERVED_KEYS.has(key) ? '' : findPoison(field);
    if (found !== undefined) return join(key, found);
  }
  return undefined;
}

export function poisonous(param: string): Refusal {
  return new Refusal('invalid_request', {
    message: 'No key may be named __proto__, constructor or prototype.',
    param: param.slice(0, 100),
  });
}

export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

export function brokenText(param: string): Refusal {
  return new Refusal('invalid_request', {
    message: 'Text may not contain NUL characters or lone surrogates.',
    param: param.slice(0, 100),
  });
}
