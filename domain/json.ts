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
  if (value instanceof Decimal) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(renderJson).join(',')}]`;
  let text = '';
  for (const key in value) {
    const field = value[key];
    if (field === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${renderJson(field)}`;
  }
  return `{${text}}`;
}

// `Array.isArray` does not narrow readonly arrays.
function isArray(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
