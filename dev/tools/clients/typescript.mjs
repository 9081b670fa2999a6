// The generated half of clients/typescript.

import { readFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { camel, pascal } from './names.mjs';
import { byName, queriesOf, typeWriter, wrap } from './types.mjs';

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
  return [
    '/** A value that there may be tomorrow passes: `switch` with a default. */',
    'export type Open<T extends string> = T | (string & {});\n',
    '/** An exact decimal, such as "5000.00": never a number. */',
    'export type Amount = string;',
    '/** In requests: a decimal text, such as "49.90", or a whole number. A number with a fraction is refused. */',
    'export type AmountLike = string | number | bigint;\n',
    ...models.map((model) => renderModel(model, models)),
    ...queriesOf({ resources }).map(({ query, query_name, summary }) =>
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

const renderType = typeWriter({
  words: {
    string: 'string',
    integer: 'number',
    boolean: 'boolean',
    number: 'number',
    amount: ({ isOpen }) => (isOpen ? 'Amount' : 'AmountLike'),
    any: 'unknown',
    bytes: 'Uint8Array',
    null: 'null',
    const: (value) => JSON.stringify(value),
    enum: (values) => values.map((value) => `'${value}'`).join(' | '),
    array: (items) => `(${items})[]`,
    map: (values) => `Record<string, ${values}>`,
  },
  or: ' | ',
  open: (text) => `Open<${text}>`,
});

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
    `import type { ${[...used].toSorted(byName).join(', ')} } from './models.js';\n`,
    'export class Resources {',
    ...fields,
    `constructor(core: Core) { ${made.join('\n')} }`,
    '}\n',
    ...classes,
  ].join('\n');
}

function renderMethod(method, type) {
  const { http, path, path_parameters, query, body, keyed, page, accept } = method;
  const needs = query.some(({ required }) => required);
  const parameters = path_parameters.map((parameter) => `${camel(parameter.name)}: string`);
  if (body) parameters.push(`body${body.required ? '' : '?'}: ${type(body.type, false)}`);
  if (query.length > 0) parameters.push(`query${needs ? '' : '?'}: ${method.query_name}`);
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
  const answer = type(method.response, true);
  const [returned, call] = page
    ? [`List<Responded<${answer}>, ${type(page.item, true)}>`, 'list']
    : [`Promise<Responded<${answer}>>`, 'call'];
  return `${doc(`${method.summary}. ${method.doc}`)}${camel(method.name)}(${parameters.join(', ')}): ${returned} {
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
  const lines = wrap(text.replaceAll('*/', '* /'));
  if (lines.length === 0) return '';
  return lines.length === 1
    ? `/** ${lines[0]} */\n`
    : `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */\n`;
}
