// Tells the pages how each call is written in each client, what in its body is an amount, and the names of the packages
// that dev/tools/pack-clients.mjs makes.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { camel } from './names.mjs';

export const GENERATED = 'pages/generated';

export function render({ resources, models }) {
  const calls = resources.flatMap(({ name, methods }) =>
    methods
      .filter(({ accept }) => !accept)
      .map((method) => [method.operation_id, describe(name, method, models)]),
  );
  const lines = calls.map(([id, call]) => `  ${JSON.stringify(id)}: ${JSON.stringify(call)}`);
  return {
    'client-calls.json': `{\n${lines.join(',\n')}\n}\n`,
    'client-packages.json': `${JSON.stringify(namePackages(), null, 2)}\n`,
  };
}

function namePackages() {
  const clients = join(fileURLToPath(import.meta.url), '..', '..', '..', '..', 'clients');
  const versionIn = (file) =>
    readFileSync(join(clients, file), 'utf8').match(/"?version"?\s*[:=]\s*"(.*)"/)[1];
  return {
    TypeScript: `payments-client-${versionIn('typescript/package.json')}.tgz`,
    Python: `payments_client-${versionIn('python/pyproject.toml')}-py3-none-any.whl`,
    PHP: `payments-client-${versionIn('php/composer.json')}.zip`,
  };
}

/** `has_input`: a body or a query stands after what is in the path; `amounts` are paths such as `open_amount.minimum`. */
function describe(resource, { name, http, path, body, query, page }, models) {
  return {
    http,
    path,
    TypeScript: `${camel(resource)}.${camel(name)}`,
    Python: `${resource}.${name}`,
    PHP: `${camel(resource)}->${camel(name)}`,
    has_input: body !== null || query.length > 0,
    is_list: page !== null,
    amounts: body ? amountsOf(body.type, [], models) : [],
  };
}

function amountsOf(type, path, models) {
  const named = type.kind === 'ref' && models.find(({ name }) => name === type.name).type;
  if (named) return amountsOf(named, path, models);
  if (type.kind === 'amount') return [path.join('.')];
  const inner = [type.items, ...(type.of ?? [])].filter(Boolean);
  return [
    ...inner.flatMap((one) => amountsOf(one, path, models)),
    ...(type.fields ?? []).flatMap((one) => amountsOf(one.type, [...path, one.name], models)),
  ];
}
