// The generated half of clients/python. No formatter goes over it: what is written here fits its lines.

import { readFileSync } from 'node:fs';
import { pascal } from './names.mjs';
import { byName, queriesOf, typeWriter } from './types.mjs';

export const GENERATED = 'clients/python/payments_client/generated';

const PROJECT = new URL('../../../clients/python/pyproject.toml', import.meta.url);
const HEADER = '# Written by npm run clients from api/openapi.json.\n\n';
const FUTURE = 'from __future__ import annotations\n\n';
const WIDTH = 100;

export function render(model) {
  const version = /^version = "(.+)"$/m.exec(readFileSync(PROJECT, 'utf8'))[1];
  return {
    '__init__.py': HEADER.trimEnd() + '\n',
    'models.py': `${HEADER}${FUTURE}${renderModels(model)}\n`,
    'resources.py': `${HEADER}${FUTURE}${renderResources(model, false)}\n`,
    'async_resources.py': `${HEADER}${FUTURE}${renderResources(model, true)}\n`,
    'amounts.py': `${HEADER}${renderAmounts(model)}\n`,
    'version.py': `${HEADER}VERSION = "${version}"\n`,
  };
}

function renderModels({ models, resources, events }) {
  const event = models.find(({ name }) => name === 'Event').type.fields;
  const typed = ({ name }) => name === 'type' || name === 'data';
  const events_of = events.map(({ type, data, summary }) =>
    renderClass(`${pascal(type)}Event`, '_EventFields', summary, [
      `type: Literal["${type}"]`,
      `data: ${renderType(data, { models, isOpen: true })}`,
    ]),
  );
  const names = events.map(({ type }) => `${pascal(type)}Event`);
  return blocks([
    'from decimal import Decimal\nfrom typing import Any, Literal, TypeAlias, TypedDict',
    `Amount: TypeAlias = Decimal\n${docOf('An exact decimal with at least two decimals, such as `Decimal("5000.00")`.', '')}`,
    `AmountLike: TypeAlias = "str | int | Decimal"\n${docOf('A decimal text, such as "5000" or "49.90", an int or a Decimal: never a float.', '')}`,
    ...models.map((model) => renderModel(model, models)),
    ...queriesOf({ resources }).map(({ query, query_name, summary }) =>
      renderDict(query_name, summary, query, { models, isOpen: false }),
    ),
    renderDict(
      '_EventFields',
      '',
      event.filter((field) => !typed(field)),
      { models, isOpen: true },
    ),
    ...events_of,
    `${alias('WebhookEvent', names)}\n${docOf('An event with the data of its type. Types that there are not yet come too.', '')}`,
  ]);
}

/** Top-level blocks of a module have two empty lines before them. */
function blocks(texts) {
  return texts.map((text) => text.trim()).join('\n\n\n');
}

function renderModel({ name, doc, type, is_response }, models) {
  const context = { models, isOpen: is_response };
  if (type.kind === 'object') return renderDict(name, doc, type.fields, context);
  // Where it is used says whether it is open.
  const closed = { models, isOpen: false };
  const text =
    type.kind === 'enum'
      ? `${name} = ${literal(type.values)}`
      : alias(
          name,
          (type.of ?? [type]).map((choice) => renderType(choice, closed)),
        );
  return `${text}\n${docOf(doc, '')}`;
}

/** Fields that may be left out have a class of their own: Python 3.10 has no other way to say it. */
function renderDict(name, doc, fields, context) {
  const lines = (isRequired) =>
    fields
      .filter(({ required }) => required === isRequired)
      .map((field) => `${field.name}: ${renderType(field.type, context)}`);
  // pydoc shows what stands below the name of a class, and not below that of a field.
  const told = fields
    .filter((field) => field.doc.trim() !== '')
    .map((field) => `${field.name}: ${field.doc}`);
  const [required, optional] = [lines(true), lines(false)];
  if (optional.length === 0) return renderClass(name, 'TypedDict', doc, required, told);
  const bases = required.length > 0 ? `_${name}` : 'TypedDict';
  const more = renderClass(name, `${bases}, total=False`, doc, optional, told);
  return required.length > 0 ? blocks([renderClass(bases, 'TypedDict', '', required), more]) : more;
}

function renderClass(name, bases, doc, lines, told = []) {
  const body = lines.map((line) => `    ${line}\n`).join('');
  const text = docOf(doc, '    ', told);
  return `class ${name}(${bases}):\n${text}${text && body ? '\n' : ''}${body || (text ? '' : '    pass\n')}`;
}

function literal(values, indent = '') {
  const line = `Literal[${values.map((value) => `"${value}"`).join(', ')}]`;
  if (line.length <= WIDTH - 20) return line;
  return `Literal[\n${values.map((value) => `${indent}    "${value}",\n`).join('')}${indent}]`;
}

function alias(name, choices) {
  const line = `${name}: TypeAlias = "${choices.join(' | ')}"`;
  if (line.length <= WIDTH || choices.length === 1) return line;
  return `${name}: TypeAlias = (\n${choices.map((choice, at) => `    "${at > 0 ? '| ' : ''}${choice}${at < choices.length - 1 ? ' ' : ''}"\n`).join('')})`;
}

const renderType = typeWriter({
  words: {
    string: 'str',
    integer: 'int',
    boolean: 'bool',
    number: 'float',
    amount: ({ isOpen }) => (isOpen ? 'Amount' : 'AmountLike'),
    any: 'Any',
    bytes: 'bytes',
    null: 'None',
    const: (value) =>
      `Literal[${JSON.stringify(value).replace(/^[tf]/, (letter) => letter.toUpperCase())}]`,
    enum: (values) => literal(values, '    '),
    array: (items) => `list[${items}]`,
    map: (values) => `dict[str, ${values}]`,
  },
  or: ' | ',
  open: (text) => `${text} | str`,
});

function renderResources({ resources, models }, isAsync) {
  const used = new Set();
  const [all, prefix] = isAsync ? ['AsyncResources', 'Async'] : ['Resources', ''];
  const type = (given, isOpen) => {
    if (given.kind === 'ref') used.add(given.name);
    return renderType(given, { models, isOpen });
  };
  const classes = resources.map(({ name, methods }) => {
    const bodies = methods.map((method) => {
      if (method.query.length > 0) used.add(method.query_name);
      return renderMethod(method, type, isAsync);
    });
    const start = '    def __init__(self, core: Core) -> None:\n        self._core = core\n';
    return `class ${prefix}${pascal(name)}Resource:\n${start}\n${bodies.join('\n')}`;
  });
  const made = resources.map(
    ({ name }) => `        self.${name} = ${prefix}${pascal(name)}Resource(core)\n`,
  );
  const names = [...used].toSorted(byName);
  const words = isAsync
    ? 'Arguments, AsyncList, Core, Operation'
    : 'Arguments, Core, List, Operation, run';
  const imports = [
    'from collections.abc import Mapping',
    'from typing import cast\n',
    `from ..core import ${words}`,
    `from .models import (\n${names.map((name) => `    ${name},\n`).join('')})`,
  ];
  return blocks([
    imports.join('\n'),
    `class ${all}:\n    def __init__(self, core: Core) -> None:\n${made.join('')}`,
    ...classes,
  ]);
}

function renderMethod(method, type, isAsync) {
  const { path_parameters, query, body, keyed, page, accept } = method;
  const answer = type(method.response, true);
  const isPage = page !== null;
  const optional = (isNeeded, text) => (isNeeded ? text : `${text} | None = None`);
  const parameters = ['self', ...path_parameters.map((parameter) => `${parameter.name}: str`)];
  if (body) parameters.push(`body: ${optional(body.required, type(body.type, false))}`);
  if (query.length > 0)
    parameters.push(
      `query: ${optional(
        query.some(({ required }) => required),
        method.query_name,
      )}`,
    );
  parameters.push('*');
  if (keyed) parameters.push('idempotency_key: str | None = None');
  parameters.push('headers: Mapping[str, str] | None = None');
  const operation = [`"${method.http}"`, `"${method.path}"`];
  if (keyed) operation.push(`keyed="${keyed}"`);
  if (accept) operation.push(`accept="${accept}"`);
  if (page) operation.push(`items="${page.items}"`);
  if (page?.cursor) operation.push(`cursor="${page.cursor}"`);
  const filled = path_parameters.map((parameter) => `"${parameter.name}": ${parameter.name}`);
  const given = [`{${filled.join(', ')}}`];
  if (query.length > 0) given.push('query=query');
  if (body) given.push('body=body');
  given.push('headers=headers');
  if (keyed) given.push('idempotency_key=idempotency_key');
  const list = isAsync ? 'AsyncList' : 'List';
  const returned = isPage ? `${list}[${answer}, ${type(page.item, true)}]` : answer;
  const call = isAsync
    ? 'await self._core.call(operation, given)'
    : 'run(self._core.call(operation, given))';
  const result = isPage ? `${list}(self._core, operation, given)` : `cast(${answer}, ${call})`;
  return [
    `    ${isAsync && !isPage ? 'async ' : ''}def ${method.name}(`,
    ...parameters.map((parameter) => `        ${parameter},`),
    `    ) -> ${returned}:`,
    docOf(`${method.summary}. ${method.doc}`, '        ').trimEnd(),
    `        operation = ${fit('Operation', operation)}`,
    `        given = ${fit('Arguments', given)}`,
    `        return ${result}\n`,
  ].join('\n');
}

/** A call inside of a method, in one line where it fits. */
function fit(name, values) {
  const line = `${name}(${values.join(', ')})`;
  if (line.length <= WIDTH - 20) return line;
  return `${name}(\n${values.map((value) => `            ${value},\n`).join('')}        )`;
}

function renderAmounts({ amount_names, mixed_names }) {
  const set = (names) =>
    `frozenset(\n    {\n${names.map((name) => `        "${name}",\n`).join('')}    }\n)`;
  return `AMOUNT_NAMES = ${set(amount_names)}\n\n# An amount here and a count there.\nMIXED_NAMES = ${set(mixed_names)}`;
}

/** A docstring of lines that fit: a text, and below it one for each field. */
function docOf(text, indent, fields = []) {
  const lines = [text, ...fields].flatMap((part, at) => {
    const words = part.trim().split(/\s+/).filter(Boolean);
    if (/\\|"""/.test(part)) throw new Error(`Not for a docstring: ${part}`);
    const wrapped = words.length > 0 ? [''] : [];
    for (const word of words) {
      const line = `${wrapped.at(-1)} ${word}`;
      if (`${indent}"""${line}"""`.length > WIDTH) wrapped.push(at > 0 ? `    ${word}` : word);
      else wrapped[wrapped.length - 1] = line.replace(/^ (?! )/, '');
    }
    return at === 0 && words.length > 0 && fields.length > 0 ? [...wrapped, ''] : wrapped;
  });
  if (lines.length === 0) return '';
  // A quotation mark at the end would be one of the four.
  const last = lines.at(-1).endsWith('"') ? ' ' : '';
  const end = lines.length > 1 ? `\n${indent}` : last;
  return `${indent}"""${lines.join(`\n${indent}`).replace(/ +$/gm, '')}${end}"""\n`;
}
