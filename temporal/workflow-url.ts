// The address at which Temporal's UI shows a workflow: for operators' pages and the command line.

import type { Config } from '../config/load';

/** Undefined when the address of the UI is not known. */
export function workflowUrl(
  { temporal_ui_url, temporal_namespace }: Pick<Config, 'temporal_ui_url' | 'temporal_namespace'>,
  workflow_id: string,
): string | undefined {
  if (temporal_ui_url === undefined) return undefined;
  const namespace = encodeURIComponent(temporal_namespace);
  return `${temporal_ui_url}/namespaces/${namespace}/workflows/${encodeURIComponent(workflow_id)}`;
}
