import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import {
  acquireTemporalBinary,
  ARCHIVE_SHA256,
  fetchArchive,
  findTemporalBinary,
} from '../../../dev/embedded/temporal-binary';
import { closeAfterFile } from '../../support/cleanup';
import { tempFolder } from './temp-folder';

const root = tempFolder();

function program(file: string, prints: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho '${prints}'\n`, { mode: 0o755 });
  return file;
}

describe('findTemporalBinary', () => {
  let folder: string;
  let notes: string[];

  beforeEach(() => {
    folder = mkdtempSync(join(root, 'machine-'));
    notes = [];
  });

  function find(env: NodeJS.ProcessEnv): Promise<string | undefined> {
    return findTemporalBinary({
      env: { XDG_CACHE_HOME: join(folder, 'cache'), ...env },
      log: (message) => notes.push(message),
    });
  }

  it('prefers TEMPORAL_CLI, then PATH, then the cache', async () => {
    const current = 'temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)';
    const chosen = program(join(folder, 'chosen'), current);
    const on_path = program(join(folder, 'bin', 'temporal'), current);
    const cached = join(folder, 'cache', 'payment-api', 'temporal-cli-1.8.2', 'temporal');
    program(cached, current);
    expect(await find({ TEMPORAL_CLI: chosen, PATH: dirname(on_path) })).toBe(chosen);
    expect(await find({ PATH: dirname(on_path) })).toBe(on_path);
    expect(await find({ PATH: '' })).toBe(cached);
    expect(notes).toEqual([]);
  });

  it('ignores a binary on PATH that is too old or something else, with a note', async () => {
    const old = program(join(folder, 'old', 'temporal'), 'temporal version 1.1.1 (server 1.24.2)');
    const other = program(join(folder, 'other', 'temporal'), 'a game about time');
    const PATH = [dirname(old), dirname(other)].join(delimiter);
    expect(await find({ PATH })).toBeUndefined();
    expect(notes).toEqual([
      `Not using ${old}: it has server 1.24, we need 1.31 or later.`,
      `Not using ${other}: it is not the Temporal CLI.`,
    ]);
  });

  it('refuses a TEMPORAL_CLI that cannot be used instead of looking elsewhere', async () => {
    const old = program(join(folder, 'old', 'temporal'), 'temporal version 1.1.1 (server 1.24.2)');
    await expect(find({ TEMPORAL_CLI: old })).rejects.toThrow(`TEMPORAL_CLI=${old} cannot be used`);
    const missing = join(folder, 'missing');
    await expect(find({ TEMPORAL_CLI: missing })).rejects.toThrow(/cannot be used: .*ENOENT/);
  });
});

describe('acquireTemporalBinary', () => {
  const { fetch } = globalThis;
  afterEach(() => {
    globalThis.fetch = fetch;
  });

  it('says in one line what to do where there is neither a CLI nor Go nor a way to the download', async () => {
    const cause = new Error('getaddrinfo ENOTFOUND temporal.download');
    globalThis.fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
    const notes: string[] = [];
    const folder = mkdtempSync(join(root, 'machine-'));
    const env = { XDG_CACHE_HOME: join(folder, 'cache'), PATH: folder };
    const acquired = acquireTemporalBinary({ env, log: (note) => notes.push(note) });
    await expect(acquired).rejects.toThrow(
      /^A Temporal server is needed: install the Temporal CLI \(https:\S+\) or Go, or set TEMPORAL_CLI .+ \(The official CLI could not be downloaded: .*ENOTFOUND temporal\.download; nor built: the program `go` is not installed\.\)$/,
    );
    // Nothing is said to be under way that cannot begin.
    expect(notes).toEqual([]);
  });
});

describe('fetchArchive', () => {
  const program_text = '#!/bin/sh\necho temporal\n';

  async function serveArchive(): Promise<{ address: string; sha256: string }> {
    const folder = mkdtempSync(join(root, 'release-'));
    writeFileSync(join(folder, 'temporal'), program_text, { mode: 0o755 });
    execFileSync('tar', ['-czf', 'release.tar.gz', 'temporal'], { cwd: folder });
    const archive = readFileSync(join(folder, 'release.tar.gz'));
    const server = createServer(({ url }, response) => {
      const { port } = server.address() as AddressInfo;
      const place = {
        archiveUrl: `http://127.0.0.1:${port}/release.tar.gz`,
        fileToExtract: 'temporal',
      };
      response.end(url === '/release.tar.gz' ? archive : JSON.stringify(place));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closeAfterFile(() => new Promise<void>((resolve) => server.close(() => resolve())));
    const { port } = server.address() as AddressInfo;
    return { address: `http://127.0.0.1:${port}/cli`, sha256: hash('sha256', archive, 'hex') };
  }

  it('unpacks an archive whose SHA-256 is the expected one', async () => {
    const { address, sha256 } = await serveArchive();
    const folder = mkdtempSync(join(root, 'cache-'));
    const log = () => undefined;
    expect(await fetchArchive({ address, expected_sha256: sha256, folder, log })).toBeUndefined();
    expect(readFileSync(join(folder, 'temporal'), 'utf8')).toBe(program_text);
  });

  it('neither keeps nor unpacks an archive that differs from the release', async () => {
    const { address, sha256 } = await serveArchive();
    const folder = mkdtempSync(join(root, 'cache-'));
    const expected_sha256 = ARCHIVE_SHA256['linux/amd64']!;
    const fault = await fetchArchive({ address, expected_sha256, folder, log: () => undefined });
    expect(fault).toContain(`is not the release: its SHA-256 is ${sha256}`);
    expect(existsSync(join(folder, 'temporal'))).toBe(false);
    expect(existsSync(join(folder, 'archive.tar.gz'))).toBe(false);
  });
});
