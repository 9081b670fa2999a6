// Whether response times tell a revoked key from an unknown one (row A7 of the threat list). Against a
// running system whose limit of strangers is out of the way:
//
//   ANONYMOUS_REQUESTS_PER_MINUTE=1000000 npm start
//   REVOKED_KEY=pay_test_… npm run --silent bench:key-timings
//
// A missing or malformed key costs no query and is faster; whoever sends one knows that it is. An unknown
// and a revoked one cost the same query, and their medians must differ by less than those of two halves
// of the unknown ones: by noise.

import { performance } from 'node:perf_hooks';
import { loadConfig } from '../config/load';
import { findRunningSystem } from '../cli/running-system';
import { makeApiKey } from '../secrets/api-key';
import { openConnection } from './http-client';
import { median } from './stats';

const REQUESTS = 5_000;

async function main(): Promise<void> {
  const revoked = process.env['REVOKED_KEY'];
  if (revoked === undefined) throw new Error('REVOKED_KEY is missing: keys create, keys revoke.');
  const { demo } = findRunningSystem(loadConfig(process.env));
  if (demo?.base_url === undefined) throw new Error('Nothing is running: npm start.');
  const url = new URL(demo.base_url);
  const connection = await openConnection(Number(url.port));
  const classes: Readonly<Record<string, () => string | undefined>> = {
    missing: () => undefined,
    malformed: () => `${makeApiKey('pay', 'live').key}0`,
    'unknown, one half': () => makeApiKey('pay', 'live').key,
    'unknown, other half': () => makeApiKey('pay', 'live').key,
    revoked: () => revoked,
  };
  const times: Record<string, number[]> = {};
  // In turns, so that what else the machine does meets all of them.
  for (let turn = 0; turn < REQUESTS; turn += 1) {
    for (const [name, makeKey] of Object.entries(classes)) {
      const key = makeKey();
      const header = key === undefined ? '' : `Authorization: Bearer ${key}\r\n`;
      const started = performance.now();
      const { status } = await connection.send(
        `GET ${url.pathname}/me HTTP/1.1\r\nHost: ${url.host}\r\n${header}\r\n`,
      );
      if (status !== 401) throw new Error(`${name}: ${status}`);
      (times[name] ??= []).push((performance.now() - started) * 1_000);
    }
  }
  for (const [name, values] of Object.entries(times)) {
    process.stdout.write(`${name.padEnd(20)} median ${median(values).toFixed(1)} µs\n`);
  }
  connection.close();
}

void main();
