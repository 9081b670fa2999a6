// The SQLite file of the Temporal server: what is done to it before the server reads it, so that it stays
// small (docs/decisions/production.md). The server itself never makes it smaller.

import { closeSync, existsSync, openSync, readSync } from 'node:fs';

/**
 * Indexes of the list of workflows for what is neither searched for nor shown here. Each of them is written
 * for each workflow; with all 58 they are more than half of the file. Those that stay serve Temporal's UI,
 * schedules, and our search attributes by keyword.
 */
const UNUSED_INDEXES: readonly string[] = [
  'by_execution_time',
  'by_history_length',
  'by_history_size_bytes',
  'by_execution_duration',
  'by_state_transition_count',
  'by_task_queue',
  'by_parent_run_id',
  'by_root_run_id',
  'by_batcher_user',
  'by_temporal_scheduled_start_time',
  'by_temporal_schedule_paused',
  'by_temporal_pause_info',
  'by_temporal_worker_deployment_version',
  'by_temporal_workflow_versioning_behavior',
  'by_temporal_worker_deployment',
  ...numbered('by_bool', 3),
  ...numbered('by_datetime', 3),
  ...numbered('by_double', 3),
  ...numbered('by_int', 3),
  ...numbered('by_temporal_bool', 2),
  ...numbered('by_temporal_datetime', 2),
  ...numbered('by_temporal_double', 2),
  ...numbered('by_temporal_int', 2),
  ...numbered('by_temporal_keyword', 4),
  'by_temporal_low_cardinality_keyword_01',
];

/** Smaller files are not worth a rewrite. */
const MIN_FREE_BYTES = 256 * 1024 * 1024;
/** The used part is rewritten at about 100 MB a second, and the start has a limit of a minute. */
const MAX_KEPT_BYTES = 2 * 1024 * 1024 * 1024;

/** SQL for the server's connection, to be run when it is opened. */
export function openingStatements(file: string): readonly string[] {
  const drops = UNUSED_INDEXES.map((name) => `drop index if exists ${name}`);
  return isMostlyFree(file) ? [...drops, 'vacuum', 'pragma wal_checkpoint(truncate)'] : drops;
}

/** Whether more than half of it is room of workflows that Temporal has deleted. */
function isMostlyFree(file: string): boolean {
  if (!existsSync(file)) return false;
  const header = Buffer.alloc(100);
  const handle = openSync(file, 'r');
  try {
    if (readSync(handle, header, 0, header.length, 0) < header.length) return false;
  } finally {
    closeSync(handle);
  }
  // https://www.sqlite.org/fileformat.html#the_database_header; 1 stands for 65,536.
  const stored_size = header.readUInt16BE(16);
  const page_size = stored_size === 1 ? 65_536 : stored_size;
  const [pages, free_pages] = [header.readUInt32BE(28), header.readUInt32BE(36)];
  const [free, kept] = [free_pages * page_size, (pages - free_pages) * page_size];
  return free > kept && free >= MIN_FREE_BYTES && kept <= MAX_KEPT_BYTES;
}

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name}_0${index + 1}`);
}
