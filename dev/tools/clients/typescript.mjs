// The generated half of clients/typescript.

import { readFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { camel, pascal } from './names.mjs';

export const GENERATED = 'clients/typescript/source/generated';

const PACKAGE = new URL('../../../clients/typescript/package.json', import.meta.url);
const HEADER = '// Written by npm run clients from api/openapi.json.\n\n';

export async function render(model) {
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8'));
  const files = {
    'models.ts': renderModels(model),
    'resources.ts': renderResources(model),
    'amounts.ts': renderAmounts(model),
    'version.ts': `export const VERSION = '${version}';\n`,
  };
  const config = await resolveConfig(new URL(import.meta.url));
  const formatted = Object.entries(files).map(async ([name, text]) => [
    name,
    await format(HEADER + text, { ...config, parser: 'typescript' }),
  ]);
  return Object.fromEntries(await Promise.all(formatted));
}

function renderModels({ models, resources, events }) {
  const methods = resources.flatMap((resource) => resource.methods);
  const queries = methods.filter(({ query, accept }) => query.length > 0 && !accept);
  return [
    '/** A value that there may be tomorrow passes: `switch` with a default. */',
    'export type Open<T extends string> = T | (string & {});\n',
    '/** An exact decimal, such as "5000.00": never a number. */',
    'export type Amount = string;\n',
    ...models.map((model) => renderModel(model, models)),
    ...queries.map(({ query, query_name, summary }) =>
      renderInterface(query_name, summary, query, { models }),
    ),
    `${doc('An event with the data of its type. Types that there are not yet come too.')}export type WebhookEvent = ${events
      .map(({ type, data }) => `EventOf<'${type}', ${renderType(data, { models, isOpen: true })}>`)
      .join(' | ')};\n`,
    "export interface EventOf<Type extends string, Data> extends Omit<Event, 'type' | 'data'> { type: Type; data: Data }\n",
  ].join('\n');
}

function renderModel({ name, doc: text, type, is_response }, models) {
  const context = { models, isOpen: is_response };
  if (type.kind === 'object') return renderInterface(name, text, type.fields, context);
  // Where it is used says whether it is open.
  return `${doc(text)}export type ${name} = ${renderType(type, { models, isOpen: false })};\n`;
}

function renderInterface(name, text, fields, context) {
  const lines = fields.map((field) => {
    const value = renderType(field.type, context);
    const isOptional = !field.required;
    return `${doc(field.doc)}${field.name}${isOptional ? '?' : ''}: ${value}${isOptional ? ' | undefined' : ''};`;
  });
  return `${doc(text)}export interface ${name} {\n${lines.join('\n')}\n}\n`;
}

function renderType(type, context) {
  const text = renderPlain(type, context);
  return type.nullable ? `${text} | null` : text;
}

function renderPlain(type, context) {
  const { models, isOpen } = context;
  const open = (text) => (isOpen ? `Open<${text}>` : text);
  switch (type.kind) {
    case 'string':
    case 'boolean':
      return type.kind;
    case 'integer':
    case 'number':
      return 'number';
    case 'amount':
      return 'Amount';
    case 'any':
      return 'unknown';
    case 'bytes':
      return 'Uint8Array';
    case 'const':
      return JSON.stringify(type.value);
    case 'enum':
      return open(type.values.map((value) => `'${value}'`).join(' | '));
    case 'ref':
      return models.find(({ name }) => name === type.name)?.type.kind === 'enum'
        ? open(type.name)
        : type.name;
    case 'array':
      return `(${renderType(type.items, context)})[]`;
    case 'map':
      return `Record<string, ${renderType(type.values, context)}>`;
    case 'union':
      return type.of.map((choice) => renderType(choice, context)).join(' | ');
    default:
      throw new Error(`TypeScript has no word for ${JSON.stringify(type)}.`);
  }
}

function renderResources({ resources, models }) {
  const used = new Set();
  const type = (given, isOpen) => {
    if (given.kind === 'ref') used.add(given.name);
    return renderType(given, { models, isOpen });
  };
  const classes = resources.map(({ name, methods }) => {
    const bodies = methods.map((method) => {
      if (method.query.length > 0) used.add(method.query_name);
      return renderMethod(method, type);
    });
    return `export class ${pascal(name)}Resource {
      readonly #core: Core;
      constructor(core: Core) { this.#core = core; }
      ${bodies.join('\n')}
    }\n`;
  });
  const fields = resources.map(({ name }) => `readonly ${camel(name)}: ${pascal(name)}Resource;`);
  const made = resources.map(
    ({ name }) => `this.${camel(name)} = new ${pascal(name)}Resource(core);`,
  );
  return [
    "import type { CallOptions, Core, List, Responded } from '../core.js';",
    `import type { ${[...used].toSorted((one, other) => one.localeCompare(other, 'en')).join(', ')} } from './models.js';\n`,
    'export class Resources {',
    ...fields,
    `constructor(core: Core) { ${made.join('\n')} }`,
    '}\n',
    ...classes,
  ].join('\n');
}

function renderMethod(method, type) {
  const {
    name,
    http,
    path,
    path_parameters,
    query,
    query_name,
    body,
    response,
    keyed,
    page,
    accept,
  } = method;
  const needs = query.some(({ required }) => required);
  const parameters = path_parameters.map((parameter) => `${camel(parameter.name)}: string`);
  if (body) parameters.push(`body${body.required ? '' : '?'}: ${type(body.type, false)}`);
  if (query.length > 0) parameters.push(`query${needs ? '' : '?'}: ${query_name}`);
  parameters.push('options?: CallOptions');
  const given = [
    ...(path_parameters.length > 0
      ? [
          `path: { ${path_parameters.map((parameter) => `${parameter.name}: ${camel(parameter.name)}`).join(', ')} }`,
        ]
      : []),
    ...(query.length > 0 ? ['query'] : []),
    ...(body ? ['body'] : []),
  ];
  const fields = { http, path };
  if (accept) fields.accept = accept;
  if (keyed) fields.keyed = keyed;
  if (page) fields.items = page.items;
  if (page?.cursor) fields.cursor = page.cursor;
  const answer = type(response, true);
  const [returned, call] = page
    ? [`List<Responded<${answer}>, ${type(page.item, true)}>`, 'list']
    : [`Promise<Responded<${answer}>>`, 'call'];
  return `${doc(`${method.summary}. ${method.doc}`)}${camel(name)}(${parameters.join(', ')}): ${returned} {
    return this.#core.${call}(${JSON.stringify(fields)}, { ${given.join(', ')} }, options);
  }\n`;
}

function renderAmounts({ amount_names, mixed_names }) {
  const set = (names) => `new Set(${JSON.stringify(names)})`;
  return [
    `export const AMOUNT_NAMES: ReadonlySet<string> = ${set(amount_names)};\n`,
    '/** An amount here and a count there. */',
    `export const MIXED_NAMES: ReadonlySet<string> = ${set(mixed_names)};\n`,
  ].join('\n');
}

/** A comment of lines that fit. */
function doc(text) {
  const words = text.trim().replaceAll('*/', '* /').split(/\s+/).filter(Boolean);
  if (words.length === 0) return '';
  const lines = [''];
  for (const word of words) {
    if (`${lines.at(-1)} ${word}`.length > 90) lines.push('');
    lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trim();
  }
  return lines.length === 1
    ? `/** ${lines[0]} */\n`
    : `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */\n`;
}
