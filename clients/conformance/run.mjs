// Runs every case with every client: `node clients/conformance/run.mjs [language…] [--case name]`. Prints one
// table, and below it what differs; ends with 1 when anything does.

import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { languagesThere, startRunner } from './runners.mjs';
import { startServer } from './server.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const API_KEY = 'pay_test_conformance_key';

const asked = process.argv
  .slice(2)
  .filter((word, at, all) => word !== '--case' && all[at - 1] !== '--case');
const only = process.argv.includes('--case')
  ? process.argv[process.argv.indexOf('--case') + 1]
  : undefined;
const languages = languagesThere(asked);
const cases = readCases().filter(({ name }) => only === undefined || name === only);
const server = await startServer();
const columns = await Promise.all(languages.map(runLanguage));
server.close();
printTable();

function readCases() {
  const folder = join(here, 'cases');
  const { values } = JSON.parse(readFileSync(join(here, 'named.json'), 'utf8'));
  // `"@order"` stands for the value of that name.
  const insert = (_, value) => (/^@[a-z_0-9]+$/.test(value) ? values[value.slice(1)] : value);
  return readdirSync(folder).flatMap((file) =>
    JSON.parse(readFileSync(join(folder, file), 'utf8'), insert).map((one) => ({
      ...one,
      subject: file.replace('.json', ''),
    })),
  );
}

/** One process runs all cases of a language, a line in and a line out for each. */
async function runLanguage(language) {
  const runner = startRunner(language, server.authority);
  const results = new Map();
  for (const one of cases) {
    if (one.only && !one.only.includes(language)) results.set(one.name, undefined);
    else results.set(one.name, await runCase(runner, one));
  }
  await runner.stop();
  return { language, results };
}

/** Returns what differs, a sentence each. */
async function runCase(runner, one) {
  const { call, verify, take, options, client } = one;
  const id = randomUUID();
  const nowhere = server.nowhere[one.server];
  const { base_url, requests } = nowhere
    ? { base_url: nowhere, requests: [] }
    : server.script(id, one.server ?? [], one.scheme);
  const settings = { api_key: API_KEY, base_url, random: 0.5, ...client };
  if (client?.proxy) settings.proxy = server.proxy(client.proxy);
  const given = await runner.ask({ call, verify, take, options, client: settings });
  return given.fault ? [given.fault] : compare(one, given, requests);
}

function compare({ expect, call, verify, client }, given, requests) {
  const differences = [];
  const names = {};
  const check = (what, expected, found) => {
    if (matches(expected, found, names)) return;
    differences.push(`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}.`);
  };
  if (expect.requests) {
    const expected = expect.requests.flatMap(readRequest);
    expected.forEach(({ line, headers = {}, body_text }, at) => {
      const found = requests[at];
      for (const [name, value] of Object.entries(headers)) {
        check(`Request ${at + 1}: ${name}`, value, found?.headers[name] ?? null);
      }
      check(
        `Request ${at + 1}`,
        line.replace(/\$(\w+)/g, (_, name) => names[name]),
        found?.line,
      );
      if (body_text !== undefined) check(`The body of request ${at + 1}`, body_text, found?.body);
    });
    const more = requests.slice(expected.length).map(({ line }) => line);
    if (more.length > 0) differences.push(`It also asked ${more.join(', ')}.`);
  }
  if (expect.waits_ms) check('The list of pauses', expect.waits_ms, given.waits_ms);
  if (expect.error) {
    if (!given.error) differences.push(`There is no error, but ${JSON.stringify(given.result)}.`);
    for (const [name, value] of Object.entries(expect.error)) {
      check(`${name} of the error`, value, given.error?.[name] ?? null);
    }
  } else {
    if (given.error) differences.push(`It failed: ${given.error.kind}: ${given.error.text}`);
    else check('The result', expect.result, given.result);
  }
  return [
    ...differences,
    ...always(given, requests, verify ? verify.secrets : [client?.api_key ?? API_KEY], call),
  ];
}

/** What holds in every case. */
function always(given, requests, secrets, call) {
  const differences = [];
  const said = JSON.stringify([given.logs, given.error]);
  for (const secret of secrets.filter((text) => text !== '')) {
    if (said.includes(JSON.stringify(secret).slice(1, -1)))
      differences.push('A log or an error shows a secret.');
  }
  const writes = requests.filter(({ line }) => line.startsWith('POST '));
  for (const [name, values] of [
    ['Idempotency-Key', writes.map(({ headers }) => headers['idempotency-key'])],
    ['body', writes.map(({ body }) => body)],
    ['Authorization', requests.map(({ headers }) => headers.authorization)],
  ]) {
    if (new Set(values).size > 1) differences.push(`The tries do not have the same ${name}.`);
  }
  if (call && requests.length > 0 && !(given.logs?.length > 0))
    differences.push('Nothing was logged.');
  return differences;
}

/** `"4 POST /transfers"` is four requests. */
function readRequest(expected) {
  if (typeof expected !== 'string') return [expected];
  const [, times, line] = /^(?:(\d+) )?(.*)$/.exec(expected);
  return Array.from({ length: Number(times ?? 1) }, () => ({ line }));
}

/** `$name` stands for what was found where it came first, `/…/` for what the expression matches. */
function matches(expected, found, names) {
  if (typeof expected === 'string') {
    const name = /^\$(\w+)$/.exec(expected)?.[1];
    if (name) return typeof found === 'string' && found !== '' && (names[name] ??= found) === found;
    const pattern = /^\/(.+)\/$/.exec(expected)?.[1];
    if (pattern && !expected.startsWith('/api')) return new RegExp(pattern).test(found);
  }
  return isDeepStrictEqual(expected, found);
}

function printTable() {
  const width = Math.max(...cases.map(({ name, subject }) => `${subject}/${name}`.length));
  console.log(`${''.padEnd(width)}  ${languages.join('  ')}`);
  for (const { name, subject } of cases) {
    const marks = columns.map(({ language, results }) => {
      const differences = results.get(name);
      const mark = differences === undefined ? '-' : differences.length === 0 ? 'ok' : 'FAILED';
      return mark.padEnd(language.length);
    });
    console.log(`${`${subject}/${name}`.padEnd(width)}  ${marks.join('  ')}`);
  }
  let failed = languages.length === 0 || cases.length === 0 ? 1 : 0;
  for (const { language, results } of columns) {
    for (const [name, differences = []] of results) {
      if (differences.length === 0) continue;
      failed += 1;
      console.log(`\n${language}, ${name}:\n${differences.map((text) => `  ${text}`).join('\n')}`);
    }
  }
  const each = columns.map(({ language, results }) => {
    const ran = [...results.values()].filter(Boolean);
    return `${language} ${ran.filter((differences) => differences.length === 0).length} of ${ran.length}`;
  });
  console.log(`\n${cases.length} cases: ${each.join(', ')}.`);
  process.exitCode = failed > 0 ? 1 : 0;
}
