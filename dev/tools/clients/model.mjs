// Reads the OpenAPI document into what every language needs and nothing else: resources with methods, models,
// events and error codes. What it does not understand is an error here, and no surprise in a client.
//
// A type is one of
//   { kind: 'string' | 'integer' | 'boolean' | 'amount' | 'any' }    an amount is an exact decimal, never a float
//   { kind: 'ref', name }                                            a model
//   { kind: 'enum', values }   { kind: 'const', value }
//   { kind: 'array', items }   { kind: 'map', values }   { kind: 'union', of }   { kind: 'bytes' }, a file
// and `nullable: true` stands beside `kind` where null may come.
//
// A model is { name, doc, type, is_request, is_response } with one of those types, or with
//   { kind: 'object', fields: [{ name, type, required, doc }] }.
//
// A method is { name, operation_id, http, path, path_parameters, query, query_name, body, response, keyed, page,
// summary, doc, errors, accept }: `accept` is the type of a file, `body` is { type, required }, `keyed` the operation of its Idempotency-Key, and `page`
// { items, item, cursor }: the field that holds the rows, their type, and the parameter that takes `next_cursor`.

import { keyedOperation, nameOperation, pascal } from './names.mjs';
import { byName } from './types.mjs';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

export function readModel(document) {
  const { schemas } = document.components;
  const models = Object.entries(schemas).map(([name, schema]) => ({
    name,
    doc: schema.description ?? '',
    type: readType(schema, name),
  }));
  const resources = readResources(document);
  const events = Object.entries(document.webhooks).map(([type, { post }]) => ({
    type,
    data: readType(eventData(post), type),
    summary: post.summary,
    doc: post.description ?? '',
  }));
  const methods = resources.flatMap((resource) => resource.methods);
  const requests = reach(
    models,
    methods.flatMap(({ body, query }) => [body?.type, ...query.map((q) => q.type)]),
  );
  const responses = reach(models, [
    ...methods.map(({ response }) => response),
    ...events.map(({ data }) => data),
    { kind: 'ref', name: 'Error' },
    { kind: 'ref', name: 'Event' },
  ]);
  const marked = models.map((model) => ({
    ...model,
    is_request: requests.has(model.name),
    is_response: responses.has(model.name),
  }));
  const { title, version } = document.info;
  const error_codes = schemas.ErrorCode.enum;
  return { title, version, resources, models: marked, events, error_codes, ...amountNames(models) };
}

function readResources(document) {
  const resources = new Map();
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const http of METHODS.filter((method) => method in operations)) {
      const operation = operations[http];
      const { resource, method } = nameOperation(http.toUpperCase(), path, operation.operationId);
      const methods = resources.get(resource) ?? [];
      if (methods.some(({ name }) => name === method)) {
        throw new Error(`Two operations are called ${resource}.${method}: name one in names.mjs.`);
      }
      const read = readMethod(method, http, path, operation, document.components.schemas);
      resources.set(resource, [...methods, read, ...filesOf(read, operation.description)]);
    }
  }
  return [...resources].map(([name, methods]) => ({ name, methods }));
}

/** A method for each file that an operation gives, `list_csv` beside `list`; the document tells of them in words. */
function filesOf(method, description = '') {
  return [...description.matchAll(/`Accept: (\w+\/(\w+))`/g)].map(([, accept, kind]) => ({
    ...method,
    name: `${method.name}_${kind}`,
    summary: `${method.summary}, as ${kind.toUpperCase()}`,
    response: { kind: 'bytes' },
    page: null,
    accept,
  }));
}

function readMethod(name, http, path, operation, schemas) {
  const {
    operationId,
    parameters = [],
    requestBody,
    responses,
    summary,
    description = '',
  } = operation;
  const placed = (place) => parameters.filter((parameter) => parameter.in === place);
  const query = placed('query').map((parameter) => ({
    name: parameter.name,
    type: readType(parameter.schema, `${operationId}.${parameter.name}`),
    required: parameter.required === true,
    doc: parameter.description ?? parameter.schema.description ?? '',
  }));
  const body = requestBody?.content['application/json'];
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const response = readType(success.content['application/json'].schema, operationId);
  return {
    name,
    operation_id: operationId,
    http: http.toUpperCase(),
    path,
    path_parameters: placed('path').map(({ name, description = '' }) => ({
      name,
      doc: description,
    })),
    query,
    query_name: `${pascal(operationId)}Params`,
    body: body
      ? { type: readType(body.schema, operationId), required: requestBody.required === true }
      : null,
    response,
    keyed: placed('header').some((header) => header.name === 'Idempotency-Key')
      ? keyedOperation(operationId, path, schemas.IdempotentOperation.enum)
      : null,
    page: readPage(response, query, schemas),
    summary,
    doc: description.replace(
      /(w)ith `Accept: \w+\/(\w+)`/gi,
      (_, first, kind) => `${first === 'W' ? 'A' : 'a'}s ${kind.toUpperCase()}`,
    ),
    errors: Object.values(responses).flatMap(({ description: text = '' }) =>
      [...text.matchAll(/`([a-z_]+)`: /g)].map(([, code]) => code),
    ),
  };
}

function readPage(response, query, schemas) {
  const properties = schemas[response.name]?.properties;
  if (!properties?.next_cursor) return null;
  const rows = Object.entries(properties).filter(([, schema]) => schema.type === 'array');
  // A list that has a single page takes none.
  const cursor = query.find(({ name }) => name === 'cursor' || name === 'after')?.name ?? null;
  if (rows.length !== 1) throw new Error(`The pages of ${response.name} are not understood.`);
  const [items, schema] = rows[0];
  return { items, item: readType(schema.items, response.name), cursor };
}

function readType(schema, where) {
  const { $ref, anyOf, oneOf, enum: values, const: value } = schema;
  if ($ref) return { kind: 'ref', name: $ref.split('/').pop() };
  const choices = anyOf ?? oneOf;
  if (choices) {
    const of = choices
      .filter(({ type }) => type !== 'null')
      .map((choice) => readType(choice, where));
    const type = of.length === 1 ? of[0] : { kind: 'union', of };
    return of.length < choices.length ? { ...type, nullable: true } : type;
  }
  if (value !== undefined) return { kind: 'const', value };
  if (schema.type === 'null') return { kind: 'const', value: null };
  const types = [schema.type].flat();
  const plain = types.filter((type) => type !== 'null');
  const nullable = plain.length < types.length ? { nullable: true } : {};
  if (values) return { kind: 'enum', values: values.filter((item) => item !== null), ...nullable };
  if (plain.length > 1) {
    // A number is an amount where it stands alone or may be text; in another union, as in metadata, it is a number.
    if (plain.join() === 'number,string') return { kind: 'amount', ...nullable };
    const of = plain.map((type) =>
      type === 'number' ? { kind: 'number' } : readType({ ...schema, type }, where),
    );
    return { kind: 'union', of, ...nullable };
  }
  return { ...readPlain(plain[0], schema, where), ...nullable };
}

function readPlain(type, schema, where) {
  switch (type) {
    case 'string':
    case 'integer':
    case 'boolean':
      return { kind: type };
    // Every fraction that the API knows is money.
    case 'number':
      return { kind: 'amount' };
    case 'array':
      return { kind: 'array', items: readType(schema.items, `${where}[]`) };
    case 'object':
      return readObject(schema, where);
    default:
      if (Object.keys(schema).every((key) => key === 'description')) return { kind: 'any' };
      throw new Error(`The type of ${where} is not understood: ${JSON.stringify(schema)}`);
  }
}

function readObject(schema, where) {
  const { properties, additionalProperties, required = [] } = schema;
  if (properties) {
    if (where.includes('.'))
      throw new Error(`${where} is an object without a name: give its schema one.`);
    const fields = Object.entries(properties).map(([name, property]) => ({
      name,
      type: readType(property, `${where}.${name}`),
      required: required.includes(name),
      doc: property.description ?? '',
    }));
    return { kind: 'object', fields };
  }
  const values =
    typeof additionalProperties === 'object'
      ? readType(additionalProperties, where)
      : { kind: 'any' };
  return { kind: 'map', values };
}

/** An event is all of `Event` with the data of its type. */
function eventData(post) {
  const { allOf } = post.requestBody.content['application/json'].schema;
  return allOf.find(({ properties }) => properties?.data).properties.data;
}

/** The names of all models that these types lead to. */
function reach(models, types) {
  const reached = new Set();
  const visit = (type) => {
    if (!type) return;
    if (type.kind === 'ref') {
      if (reached.has(type.name)) return;
      reached.add(type.name);
      visit(models.find(({ name }) => name === type.name)?.type);
      return;
    }
    for (const inner of [
      type.items,
      type.values?.kind ? type.values : undefined,
      ...(type.of ?? []),
    ])
      visit(inner);
    for (const field of type.fields ?? []) visit(field.type);
  };
  types.forEach(visit);
  return reached;
}

/**
 * `amount_names` are called amounts wherever they stand. `mixed_names` are an amount here and a count there, as
 * `total` is: they tell by being written with decimals.
 */
function amountNames(models) {
  const amounts = new Set();
  const counts = new Set();
  const visit = (name, type) => {
    if (type.kind === 'amount') amounts.add(name);
    if (type.kind === 'integer') counts.add(name);
    if (type.kind === 'array') visit(name, type.items);
    for (const inner of type.of ?? []) visit(name, inner);
    for (const field of type.fields ?? []) visit(field.name, field.type);
  };
  for (const { type } of models) visit('', type);
  const sorted = [...amounts].toSorted(byName);
  return {
    amount_names: sorted.filter((name) => !counts.has(name)),
    mixed_names: sorted.filter((name) => counts.has(name)),
  };
}
