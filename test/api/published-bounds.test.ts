// Every route refuses what the published document refuses and takes what it allows: each field of each body and query,
// with values at its bounds and beyond them. The document is the checked-in one, which merchants have: a bound that
// gets lost in a schema shows here as a request that is let through. A body of another type or form is refused by all.

import addFormats from 'ajv-formats';
import Ajv2020 from 'ajv/dist/2020';
import document from '../../api/openapi.json';
import { FORMATS } from '../../api/schemas';
import { ROUTES } from '../../api/routes';
import { forEach } from '../../domain/limit';
import { createTestDatabase, setUp } from '../support/database';
import { insist } from '../support/http';
import { startTestService } from '../support/service';
import { buildAccount } from './support/accounts';
import { callApi, refusal } from './support/contract';
import { countEffects } from './support/effects';

// oxlint-disable-next-line typescript/no-explicit-any -- a JSON schema, or what one describes
type Json = any;
type Path = readonly string[];

const database = setUp(createTestDatabase);
const service = setUp(() => startTestService({ database }));
const account = setUp(() => buildAccount(database));

const ajv = new Ajv2020({ strict: false });
addFormats(ajv);
for (const [name, { is }] of Object.entries(FORMATS)) ajv.addFormat(name, is);
ajv.addSchema(document, 'document');

/** The schema that a reference names, with the fields beside it. */
function resolve({ $ref, ...rest }: Json): Json {
  if ($ref === undefined) return rest;
  const name = $ref.split('/').at(-1) as keyof typeof document.components.schemas;
  return { ...resolve(document.components.schemas[name]), ...rest };
}

const verdicts = new Map<string, (value: unknown) => unknown>();

/** Whether the document allows the value. No text may have NUL or half of a pair in it, which a schema cannot say. */
function isAllowed(schema: Json, value: unknown): boolean {
  const text = JSON.stringify(schema);
  if (!verdicts.has(text)) {
    const whole = JSON.parse(text.replaceAll('"#/', '"document#/')) as object;
    verdicts.set(text, ajv.compile(whole));
  }
  return isStorable(value) && verdicts.get(text)!(value) === true;
}

const isStorable = (value: unknown): boolean =>
  !/\\u(0000|d[89a-f])/.test(JSON.stringify(value) ?? '');

const KINDS = ['x', 1.5, null, {}];
const TEXTS = ['', ' ', 'a\ud800', 'two\nlines', 'a@b', 'UK', 'SN', '+221770000100'];

/** Values at the bounds of a schema, beyond them, and of other kinds. */
function* valuesOf(schema: Json): Generator<unknown> {
  yield* KINDS;
  yield* schema.examples ?? [];
  yield* [schema.enum?.[0], schema.enum?.at(-1)].filter((value) => value !== undefined);
  for (const bound of [schema.minimum, schema.maximum, schema.exclusiveMinimum]) {
    if (bound !== undefined) yield* [bound - 1, bound, bound + 1];
  }
  if (schema.pattern || schema.format) yield* TEXTS;
  if ([schema.type].flat().includes('string') && !schema.enum) yield 'a\0b';
  const { minLength = 0, maxLength, minItems, maxItems, maxProperties } = schema;
  if (minLength > 0) yield* ['x'.repeat(minLength), 'x'.repeat(minLength - 1)];
  if (maxLength !== undefined) yield* ['😀'.repeat(maxLength), 'x'.repeat(maxLength + 1)];
  const [one] = resolve(schema.items ?? {}).enum ?? [];
  if (one !== undefined) {
    for (const count of [minItems - 1, maxItems + 1]) if (count >= 0) yield Array(count).fill(one);
  }
  for (const count of maxProperties === undefined ? [] : [maxProperties, maxProperties + 1]) {
    yield Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']));
  }
}

/** A value that the schema allows. */
function sampleOf(given: Json): Json {
  const schema = resolve(given);
  if (schema.const !== undefined) return schema.const;
  if (schema.type === 'object') {
    return Object.fromEntries(
      schema.required.map((name: string) => [name, sampleOf(schema.properties[name])]),
    );
  }
  return [...(schema.enum ?? []), '+221770000100', 'xxxx'].find((value) => isAllowed(given, value));
}

/** Each request is refused for this reason at least, so that nothing is carried out when a bound is lost. */
const UNKNOWN = { no_such_field: '1' };

const isInList = (path: Path): boolean => path.includes('0');
/** Broken text is refused before all else, and faults of items are told only where all else is right. */
const isToldBeside = (path: Path, value: unknown): boolean => isStorable(value) && !isInList(path);

interface Case {
  readonly path: Path;
  readonly value: unknown;
  readonly is_allowed: boolean;
  readonly base: Json;
}

/** Every case of a field and of those inside; `base` has the fields beside it. */
function* casesOf(given: Json, path: Path, base: Json): Generator<Case> {
  const schema = resolve(given);
  const at = (value: unknown): Case => ({ path, value, is_allowed: isAllowed(given, value), base });
  if (path.length > 0) for (const value of valuesOf(schema)) yield at(value);
  for (const one of [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) {
    const inner = resolve(one);
    const sample = inner.type === 'object' ? sampleOf(one) : undefined;
    yield* casesOf(one, path, sample === undefined ? base : put(base, path, sample));
  }
  for (const [name, field] of Object.entries<Json>(schema.properties ?? {})) {
    if (field.const === undefined) yield* casesOf(field, [...path, name], base);
  }
  for (const name of schema.required ?? []) {
    yield { path: [...path, name], value: undefined, is_allowed: false, base };
  }
  if (schema.additionalProperties === false) {
    yield { path: [...path, 'no_such_field'], value: 1, is_allowed: false, base };
  }
  if (typeof schema.additionalProperties === 'object') {
    yield* casesOf(schema.additionalProperties, [...path, 'k'], base);
    for (const name of ['', 'k'.repeat(40), 'k'.repeat(41)]) yield at({ [name]: 'v' });
  }
  if (schema.items?.$ref && resolve(schema.items).type === 'object') {
    yield* casesOf(schema.items, [...path, '0'], base);
  }
}

/** A copy with another value at this path; undefined takes the field away. */
function put(base: Json, [name, ...rest]: Path, value: unknown): Json {
  if (name === undefined) return value;
  const copy = Array.isArray(base) ? [...base] : { ...base };
  const inner = rest.length === 0 ? value : put(copy[name] ?? {}, rest, value);
  if (Array.isArray(copy)) copy[Number(name)] = inner;
  else
    Object.defineProperty(copy, name, {
      value: inner,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  return copy;
}

const concrete = (path: string) => path.replace(/\{\w+\}/g, 'x');

const ROWS = ROUTES.map((route) => {
  const items: Json = document.paths[route.path as keyof typeof document.paths];
  return [`${route.method} ${route.path}`, route, items?.[route.method.toLowerCase()]] as const;
});

it('are of every route, and of no other', () => {
  expect(ROWS.filter(([, , operation]) => operation === undefined)).toEqual([]);
  const published = Object.values<object>(document.paths).flatMap(Object.keys);
  expect(published).toHaveLength(ROWS.length);
});

/** The answers that differ from the document, in words. */
async function disagreements(
  cases: Iterable<Case>,
  send: (one: Case) => Promise<{ status: number; text: string; json: Json }>,
): Promise<string[]> {
  const found: string[] = [];
  await forEach([...cases], 8, async (one) => {
    const { status, text, json } = await insist(() => send(one));
    // An item has one fault, which may be told of another field of a choice.
    const name = one.path.slice(0, isInList(one.path) ? 3 : undefined).join('/');
    const faults: { param: string; message: string }[] = json?.error?.details ?? [];
    const params = [...faults.map(({ param }) => param), json?.error?.param ?? ''];
    const is_refused = params.some(
      (param) =>
        param === name ||
        (param && `${name}/`.startsWith(`${param}/`)) ||
        param.startsWith(`${name}/`),
    );
    if (status === 422 && is_refused === !one.is_allowed) return;
    const value = JSON.stringify(one.value)?.slice(0, 60) ?? 'left out';
    const said = one.is_allowed ? 'allows' : 'refuses';
    found.push(
      `the document ${said} ${name}: ${value}, the service answers ${status} ${text.slice(0, 300)}`,
    );
  });
  return found;
}

describe.each(ROWS.filter(([, { body }]) => body))(
  'the body of %s',
  (_name, { method, path }, operation) => {
    const send = (body: unknown, headers = {}) =>
      callApi(service, method, concrete(path), { key: account.sandbox, body, headers });
    const { schema, example } = operation.requestBody.content['application/json'];

    it('is refused where the document refuses it, field by field, and nowhere else', async () => {
      // An item has rules beside those of the schema.
      const cases = [...casesOf(schema, [], example)].filter(
        (one) => !(one.is_allowed && isInList(one.path)),
      );
      expect(cases.length).toBeGreaterThan(5);
      const refuse = ({ path: name, base, value }: Case) =>
        send({ ...put(base, name, value), ...(isToldBeside(name, value) ? UNKNOWN : {}) });
      expect(await disagreements(cases, refuse)).toEqual([]);
    });

    it('is refused when it is of another type, or no JSON', async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
        expect(await send(JSON.stringify(example), { 'content-type': type })).toMatchObject(
          refusal('unsupported_media_type'),
        );
      }
      for (const text of ['{', '{"a":1,"a":2}', '05']) {
        expect(await send(text)).toMatchObject(refusal('invalid_json'));
      }
      expect((await send('null')).status).toBe(422);
    });
  },
);

describe.each(ROWS.filter(([, { query }]) => query))(
  'the query of %s',
  (_name, { method, path }, operation) => {
    it('is refused where the document refuses it, field by field, and nowhere else', async () => {
      const parameters = operation.parameters.filter((one: Json) => one.in === 'query');
      const cases = parameters.flatMap(({ name, schema, required }: Json) => {
        const is_integer = resolve(schema).type === 'integer';
        // The address has no lists of its own, and no half of a pair.
        const read = [...valuesOf(resolve(schema))].filter(
          (value) => typeof value !== 'object' && value !== true && value !== 'a\ud800',
        );
        const texts = is_integer ? ['', ' 5', '5 ', '0x10', '1e1', '1.5', '+1', '١'] : [];
        // The query is text: a number is one only where the schema asks for one.
        const values = read.map((value) =>
          is_integer || typeof value === 'string' ? value : String(value),
        );
        return [...values, ...texts, ['1', '1'], ...(required ? [undefined] : [])].map((value) => ({
          path: [name],
          value,
          is_allowed: isAllowed(schema, value),
          base: {},
        }));
      });
      const ask = ({ path: [name], value }: Case) => {
        const query = new URLSearchParams(isToldBeside([name!], value) ? UNKNOWN : {});
        const texts = (value === undefined ? [] : [value].flat()) as (string | number)[];
        for (const text of texts) query.append(name!, String(text));
        const asked = `${concrete(path)}?${query.toString()}`;
        return callApi(service, method, asked, { key: account.sandbox });
      };
      expect(await disagreements(cases, ask)).toEqual([]);
    });
  },
);

it('leave nothing behind', async () => {
  expect(await countEffects(database)).toMatchObject({ transfers: '0', keys: '0' });
});
