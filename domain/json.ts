// JSON text with exact decimals. `JSON.stringify` cannot write 5000.00 as a number on Node 20.

/** A JSON number written with exactly this text. */
export class Decimal {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | Decimal
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/** Fields that are undefined are left out, as `JSON.stringify` does. */
export function renderJson(value: JsonValue): string {
  if (typeof value === 'string') return renderText(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (value instanceof Decimal) return value.text;
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
