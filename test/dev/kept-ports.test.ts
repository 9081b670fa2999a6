// A system that had to take another port keeps it over restarts: open pages and terminals know it.

import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../config/load';
import { choosePort, startOnKeptPort, type DevRun } from '../../dev/dev-run';
import { closeAfterFile } from '../support/cleanup';
import { pickTestPort } from '../support/ports';

let directory: string;
let said: string[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kept-ports-'));
  said = [];
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

function runWith(...given: string[]): DevRun {
  return {
    directory,
    logs: directory,
    closers: [],
    given: { given: new Set(given) } as unknown as Config,
    say: (text) => said.push(text),
  };
}

async function take(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  closeAfterFile(() => void server.close());
  return server;
}

async function leave(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

it('is taken again when the usual one is free by then, and given up for nothing but another program', async () => {
  const usual = await pickTestPort();
  const taken = await take(usual);
  const other = await choosePort(runWith(), 'PORT', usual);
  expect(said).toEqual([`Port ${usual} is in use: using ${other} instead (set PORT to choose).`]);
  await leave(taken);
  // A restart, and another one.
  for (const at of [1, 2]) {
    expect(await choosePort(runWith(), 'PORT', usual)).toBe(other);
    expect(said[at]).toBe(`Port ${other} is used as in the last run (set PORT to choose).`);
  }
  const stranger = await take(other);
  expect(await choosePort(runWith(), 'PORT', usual)).toBe(usual);
  await leave(stranger);
  // The usual one is nothing to keep.
  expect(await choosePort(runWith(), 'PORT', usual)).toBe(usual);
  expect(readFileSync(join(directory, 'ports.json'), 'utf8').trim()).toBe('{}');
});

it('is no other than the one that was set, which is not kept', async () => {
  const [usual, set] = [await pickTestPort(), await pickTestPort()];
  const taken = await take(usual);
  const other = await choosePort(runWith(), 'PORT', usual);
  await leave(taken);
  expect(await choosePort(runWith('PORT'), 'PORT', set)).toBe(set);
  expect(await choosePort(runWith(), 'PORT', usual)).toBe(usual);
  expect(other).not.toBe(usual);
});

it('is kept for each part by itself, and for a server that picks it when it starts', async () => {
  const usual = await pickTestPort();
  const taken = await take(usual);
  const start = (port: number): Promise<number> => Promise.resolve(port);
  const first = await startOnKeptPort(runWith(), 'POSTGRES', usual, start)();
  expect(first).not.toBe(usual);
  await leave(taken);
  expect(await startOnKeptPort(runWith(), 'POSTGRES', usual, start)()).toBe(first);
  expect(await startOnKeptPort(runWith(), 'TEMPORAL', usual, start)()).toBe(usual);
});

it.each(['', '{"PORT": "3000"}', '{"PORT": 70000}', '[1, '])(
  'is the usual one when the file says %j',
  async (text) => {
    writeFileSync(join(directory, 'ports.json'), text);
    const usual = await pickTestPort();
    expect(await choosePort(runWith(), 'PORT', usual)).toBe(usual);
  },
);
