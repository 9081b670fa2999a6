// Sample programs: one request in the languages that shops write. They run as they stand with nothing
// installed beyond the language, and tell why a request was refused.

export interface Sample {
  readonly language: 'curl' | 'Node.js' | 'Python' | 'PHP';
  readonly text: string;
}

export interface SampleRequest {
  readonly method: string;
  readonly url: string;
  /** The key or what stands for it; left out where none is needed. */
  readonly key?: string | undefined;
  readonly idempotency_key?: string | undefined;
  /** Beside those that follow from the others. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The body as JSON has it. */
  readonly body?: unknown;
}

interface Parts extends SampleRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** Each as `Name: value`. */
  readonly header_lines: readonly string[];
}

export function writeSamples(request: SampleRequest): readonly Sample[] {
  const { key, idempotency_key, body } = request;
  const headers: Record<string, string> = { ...request.headers };
  if (key !== undefined) headers['Authorization'] = `Bearer ${key}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (idempotency_key !== undefined) headers['Idempotency-Key'] = idempotency_key;
  const header_lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const parts = { ...request, headers, header_lines };
  return [
    { language: 'curl', text: writeCurl(parts) },
    { language: 'Node.js', text: writeNode(parts) },
    { language: 'Python', text: writePython(parts) },
    { language: 'PHP', text: writePhp(parts) },
  ];
}

function writeCurl({ method, url, header_lines, body }: Parts): string {
  const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const options = header_lines.map((line) => `-H ${quote(line)}`);
  if (body !== undefined) options.push(`-d ${quote(writeJson(body, '  '))}`);
  const asked = method === 'GET' ? '' : `-X ${method} `;
  return [`curl -s ${asked}${quote(url)}`, ...options].join(' \\\n  ') + '\n';
}

function writeNode({ method, url, headers, body }: Parts): string {
  const sent = body === undefined ? '' : `    body: JSON.stringify(${writeJson(body, '    ')}),\n`;
  return `async function main() {
  const response = await fetch(${writeJson(url)}, {
    method: ${writeJson(method)},
    headers: ${writeJson(headers, '    ')},
${sent}  });
  const answer = await response.json();
  if (!answer.ok) throw new Error(answer.error.code + ": " + answer.error.message);
  console.log(answer);
}

main();
`;
}

function writePython({ method, url, headers, body }: Parts): string {
  const write = (value: unknown): string =>
    translate(writeJson(value, '    ', 4), (token) => PYTHON_WORDS[token] ?? token);
  const sent = body === undefined ? '' : `    data=json.dumps(${write(body)}).encode(),\n`;
  return `import json
import urllib.error
import urllib.request

request = urllib.request.Request(
    ${write(url)},
    method=${write(method)},
    headers=${write(headers)},
${sent})
try:
    answer = json.load(urllib.request.urlopen(request, timeout=30))
except urllib.error.HTTPError as refused:
    error = json.load(refused)["error"]
    raise SystemExit(error["code"] + ": " + error["message"])
print(json.dumps(answer, indent=2))
`;
}

function writePhp({ method, url, header_lines, body }: Parts): string {
  const write = (value: unknown): string =>
    translate(writeJson(value, '    ', 4), (token) =>
      token.startsWith('"')
        ? `'${(JSON.parse(token) as string).replace(/[\\']/g, String.raw`\$&`)}'`
        : (PHP_WORDS[token] ?? token),
    );
  const sent = body === undefined ? '' : `    'content' => json_encode(${write(body)}),\n`;
  return `<?php
$context = stream_context_create(['http' => [
    'method' => ${write(method)},
    'header' => ${write(header_lines)},
${sent}    'ignore_errors' => true,
    'timeout' => 30,
]]);
$text = file_get_contents(${write(url)}, false, $context);
$answer = json_decode($text, true);
if (!$answer['ok']) {
    exit($answer['error']['code'] . ': ' . $answer['error']['message'] . PHP_EOL);
}
echo $text, PHP_EOL;
`;
}

function writeJson(value: unknown, indent = '', step = 2): string {
  return JSON.stringify(value, null, step).replaceAll('\n', `\n${indent}`);
}

const PYTHON_WORDS: Readonly<Record<string, string>> = {
  true: 'True',
  false: 'False',
  null: 'None',
};
/** An empty array would be a list. */
const PHP_WORDS: Readonly<Record<string, string>> = {
  '{}': 'new stdClass()',
  '{': '[',
  '}': ']',
  ':': ' =>',
};

/** JSON in another language: each text, word and sign as that language has it. */
function translate(json: string, write: (token: string) => string): string {
  return json.replace(/"(?:\\.|[^"\\])*"|\{\}|[{}:]|true|false|null/g, write);
}
