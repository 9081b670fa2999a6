// Validates query and body against their schemas. ajv compiles each schema once, when the routes
// are built.

import Ajv2020, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import { closestName } from '../../domain/closest';
import { plainReference } from '../../domain/ids';
import { counted } from '../../domain/language';
import { Refusal } from '../../domain/refusal';
import type { HttpMiddleware } from '../../http/context';
import type { ObjectSchema } from '../route';
import { FORMATS, PATTERN_FAULTS } from '../schemas';
import { brokenText, findPoison, isStorable, poisonous } from './json-body';

// The dialect of OpenAPI 3.1. `allErrors` lists every fault; bodies are small and bounded.
const ajv = new Ajv2020({
  allErrors: true,
  // A fault has the schema with it, whose other fields may be meant.
  verbose: true,
  useDefaults: true,
  strict: true,
  allowUnionTypes: true,
  formats: {
    uuid: true,
    'date-time': true,
    uri: true,
    'idn-email': FORMATS['idn-email'].is,
    'country-code': FORMATS['country-code'].is,
  },
});

export function validateQuery(schema: ObjectSchema): HttpMiddleware {
  const isValid = ajv.compile(schema);
  const integers = Object.keys(schema.properties).filter(
    (name) => schema.properties[name]?.['type'] === 'integer',
  );
  const emails = Object.keys(schema.properties).filter(
    (name) => schema.properties[name]?.['format'] === 'idn-email',
  );
  return (ctx, next) => {
    const read = new Map<string, unknown>();
    for (const [name, value] of new URLSearchParams(ctx.querystring)) {
      // A list is no value of any parameter, and is refused as one.
      read.set(name, read.has(name) ? [] : value);
    }
    const query: Record<string, unknown> = Object.fromEntries(read);
    for (const name of emails) {
      // An unescaped "+" would arrive as a space.
      const fields = new URLSearchParams(ctx.querystring.replaceAll('+', '%2B'));
      if (typeof query[name] === 'string') query[name] = fields.get(name)?.trim();
    }
    const { reference } = query;
    if (typeof reference === 'string') query['reference'] = plainReference(reference);
    for (const name of integers) {
      const text = query[name];
      // Strictly digits: `Number` would also take " 5", "0x10" and "1e1".
      if (typeof text === 'string' && /^-?\d{1,9}$/.test(text)) query[name] = Number(text);
    }
    check(isValid, query);
    for (const [name, text] of Object.entries(query)) {
      if (typeof text === 'string' && !isStorable(text)) throw brokenText(name);
    }
    ctx.state.query = query;
    return next();
  };
}

export function validateBody(schema: ObjectSchema): HttpMiddleware {
  const checkBody = bodyCheck(schema);
  return (ctx, next) => {
    checkBody(ctx.state.body?.value);
    return next();
  };
}

/**
 * Validates bodies that come in another form than JSON. The function fills in defaults, and throws
 * Refusal.
 */
export function bodyCheck(schema: ObjectSchema): (body: unknown) => void {
  const isValid = ajv.compile(schema);
  return (body) => {
    const poison = findPoison(body);
    if (poison !== undefined) throw poisonous(poison);
    check(isValid, body);
  };
}

export interface Fault {
  readonly param: string;
  /** The rest of the sentence: `is required`. */
  readonly message: string;
}

/** Checks thousands of items: each has one fault at most, because no reader needs all of them. */
const first_fault = new Ajv2020({ strict: true, allowUnionTypes: true, verbose: true });

/** The first fault of an item of a long list, by its name in the body. */
export function itemCheck(
  schema: ObjectSchema,
): (item: unknown, name: string) => Fault | undefined {
  const isValid = first_fault.compile(schema);
  return (item, name) => {
    if (isValid(item)) return undefined;
    const [error] = meantOnly(isValid.errors!);
    const param = paramOf(error!);
    return {
      param: (param === '' ? name : `${name}/${param}`).slice(0, 100),
      message: messageOf(error!),
    };
  };
}

function check(isValid: ValidateFunction, value: unknown): void {
  if (isValid(value)) return;
  const faults: Fault[] = meantOnly(isValid.errors ?? [])
    .slice(0, 10)
    .map((error) => ({
      param: paramOf(error),
      message: messageOf(error),
    }));
  const [first] = faults;
  throw new Refusal('invalid_request', {
    ...(first && first.param !== '' ? { param: first.param } : {}),
    message: first ? describe(first) : 'The request is not valid.',
    details: faults.map((fault) => ({ ...fault })),
  });
}

/** A choice between forms has the faults of the one that its `type` names: the others were not meant. */
function meantOnly(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const choice = errors.find(({ keyword }) => keyword === 'oneOf');
  if (!choice) return errors;
  const forms = choice.schema as readonly ObjectSchema[];
  const types = forms.map(({ properties }) => properties['type']?.['const']);
  const meant = types.indexOf((choice.data as { readonly type?: unknown } | null)?.type);
  return meantOnly(
    errors.flatMap((error) => {
      if (error === choice) return meant === -1 ? [withoutForm(choice, types)] : [];
      const [isOfForm, isOfMeant] = ['/', `/${meant}/`].map((end) =>
        error.schemaPath.startsWith(choice.schemaPath + end),
      );
      return isOfForm && !isOfMeant ? [] : [error];
    }),
  );
}

function withoutForm(choice: ErrorObject, types: readonly unknown[]): ErrorObject {
  const { data, instancePath } = choice;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    return { ...choice, keyword: 'type', params: { type: 'object' } };
  }
  return 'type' in data
    ? {
        ...choice,
        keyword: 'enum',
        instancePath: `${instancePath}/type`,
        params: { allowedValues: types },
      }
    : { ...choice, keyword: 'required', params: { missingProperty: 'type' } };
}

function describe({ param, message }: Fault): string {
  const text = param === '' ? `The request ${message}` : `${param} ${message}`;
  return text.endsWith('?') ? text : `${text}.`;
}

function paramOf(error: ErrorObject): string {
  const path = error.instancePath.slice(1);
  const named: unknown =
    error.keyword === 'required'
      ? error.params['missingProperty']
      : error.keyword === 'additionalProperties'
        ? error.params['additionalProperty']
        : undefined;
  if (typeof named !== 'string') return path.slice(0, 100);
  return (path === '' ? named : `${path}/${named}`).slice(0, 100);
}

function messageOf(error: ErrorObject): string {
  const bound = Number(error.params['limit']);
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return unknownField(error);
    case 'type':
      return `must be ${[error.params['type']].flat().map(typeText).join(' or ')}`;
    case 'minimum':
      return `must be at least ${bound}`;
    case 'exclusiveMinimum':
      return `must be more than ${bound}`;
    case 'maximum':
      return `must be at most ${bound}`;
    case 'minLength':
      return bound === 1
        ? 'must not be empty'
        : `must have at least ${counted('en', bound, 'character', 'characters')}`;
    case 'maxLength':
      return `must have at most ${counted('en', bound, 'character', 'characters')}`;
    case 'minItems':
      return bound === 1
        ? 'must not be empty'
        : `must have at least ${counted('en', bound, 'item', 'items')}`;
    case 'maxItems':
      return `must have at most ${counted('en', bound, 'item', 'items')}`;
    case 'enum':
      return `must be one of ${(error.params['allowedValues'] as unknown[]).join(', ')}`;
    case 'minProperties':
      return 'must have at least one field';
    case 'format':
      return (
        FORMATS[String(error.params['format']) as keyof typeof FORMATS]?.fault ??
        error.message ??
        ''
      );
    case 'pattern':
      return (
        PATTERN_FAULTS.get(String(error.params['pattern'])) ??
        'has characters that it must not have'
      );
    default:
      return error.message ?? 'is not valid';
  }
}

function unknownField({ params, parentSchema }: ErrorObject): string {
  const known = Object.keys((parentSchema?.['properties'] as object | undefined) ?? {});
  const meant = closestName(String(params['additionalProperty']), known);
  return meant === undefined
    ? 'is not a known field'
    : `is not a known field. Did you mean ${meant}?`;
}

const TYPES: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

function typeText(type: string): string {
  return TYPES[type] ?? type;
}
