// The log shows a merchant the path of a request and what it was about, and of a refused one its body and our response,
// without what is personal or secret (docs/decisions/database.md).

import type { KeptCall, RefusedRequest } from '../db/requests/access-log';
import { isCurrency } from '../domain/currency';
import { isPlainKey, isShortCode, isUuid, REFERENCE_PATTERN } from '../domain/ids';
import type { HttpContext } from './context';

/** Fields whose values are kept, where they are short and plain. Of every other only the name is. */
const PLAIN: ReadonlySet<string> = new Set([
  'after',
  'amount',
  'created_from',
  'created_to',
  'currency',
  'cursor',
  'direction',
  'dry_run',
  'endpoint_id',
  'expires_in',
  'limit',
  'overlap_seconds',
  'status',
  'to_username',
  'transfers',
  'type',
  'types',
]);
const HIDDEN = '…';
const PLAIN_TEXT = /^[\x20-\x7e]{0,64}$/;
/** A field's name that is no number of a card or a phone, and no token. */
const NAME = /^(?!.*\d{4})[a-z_][\w.-]{0,39}$/i;
/** A username that may be such a number is hidden, too. */
const MANY_DIGITS = /\d{7}/;
/** More of a list or an object, and deeper, is not kept: a batch has thousands of items. */
const MOST = { items: 3, fields: 30, depth: 4 };
const MAX_PATH = 300;
/** Characters of all that is kept of one request. */
const MAX_KEPT = 4_000;
const REFERENCE = new RegExp(REFERENCE_PATTERN);
const MONTH = /^\d{4}-\d{2}$/;
/** API keys and webhook secrets, wherever a caller has put them by mistake. */
const SECRET = /[a-z0-9]+_(?:live|test)_[0-9A-Za-z]+|whsec_[\w+/=-]+/gi;

/** Responses begin with the names of the object that was made or read. */
const NAMED = /,"(?:\w+_)?(?:id|reference|code)":"([\w-]{1,64})"/y;
const MOST_NAMES = 8;

/** The log of each call with a key, refused or not, shows these, and is searched by them. */
export function keepCall(ctx: HttpContext): KeptCall {
  const path = pathOf(ctx, '');
  const { idempotency_key, route } = ctx.state;
  const key = idempotency_key ?? (ctx['params'] as { readonly key?: string } | undefined)?.key;
  const isKept = key !== undefined && isPlainKey(key) && key.search(SECRET) === -1;
  const names = [...path.split('/'), ...namesIn(ctx.body)].filter(isName);
  return {
    path: path === route ? null : path,
    idempotency_key: isKept ? key : null,
    fault: ctx.response.get('Sandbox-Fault-Applied') || null,
    names: names.length === 0 ? null : [...new Set(names)].slice(0, MOST_NAMES),
  };
}

function namesIn(body: unknown): string[] {
  const names: string[] = [];
  const OK = '{"ok":true';
  if (typeof body !== 'string' || !body.startsWith(OK)) return names;
  NAMED.lastIndex = OK.length;
  for (let found = NAMED.exec(body); found; found = NAMED.exec(body)) names.push(found[1]!);
  return names;
}

interface KeptRefusal {
  readonly code: string | null;
  readonly refusal: string | null;
}

/** Nothing for what was answered well. */
export function keepRefusal(ctx: HttpContext): KeptRefusal {
  const response = ctx.status < 400 ? undefined : readResponse(ctx.body);
  if (!response) return { code: null, refusal: null };
  const path = pathOf(ctx, ctx.querystring);
  const { body } = ctx.state;
  const request = body && redact(body.value, '', MOST.depth);
  const hide = hiderOf(response);
  const all = { path, request, response };
  const [kept = null] = [all, { path, response }, { path }].flatMap((one) =>
    withoutSecrets(one, hide),
  );
  return { code: response.error.code, refusal: kept };
}

interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly param?: string;
    readonly details?: readonly { readonly param?: unknown }[];
  };
}

function readResponse(body: unknown): ErrorBody | undefined {
  if (typeof body !== 'string' || !body.startsWith('{"ok":false,')) return undefined;
  return JSON.parse(body) as ErrorBody;
}

/** Takes out the names of fields that may be values: the response names fields that it does not know. */
function hiderOf({ error: { param, details } }: ErrorBody): (text: string) => string {
  const named = Array.isArray(details) ? details.map((one) => one.param) : [];
  const names = [param, ...named]
    .filter((one) => typeof one === 'string')
    .flatMap((one) => one.split('/'))
    .filter((name) => name !== '' && !NAME.test(name) && !/^\d{1,5}$/.test(name));
  const written = names.map((name) => JSON.stringify(name).slice(1, -1));
  return (text) => written.reduce((rest, name) => rest.replaceAll(name, HIDDEN), text);
}

/** Nothing where it is too long. */
function withoutSecrets(refusal: RefusedRequest, hide: (text: string) => string): string[] {
  const text = hide(JSON.stringify(refusal).replaceAll(SECRET, HIDDEN));
  return text.length <= MAX_KEPT ? [text] : [];
}

/** Returns the path that was asked for, with the values of plain parameters only. */
function pathOf({ path, state }: HttpContext, querystring: string): string {
  const query = [...new URLSearchParams(querystring)].slice(0, MOST.fields).map(([name, value]) => {
    return `${NAME.test(name) ? name : HIDDEN}=${String(redact(value, name, 0))}`;
  });
  const words = state.words ?? new Set((state.route ?? '').split('/'));
  const asked = path
    .split('/')
    .map((segment) => (words.has(segment) || isOurs(segment) ? segment : HIDDEN))
    .join('/');
  return (query.length === 0 ? asked : `${asked}?${query.join('&')}`).slice(0, MAX_PATH);
}

/** Ids, and what else a path of ours may have. Ten digits may be a phone. */
function isOurs(text: string): boolean {
  return isName(text) || isCurrency(text) || MONTH.test(text);
}

function isName(text: string): boolean {
  return (isShortCode(text) && /\D/.test(text)) || isUuid(text) || REFERENCE.test(text);
}

function redact(value: unknown, name: string, depth: number): unknown {
  if (value === null || typeof value === 'boolean') return value;
  if (Array.isArray(value)) {
    const rest = value.length > MOST.items ? [HIDDEN] : [];
    if (depth === 0) return [HIDDEN];
    return [...value.slice(0, MOST.items).map((item) => redact(item, name, depth - 1)), ...rest];
  }
  if (typeof value === 'object') {
    if (depth === 0) return HIDDEN;
    const fields = Object.entries(value).slice(0, MOST.fields);
    return Object.fromEntries(
      fields.map(([field, inner]) => [
        NAME.test(field) ? field : HIDDEN,
        redact(inner, field, depth - 1),
      ]),
    );
  }
  const isText = typeof value === 'string' || typeof value === 'number';
  const isPlain = isText && PLAIN.has(name) && PLAIN_TEXT.test(String(value));
  if (!isPlain || (name === 'to_username' && MANY_DIGITS.test(String(value)))) return HIDDEN;
  return value;
}
