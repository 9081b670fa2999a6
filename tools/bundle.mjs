// Puts the workflows into the one file that workers load. The worker can do this by itself at each
// start, in seconds and to 1.6 MB; this file is made once and is a tenth of that, which every
// worker thread would otherwise compile and every cached workflow would carry.

import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';

const require = createRequire(import.meta.url);

// Errors are logged with the line they come from, which should not be the whole bundle.
const LINE_LENGTH = 160;

/** `workflows` is the module that exports them, TypeScript or JavaScript; `bundle` is written. */
export async function bundleWorkflows({ workflows, bundle }) {
  const { bundleWorkflowCode } = require('@temporalio/worker');
  const faults = [];
  const silent = () => {};
  const logger = {
    ...{ log: silent, trace: silent, debug: silent, info: silent, warn: silent },
    error: (message) => faults.push(message),
  };
  let code;
  try {
    ({ code } = await bundleWorkflowCode({
      workflowsPath: workflows,
      // Evaluated once per worker instead of once per workflow: the SDK's library keeps no state in
      // its modules.
      preloadModules: ['@temporalio/workflow'],
      webpackConfigHook: forProduction,
      logger,
    }));
  } catch (error) {
    throw new Error([...faults, error.message].join('\n'), { cause: error });
  }
  mkdirSync(dirname(bundle), { recursive: true });
  // A worker that starts meanwhile reads the old file or the new one, never a part.
  const draft = `${bundle}.${process.pid}`;
  writeFileSync(draft, `${code.trimEnd()}\n${sourceMap(basename(bundle), code)}\n`);
  renameSync(draft, bundle);
}

function forProduction(config) {
  return {
    ...config,
    mode: 'production',
    devtool: false,
    optimization: {
      // A workflow is also started by its function's name, as another one's child. Merging modules
      // renames functions that are called alike, and minifying renames them all.
      concatenateModules: false,
      minimize: {
        javascript: {
          compress: { passes: 2 },
          keep_fnames: true,
          keep_classnames: true,
          format: { comments: false, max_line_len: LINE_LENGTH },
        },
      },
    },
    module: {
      ...config.module,
      // Without a map to make, nobody reads those of the libraries.
      rules: config.module.rules.filter((rule) => rule.enforce !== 'pre'),
    },
    // Its advice is about pages that people download.
    performance: { hints: false },
  };
}

// The worker insists on an inline source map, and writes its positions into stack traces. This one
// maps each line of the bundle to itself.
function sourceMap(file, code) {
  const mappings = `AAAA${';AACA'.repeat(code.split('\n').length - 1)}`;
  const map = JSON.stringify({ version: 3, file, sources: [file], names: [], mappings });
  return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}`;
}
