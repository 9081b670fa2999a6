import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedError } from '../../../dev/embedded/error';
import { processIdentity } from '../../../dev/embedded/process';
import { endOwner, takeRunLock } from '../../../dev/embedded/run-lock';
import { tempFolder } from './temp-folder';

const root = tempFolder();

describe('takeRunLock', () => {
  let folder: string;
  let file: string;
  let other: ChildProcess;

  beforeEach(async () => {
    folder = mkdtempSync(join(root, 'data-'));
    file = join(folder, 'run.lock');
    other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(other, 'spawn');
  });

  afterEach(async () => {
    if (other.exitCode !== null || other.signalCode !== null) return;
    other.kill('SIGKILL');
    await once(other, 'exit');
  });

  function ownedBy(pid: number, identity: string | undefined): void {
    writeFileSync(file, JSON.stringify({ pid, identity }));
  }

  it('creates the folder, names the owner, and leaves nothing behind when released', () => {
    const inner = join(folder, 'made', 'for', 'it');
    const lock = takeRunLock(inner);
    expect(JSON.parse(readFileSync(join(inner, 'run.lock'), 'utf8'))).toEqual({
      pid: process.pid,
      identity: processIdentity(process.pid),
    });
    lock.release();
    expect(readdirSync(inner)).toEqual([]);
  });

  it('refuses while the owner runs, with its process id', () => {
    ownedBy(other.pid!, processIdentity(other.pid!));
    expect(() => takeRunLock(folder)).toThrow(EmbeddedError);
    expect(() => takeRunLock(folder)).toThrow(
      `Already running on ${folder} (process ${other.pid}). ` +
        'Stop it first, or choose another data folder.',
    );
  });

  it('refuses a second lock in the same process', () => {
    const lock = takeRunLock(folder);
    expect(() => takeRunLock(folder)).toThrow(`process ${process.pid}`);
    lock.release();
  });

  it('takes over from an owner that was killed', async () => {
    const identity = processIdentity(other.pid!);
    ownedBy(other.pid!, identity);
    other.kill('SIGKILL');
    await once(other, 'exit');
    takeRunLock(folder).release();
  });

  it("takes over when another program has the owner's process id", () => {
    ownedBy(other.pid!, `${other.pid} started at another time`);
    takeRunLock(folder).release();
  });

  it('can be had after its owner was ended', async () => {
    ownedBy(other.pid!, processIdentity(other.pid!));
    const ended = once(other, 'exit');
    await endOwner(file, [{ signal: 'SIGKILL', wait_seconds: 60 }]);
    await ended;
    takeRunLock(folder).release();
    await endOwner(file, []);
  });

  it("does not end another program that has the owner's process id", async () => {
    ownedBy(other.pid!, `${other.pid} started at another time`);
    await endOwner(file, [{ signal: 'SIGKILL', wait_seconds: 60 }]);
    expect(processIdentity(other.pid!)).toBeDefined();
  });

  it.each(['', '{"pid":', 'null', '{}'])('takes over from a broken file: %j', (content) => {
    writeFileSync(file, content);
    takeRunLock(folder).release();
  });

  it('does not release a lock that another program has taken over', () => {
    const lock = takeRunLock(folder);
    ownedBy(other.pid!, processIdentity(other.pid!));
    lock.release();
    expect(existsSync(file)).toBe(true);
  });
});
