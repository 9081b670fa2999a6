// The workflow bundle that tests run: the built one when it is as new as its sources, else one
// made here, so that `npx jest` never tests yesterday's workflows.

import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';

const ROOT = join(__dirname, '..', '..');
const BUILT = join(ROOT, 'dist', 'workflow-bundle.js');

export async function prepareWorkflowBundle(folder: string, built = BUILT): Promise<string> {
  if (existsSync(built) && statSync(built).mtimeMs >= newestSource()) return built;
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(ROOT, 'workflows', 'index.ts'),
    workflowInterceptorModules: [join(ROOT, 'workflows', 'tracing.ts')],
    logger: { ...console, log: ignore, trace: ignore, debug: ignore, info: ignore },
  });
  const file = join(folder, 'workflow-bundle.js');
  writeFileSync(file, code);
  return file;
}

function newestSource(): number {
  const folders = ['workflows', 'domain'].map((name) => join(ROOT, name));
  const files = folders.flatMap((name) => readdirSync(name).map((file) => join(name, file)));
  return Math.max(...files.map((file) => statSync(file).mtimeMs));
}

function ignore(): void {}
