// Sample programs: one call of the API in curl, and with the client of each language.

import { packageUrl } from './client-packages';
import CALLS from './generated/client-calls.json';

export interface Sample {
  readonly language: 'curl' | 'TypeScript' | 'Python' | 'PHP';
  readonly text: string;
}

export interface SampleCall {
  /** The operation's name in the OpenAPI document. */
  readonly operation: string;
  /** The service's origin and the API's path. */
  readonly base_url: string;
  /** The key or what stands for it. */
  readonly key: string;
  /** Anybody may call it. */
  readonly is_public?: boolean;
  /** The path's parameters, by name. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** The body as JSON has it. */
  readonly body?: unknown;
  readonly idempotency_key?: string | undefined;
  /** Beside those that follow from the others. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

type Client = (typeof CALLS)[keyof typeof CALLS];

export function writeSamples(call: SampleCall): readonly Sample[] {
  const client = (CALLS as Readonly<Record<string, Client>>)[call.operation];
  if (!client) throw new Error(`No client has ${call.operation} yet: npm run clients.`);
  return [
    { language: 'curl', text: writeCurl(call, client) },
    { language: 'TypeScript', text: writeTypeScript(call, client) },
    { language: 'Python', text: writePython(call, client) },
    { language: 'PHP', text: writePhp(call, client) },
  ];
}

function writeCurl(call: SampleCall, { http, path }: Client): string {
  const { base_url, key, query, idempotency_key, body } = call;
  const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const headers: Record<string, string> = { ...call.headers };
  if (!call.is_public) headers['Authorization'] = `Bearer ${key}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (idempotency_key !== undefined) headers['Idempotency-Key'] = idempotency_key;
  const options = Object.entries(headers).map(
    ([name, value]) => `-H ${quote(`${name}: ${value}`)}`,
  );
  if (body !== undefined) {
    options.push(`-d ${quote(JSON.stringify(body, null, 2).replaceAll('\n', '\n  '))}`);
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(call.path?.[name] ?? ''),
  );
  const url = base_url + filled + (query ? `?${new URLSearchParams(query).toString()}` : '');
  const asked = http === 'GET' ? '' : `-X ${http} `;
  return [`curl -s ${asked}${quote(url)}`, ...options].join(' \\\n  ') + '\n';
}

function writeTypeScript(call: SampleCall, client: Client): string {
  const { idempotency_key: idempotencyKey, headers } = call;
  const options = Object.entries({ idempotencyKey, headers }).filter(([, value]) => value);
  const given = argumentsOf(call, client).map((value) => write(value, TYPESCRIPT));
  if (options.length > 0) {
    const isLeftOut = call.body === undefined && call.query === undefined;
    if (client.has_input && isLeftOut) given.push('undefined');
    given.push(write(Object.fromEntries(options), TYPESCRIPT));
  }
  return `// npm install ${packageUrl(serviceOf(call), 'TypeScript')}
import { PaymentsClient } from "payments-client";

const client = new PaymentsClient("${call.key}", { baseUrl: "${call.base_url}" });
const result = await client.${client.TypeScript}(${given.join(', ')});
console.log(result);
`;
}

function writePython(call: SampleCall, client: Client): string {
  const { idempotency_key, headers } = call;
  const given = argumentsOf(call, client).map((value) => write(value, PYTHON));
  if (idempotency_key) given.push(`idempotency_key=${write(idempotency_key, PYTHON)}`);
  if (headers) given.push(`headers=${write(headers, PYTHON)}`);
  return `# pip install ${packageUrl(serviceOf(call), 'Python')}
from payments_client import PaymentsClient

client = PaymentsClient("${call.key}", base_url="${call.base_url}")
result = client.${client.Python}(${given.join(', ')})${client.is_list ? '.page()' : ''}
print(result)
`;
}

function writePhp(call: SampleCall, client: Client): string {
  const { idempotency_key, headers } = call;
  const given = argumentsOf(call, client).map((value) => write(value, PHP));
  if (idempotency_key) given.push(`idempotencyKey: ${write(idempotency_key, PHP)}`);
  if (headers) given.push(`headers: ${write(headers, PHP)}`);
  return `<?php
// ${packageUrl(serviceOf(call), 'PHP')}, unpacked beside this file.
require 'payments-client/autoload.php';

$client = new Payments\\PaymentsClient('${call.key}', '${call.base_url}');
$result = $client->${client.PHP}(${given.join(', ')})${client.is_list ? '->data' : ''};
print_r($result);
`;
}

function serviceOf({ base_url }: SampleCall): string {
  return base_url.slice(0, base_url.indexOf('/api/'));
}

/** Those without a name: of the path, then the body or the query. */
function argumentsOf({ path = {}, body, query }: SampleCall, client: Client): readonly unknown[] {
  const in_path = [...client.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => path[name!] ?? '');
  const exact = withExactAmounts(body, client.amounts);
  return [...in_path, exact, query].filter((value) => value !== undefined);
}

/** The clients take amounts as decimal text; `names` are paths such as `open_amount.minimum`. */
function withExactAmounts(
  value: unknown,
  names: readonly string[],
  at: readonly string[] = [],
): unknown {
  if (typeof value === 'number' && names.includes(at.join('.'))) {
    return Number.isInteger(value) ? String(value) : value.toFixed(2);
  }
  if (Array.isArray(value)) return value.map((one) => withExactAmounts(one, names, at));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, withExactAmounts(one, names, [...at, name])]),
  );
}

interface Grammar {
  readonly object: readonly [string, string];
  readonly indent: string;
  readonly name: (name: string) => string;
  readonly text: (text: string) => string;
  readonly words: Readonly<Record<string, string>>;
}

const json = (text: string): string => JSON.stringify(text);
const TYPESCRIPT: Grammar = {
  object: ['{ ', ' }'],
  indent: '  ',
  name: (name) => `${/^[a-z]\w*$/i.test(name) ? name : json(name)}: `,
  text: json,
  words: {},
};
const PYTHON: Grammar = {
  object: ['{', '}'],
  indent: '    ',
  name: (name) => `${json(name)}: `,
  text: json,
  words: { true: 'True', false: 'False', null: 'None' },
};
const PHP: Grammar = {
  object: ['[', ']'],
  indent: '    ',
  name: (name) => `${PHP.text(name)} => `,
  text: (text) => `'${text.replace(/[\\']/g, String.raw`\$&`)}'`,
  words: {},
};

/** In one line where it is short. */
function write(value: unknown, grammar: Grammar, margin = ''): string {
  if (typeof value === 'string') return grammar.text(value);
  if (typeof value !== 'object' || value === null) {
    return grammar.words[String(value)] ?? String(value);
  }
  const inner = margin + grammar.indent;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : grammar.object;
  const items = Array.isArray(value)
    ? value.map((one) => write(one, grammar, inner))
    : Object.entries(value).map(([name, one]) => grammar.name(name) + write(one, grammar, inner));
  if (items.length === 0) return open.trim() + close.trim();
  const line = open + items.join(', ') + close;
  if (line.length <= 50) return line;
  return `${open.trim()}\n${items.map((item) => `${inner}${item},\n`).join('')}${margin}${close.trim()}`;
}
