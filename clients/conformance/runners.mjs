// The program of each language that runs cases: a line of JSON in, a line out.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const clients = join(dirname(fileURLToPath(import.meta.url)), '..');

const at = (path) => join(clients, path);
const { PYTHON = 'python3', PHP = 'php' } = process.env;

const RUNNERS = {
  typescript: [process.execPath, at('typescript/conformance/runner.mjs')],
  python: [PYTHON, at('python/conformance/runner.py')],
  'python-async': [PYTHON, at('python/conformance/runner.py'), '--async'],
  php: [PHP, at('php/conformance/runner.php')],
  // As where there is no php-curl.
  'php-streams': [PHP, '-d', 'disable_functions=curl_init', at('php/conformance/runner.php')],
};
/** A case takes milliseconds, or seconds against the service; a client that waits in earnest takes longer. */
const CASE_MS = 30_000;

/** A language takes part once its runner is there; one that is asked for must be. */
export function languagesThere(asked) {
  return (asked.length > 0 ? asked : Object.keys(RUNNERS)).filter((language) => {
    const script = RUNNERS[language]?.find((word) => word.startsWith(clients));
    if (script !== undefined && existsSync(script)) return true;
    if (asked.length > 0) throw new Error(`There is no runner for ${language}.`);
    return false;
  });
}

/** `authority` is a file with the certificate that it trusts. */
export function startRunner(language, authority = '') {
  const [program, ...words] = RUNNERS[language];
  if (authority !== '' && program === PHP)
    words.unshift('-d', `curl.cainfo=${authority}`, '-d', `openssl.cafile=${authority}`);
  const trust = authority && { NODE_EXTRA_CA_CERTS: authority, SSL_CERT_FILE: authority };
  const child = spawn(program, words, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...trust },
  });
  let fault = 'The runner has ended.';
  const over = new Promise((resolve) => {
    child.once('close', resolve);
    child.once('error', (error) => {
      fault = `${program} cannot be started: ${error.message}.`;
      resolve();
    });
  });
  child.stdin.on('error', () => undefined);
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const limit = () => {
    fault = 'It does not end.';
    child.kill('SIGKILL');
  };
  return {
    /** What the runner reports, or `{ fault }` when it does not. */
    async ask(one) {
      child.stdin.write(`${JSON.stringify(one)}\n`);
      const timer = setTimeout(limit, CASE_MS);
      const { value, done } = await answers.next();
      clearTimeout(timer);
      return done ? { fault } : JSON.parse(value);
    },
    async stop() {
      child.stdin.end();
      const timer = setTimeout(limit, CASE_MS);
      await over;
      clearTimeout(timer);
    },
  };
}
