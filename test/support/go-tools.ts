// Programs in Go that judge what is in this checkout. Each is built once per machine, with a limit for that.

import { acquireGoProgram } from '../../dev/embedded/go-program';

/** A slow and busy machine builds for some minutes. */
export const BUILD_LIMIT_MS = 20 * 60_000;

const KUBECONFORM = 'github.com/yannh/kubeconform';
/** Each has its module in dev/tools, its package, and the package's own module if that is another. */
const TOOLS = {
  kubeconform: ['kubernetes', `${KUBECONFORM}/cmd/kubeconform`, KUBECONFORM],
  kustomize: ['kubernetes', 'sigs.k8s.io/kustomize/kustomize/v5'],
  oasdiff: ['oasdiff', 'github.com/oasdiff/oasdiff'],
} as const;

/** Its file. */
export function goTool(name: keyof typeof TOOLS): Promise<string> {
  const [module, path, from = path] = TOOLS[name];
  const options = { env: process.env, log: (text: string): void => console.error(text) };
  return acquireGoProgram({ name, module, package: path, from }, options);
}
