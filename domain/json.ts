// JSON text with exact decimals. `JSON.stringify` cannot write 5000.00 as a number on Node 20.

/** A JSON value written with exactly this text. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Names of no member: they could be taken for an object's own machinery. */
export const RESERVED_KEYS: ReadonlySet<string> = new Set([
  '__proto__',
  'constructor',
  'prototype',
]);
/** A JSON number written with exactly this text. */
export class Decimal extends JsonText {}

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | JsonText
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/** Joins the texts of objects, of which none is empty, into that of one object. */
export function joinObjects(...objects: readonly string[]): string {
  return `{${objects.map((text) => text.slice(1, -1)).join(',')}}`;
}

/** A resource in its presenter's text, with more fields after its own. */
export function withFields(
  { json }: { readonly json: string },
  fields: Readonly<Record<string, JsonValue>>,
): JsonText {
  return new JsonText(joinObjects(json, renderJson(fields)));
}

/** Fields that are undefined are left out, as `JSON.stringify` does. */
export function renderJson(value: JsonValue): string {
  if (typeof value === 'string') return renderText(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (value instanceof JsonText) return value.text;
  if (isArray(value)) return renderArray(value);
  let text = '{';
  for (const key in value) {
    const field = value[key];
    if (field === undefined) continue;
    text += `${text === '{' ? '' : ','}${renderText(key)}:${renderJson(field)}`;
  }
  return `${text}}`;
}

function renderArray(values: readonly JsonValue[]): string {
  let text = '[';
  for (const value of values) text += `${text === '[' ? '' : ','}${renderJson(value)}`;
  return `${text}]`;
}

// Most texts need no escape, and this check costs less than escaping.
const NEEDS_NO_ESCAPE = /^[ !#-[\]-~]*$/;

function renderText(text: string): string {
  return NEEDS_NO_ESCAPE.test(text) ? `"${text}"` : JSON.stringify(text);
}

// `Array.isArray` does not narrow readonly arrays.
function isArray(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
