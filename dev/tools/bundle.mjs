// Bundles the workflows into the one file that workers load. A worker could do this itself at each start,
// but that takes seconds and gives 1.6 MB, which every worker thread compiles and every cached workflow
// keeps in memory. This file is built once, and a tenth of that size.

import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';

const require = createRequire(import.meta.url);

// Errors are logged with their source line, which must not be the whole bundle.
const LINE_LENGTH = 160;

/** `workflows` is the module that exports them, TypeScript or JavaScript; `bundle` is written. */
export async function bundleWorkflows({ workflows, bundle }) {
  const { bundleWorkflowCode } = require('@temporalio/worker');
  const faults = [];
  const silent = () => {};
  const logger = {
    log: silent,
    trace: silent,
    debug: silent,
    info: silent,
    warn: silent,
    error: (message) => faults.push(message),
  };
  let code;
  try {
    ({ code } = await bundleWorkflowCode({
      workflowsPath: workflows,
      workflowInterceptorModules: interceptorsBeside(workflows),
      // Evaluated once per worker instead of once per workflow. This is safe because the SDK's library
      // keeps no state in its modules.
      preloadModules: ['@temporalio/workflow'],
      webpackConfigHook: forProduction,
      logger,
    }));
  } catch (error) {
    throw new Error([...faults, error.message].join('\n'), { cause: error });
  }
  mkdirSync(dirname(bundle), { recursive: true });
  // Renamed into place, so that a worker that starts meanwhile never reads half a file.
  const draft = `${bundle}.${process.pid}`;
  writeFileSync(draft, `${code.trimEnd()}\n${sourceMap(basename(bundle), code)}\n`);
  renameSync(draft, bundle);
}

// The benchmark's own workflows have none.
function interceptorsBeside(workflows) {
  const file = join(dirname(workflows), `tracing${extname(workflows)}`);
  return existsSync(file) ? [file] : [];
}

function forProduction(config) {
  return {
    ...config,
    mode: 'production',
    devtool: false,
    optimization: {
      // Child workflows are started by their function's name. Merging modules renames functions with the
      // same name, and minifying renames all.
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
      // No source map is made, so the libraries' source maps need not be read.
      rules: config.module.rules.filter((rule) => rule.enforce !== 'pre'),
    },
    // webpack's size hints are for web pages.
    performance: { hints: false },
  };
}

// The worker requires an inline source map, and writes its positions into stack traces. This one maps
// each line of the bundle to itself.
function sourceMap(file, code) {
  const mappings = `AAAA${';AACA'.repeat(code.split('\n').length - 1)}`;
  const map = JSON.stringify({ version: 3, file, sources: [file], names: [], mappings });
  return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}`;
}
