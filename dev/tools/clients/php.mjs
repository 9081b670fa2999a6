// The generated half of clients/php. Data are arrays; what is in them, PHPStan and editors read in `Models`.

import { readFileSync } from 'node:fs';
import { camel, pascal } from './names.mjs';
import { byName, queriesOf, typeWriter, wrap } from './types.mjs';

export const GENERATED = 'clients/php/source/Generated';

const PACKAGE = new URL('../../../clients/php/composer.json', import.meta.url);
const HEADER = `<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\\Generated;
`;

export function render(model) {
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')).extra;
  const files = {
    Models: renderModels(model),
    Resources: renderResources(model),
    Constants: renderConstants(model, version),
  };
  for (const resource of model.resources)
    files[`${pascal(resource.name)}Resource`] = renderResource(resource, model);
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [`${name}.php`, `${HEADER}\n${text}`]),
  );
}

function renderModels({ models, resources, events }) {
  const shape = (fields, isOpen) => renderShape(fields, { models, isOpen });
  const event = models.find(({ name }) => name === 'Event').type.fields;
  const aliases = [
    ...models.map(({ name, doc: text, type, is_response }) => [
      name,
      type.kind === 'object'
        ? shape(type.fields, is_response)
        : renderType(type, { models, isOpen: false }),
      text,
    ]),
    ...queriesOf({ resources }).map(({ query, query_name, summary }) => [
      query_name,
      shape(query, false),
      summary,
    ]),
    [
      'WebhookEvent',
      events
        .map(({ type, data }) => {
          const own = { type: { kind: 'const', value: type }, data };
          return shape(
            event.map((field) => ({ ...field, type: own[field.name] ?? field.type })),
            true,
          );
        })
        .join('|'),
      'An event with the data of its type. Types that there are not yet come too.',
    ],
  ];
  const lines = aliases.flatMap(([name, type, text]) => [
    ...wrap(text),
    `@phpstan-type ${name} ${type}`,
    '',
  ]);
  return `${comment(
    [
      'What the arrays of requests and responses have in them. An amount is an exact decimal text, such as "5000.00"; in requests an int, too.',
      '',
      ...lines.slice(0, -1),
    ],
    '',
  )}final class Models
{
}
`;
}

function renderShape(fields, context) {
  const parts = fields.map(
    ({ name, type, required }) => `${name}${required ? '' : '?'}: ${renderType(type, context)}`,
  );
  return `array{${parts.join(', ')}}`;
}

const renderType = typeWriter({
  words: {
    string: 'string',
    integer: 'int',
    boolean: 'bool',
    number: 'int|float',
    amount: ({ isOpen }) => (isOpen ? 'numeric-string' : 'numeric-string|int'),
    any: 'mixed',
    bytes: 'string',
    null: 'null',
    const: (value) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value)),
    enum: (values) => values.map((value) => `'${value}'`).join('|'),
    array: (items) => `list<${items}>`,
    map: (values) => `array<string, ${values}>`,
  },
  or: '|',
  // For `match` with a default.
  open: (text) => `${text}|string`,
});

function renderResources({ resources }) {
  const names = resources.map(({ name }) => [camel(name), `${pascal(name)}Resource`]);
  return `use Payments\\Core;

abstract class Resources
{
${names.map(([field, type]) => `    public readonly ${type} $${field};`).join('\n')}

    public function __construct(Core $core)
    {
${names.map(([field, type]) => `        $this->${field} = new ${type}($core);`).join('\n')}
    }
}
`;
}

function renderResource({ name, methods }, model) {
  const used = new Set();
  const type = (given, isOpen) => {
    const text = renderType(given, { models: model.models, isOpen });
    for (const [word] of text.matchAll(/\b[A-Z]\w+/g)) used.add(word);
    return text;
  };
  const bodies = methods.map((method) => {
    if (method.query.length > 0) used.add(method.query_name);
    return renderMethod(method, type);
  });
  const imports = [...used]
    .toSorted(byName)
    .map((word) => `@phpstan-import-type ${word} from Models`);
  const uses = ['Core', ...(methods.some(({ page }) => page) ? ['Page'] : [])];
  return `${uses.map((word) => `use Payments\\${word};`).join('\n')}

${comment(imports, '')}final class ${pascal(name)}Resource
{
    public function __construct(private readonly Core $core)
    {
    }

${bodies.join('\n')}}
`;
}

function renderMethod(method, type) {
  const { path_parameters, query, body, keyed, page, accept } = method;
  const parameters = path_parameters.map((parameter) => `string $${camel(parameter.name)}`);
  const docs = [];
  const given = [];
  if (path_parameters.length > 0) {
    const values = path_parameters.map(
      (parameter) => `'${parameter.name}' => $${camel(parameter.name)}`,
    );
    given.push(`'path' => [${values.join(', ')}]`);
  }
  if (body) {
    docs.push(`@param ${type(body.type, false)}${body.required ? '' : '|null'} $body`);
    parameters.push(body.required ? 'array $body' : '?array $body = null');
    given.push("'body' => $body");
  }
  if (query.length > 0) {
    docs.push(`@param ${method.query_name} $query`);
    parameters.push(query.some(({ required }) => required) ? 'array $query' : 'array $query = []');
    given.push("'query' => $query");
  }
  if (keyed) {
    docs.push('@param string|null $idempotencyKey yours, or one that is made');
    parameters.push('?string $idempotencyKey = null');
  }
  docs.push('@param array<string, string> $headers sent with each try');
  parameters.push('array $headers = []');
  given.push("'headers' => $headers");
  const answer = type(method.response, true);
  docs.push(`@return ${page ? `Page<${answer}, ${type(page.item, true)}>` : answer}`);
  const call = page
    ? `list('${page.items}', ${page.cursor ? `'${page.cursor}'` : 'null'}, '${method.path}', `
    : `call('${method.http}', '${method.path}', `;
  const file = `file('${method.path}', '${accept}', `;
  const key = keyed ? `, '${keyed}', $idempotencyKey` : '';
  const text = `${method.summary}. ${method.doc}`;
  return `${comment([...wrap(text), '', ...docs], '    ')}    public function ${camel(method.name)}(${parameters.join(', ')}): ${page ? 'Page' : accept ? 'string' : 'array'}
    {
        return $this->core->${accept ? file : call}[${given.join(', ')}]${key});
    }
`;
}

function renderConstants({ amount_names, mixed_names, models }, version) {
  const set = (name, names) =>
    `    public const ${name} = [\n${names.map((word) => `        '${word}' => true,\n`).join('')}    ];\n`;
  return `final class Constants
{
    public const VERSION = '${version}';

${set('AMOUNT_NAMES', amount_names)}
    /** An amount here and a count there. */
${set('MIXED_NAMES', mixed_names)}
    /** What is an object, also when it is empty: in PHP an empty array does not tell. */
${set('OBJECT_NAMES', objectNames(models))}}
`;
}

/** The fields of requests that are objects wherever they stand. */
function objectNames(models) {
  const kinds = new Map();
  const kindOf = (type) =>
    type.kind === 'ref' ? kindOf(models.find(({ name }) => name === type.name).type) : type.kind;
  const requests = models.filter(({ is_request, type }) => is_request && type.kind === 'object');
  for (const field of requests.flatMap(({ type }) => type.fields)) {
    const isObject = ['object', 'map'].includes(kindOf(field.type));
    kinds.set(field.name, isObject && kinds.get(field.name) !== false);
  }
  return [...kinds.keys()].filter((name) => kinds.get(name)).toSorted(byName);
}

function comment(lines, indent) {
  const body = lines.map((line) => `${indent} * ${line.replaceAll('*/', '* /')}`.trimEnd());
  return `${indent}/**\n${body.join('\n')}\n${indent} */\n`;
}
