// npm run adapter:check NAME|module:PATH [-- --json] [-- --only AREA]
//
// Prints a line for each check, and for one that failed what was sent, what was expected, and what to do.

import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { AdapterModule } from '../../gateway/adapter-module';
import { loadAdapterModule } from '../../gateway/load';
import type { AdapterBench } from './bench';
import { checkAdapter, type Finding } from './run';
import { wordsOf } from './stand';

interface Checked {
  readonly adapter: AdapterModule;
  readonly bench: AdapterBench;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean' }, only: { type: 'string' } },
  });
  const [name] = positionals;
  if (name === undefined || positionals.length > 1) {
    throw new Error('Usage: npm run adapter:check NAME|module:PATH [-- --json --only AREA]');
  }
  const { adapter, bench } = load(name);
  const told = (finding: Finding): void => console.log(linesOf(finding));
  const { json, only } = values;
  const findings = await checkAdapter(adapter, bench, { only, ...(json ? {} : { told }) });
  const count = (result: Finding['result']): number =>
    findings.filter((one) => one.result === result).length;
  const counts = { ok: count('ok'), failed: count('failed'), skipped: count('skipped') };
  console.log(
    json
      ? JSON.stringify({ adapter: adapter.name, ...counts, checks: findings }, null, 2)
      : `${adapter.name}: ${counts.ok} ok, ${counts.failed} failed, ${counts.skipped} skipped`,
  );
  if (counts.failed > 0 || findings.length === 0) process.exitCode = 1;
}

/** One of ours has its fixture here; that of an author's stands beside the adapter. */
function load(name: string): Checked {
  const require = createRequire(__filename);
  const benches = join(__dirname, 'benches');
  const ours = join(benches, `${name}.js`);
  if (/^\w+$/.test(name) && existsSync(ours)) return require(ours) as Checked;
  const adapters = join(__dirname, '..', '..', 'adapters');
  const file = name.startsWith('module:')
    ? resolve(name.slice('module:'.length))
    : join(adapters, name, 'adapter.js');
  if (!existsSync(file)) {
    const authors = existsSync(adapters) ? readdirSync(adapters) : [];
    const known = [...readdirSync(benches), ...authors].flatMap(
      (one) => /^(\w+)(?:\.js)?$/.exec(one)?.[1] ?? [],
    );
    throw new Error(`There is no adapter at ${file}. There are: ${known.join(', ')}`);
  }
  const { default: bench } = require(join(dirname(file), 'bench.js')) as {
    readonly default: AdapterBench;
  };
  return { adapter: loadAdapterModule(`module:${file}`), bench };
}

function linesOf(finding: Finding): string {
  const mark = { ok: 'ok     ', failed: 'FAILED ', skipped: 'skipped' }[finding.result];
  const line = `${mark} ${finding.id.padEnd(22)} ${finding.name}`;
  if (finding.result === 'ok') return line;
  const more =
    finding.result === 'skipped'
      ? { because: finding.reason }
      : {
          sent: finding.sent,
          expected: finding.expected,
          got: finding.got,
          why: finding.protects_from,
          'to do': finding.advice,
        };
  const rows = Object.entries(more).map(([word, text]) => `${`${word}:`.padStart(17)} ${text}`);
  return [line, ...rows].join('\n');
}

main().catch((error: unknown) => {
  console.error(wordsOf(error));
  process.exitCode = 1;
});
