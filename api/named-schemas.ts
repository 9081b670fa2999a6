// The named schemas of the OpenAPI document: each schema with a title is listed once under it, and
// referred to wherever it occurs. The routes validate with the schemas as they are written.

import { isDeepStrictEqual } from 'node:util';

type Json = Readonly<Record<string, unknown>>;

export interface NamedSchemas {
  /** The schema with references in place of the named ones. */
  readonly refer: (schema: unknown) => unknown;
  /** The schemas by name, for `components.schemas`. */
  readonly schemas: Json;
}

/** These may differ from one place to the next, beside a reference. */
const ANNOTATIONS = new Set(['description', 'default', 'examples']);
/** Hold values and not schemas. */
const VALUES = new Set(['const', 'default', 'enum', 'examples', 'required']);

/**
 * `roots` is every schema of the document.
 * @throws Error when two schemas that differ in more than annotations have the same title
 */
export function nameSchemas(roots: readonly unknown[]): NamedSchemas {
  const bases = new Map<string, Json>();
  for (const root of roots) collect(root, bases);
  const refer = (schema: unknown): unknown => {
    if (!isObject(schema)) return map(schema, refer);
    const base = bases.get(String(schema['title']));
    return base ? reference(schema, base) : map(schema, refer);
  };
  const listed = [...bases].sort(([one], [other]) => (one < other ? -1 : 1));
  const schemas = Object.fromEntries(
    listed.map(([title, { title: _title, ...schema }]) => [title, map(schema, refer)]),
  );
  return { refer, schemas };
}

function collect(schema: unknown, bases: Map<string, Json>): void {
  if (isObject(schema) && typeof schema['title'] === 'string') {
    const { title } = schema;
    const base = bases.get(title);
    if (base && !isDeepStrictEqual(withoutAnnotations(schema), withoutAnnotations(base))) {
      throw new Error(`Two schemas have the title ${title}: give one of them another title.`);
    }
    // The bare one: a copy with annotations of its own has at least as many keys.
    if (!base || Object.keys(schema).length < Object.keys(base).length) bases.set(title, schema);
  }
  map(schema, (inner) => collect(inner, bases));
}

/** OpenAPI 3.1 allows annotations beside a reference. */
function reference(schema: Json, base: Json): Json {
  const own = Object.entries(schema).filter(([key, value]) => !isDeepStrictEqual(value, base[key]));
  return { $ref: `#/components/schemas/${String(base['title'])}`, ...Object.fromEntries(own) };
}

function withoutAnnotations(schema: Json): Json {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !ANNOTATIONS.has(key)));
}

/** Applies a function to the schemas right inside of a schema or of a list of schemas. */
function map(schema: unknown, apply: (inner: unknown) => unknown): unknown {
  if (Array.isArray(schema)) return schema.map(apply);
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).map(([key, value]) => {
    if (VALUES.has(key)) return [key, value];
    // The names of fields are no keywords.
    if (key === 'properties' && isObject(value)) {
      return [key, Object.fromEntries(Object.entries(value).map(([k, v]) => [k, apply(v)]))];
    }
    return [key, apply(value)];
  });
  return Object.fromEntries(entries);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
