// The metrics of Temporal's SDK. Its native part has an exporter of its own; what it exports is
// passed on, so that each process has one address to be scraped at.

const WITHIN_MS = 1_000;

/**
 * The SDK's metrics in the exposition format of Prometheus; empty when the exporter cannot be
 * reached.
 */
export async function readSdkMetrics(address: string): Promise<string> {
  try {
    const response = await fetch(`http://${address}/metrics`, {
      signal: AbortSignal.timeout(WITHIN_MS),
    });
    return response.ok ? await response.text() : '';
  } catch {
    // A second service in one process, as tests have it, is not the one that the SDK was started
    // with.
    return '';
  }
}

const FAILED = /^temporal_workflow_task_execution_failed(?:_total)?\{(.*)\} (\d+)/gm;
const TYPE = /workflow_type="([A-Za-z]{1,64})"/;

/** How many workflow tasks have failed, by the type of the workflow. */
export function countFailedTasks(sdk_metrics: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [, labels = '', count] of sdk_metrics.matchAll(FAILED)) {
    const type = TYPE.exec(labels)?.[1] ?? 'other';
    counts.set(type, (counts.get(type) ?? 0) + Number(count));
  }
  return counts;
}
