// Whether Postgres does real work for this process, has room on its disk, and the schema that is needed. All are
// look-ups: they wait for no connection of the pool, so a busy process is not taken for a broken one.

import { callValue, lookUp, type Db } from '../connect';
import { isDiskFull } from '../errors';
import { isSameFile, readOwnFiles, type AppliedFile } from '../schema/schema-files';

const WORKS = {
  name: 'works',
  // A standby, or a disk that was made read-only, would answer reads as ever.
  text: `select count(*) > 0 and current_setting('transaction_read_only') = 'off' as works
           from currencies`,
};

/** It reads a table, and it would take writes. Throws when it cannot be asked. */
export async function doesPostgresWork(db: Db): Promise<boolean> {
  const [row] = await lookUp<{ readonly works: boolean }>(db, WORKS, []);
  return row?.works === true;
}

/**
 * False when its disk is full: reads, and changes of rows in their place, would go on as ever. True when it
 * cannot be asked: that is another fault.
 */
export async function hasPostgresRoom(db: Db): Promise<boolean> {
  try {
    await callValue(db.lookUps, 'write_scratch', []);
    return true;
  } catch (error) {
    return !isDiskFull(error);
  }
}

const APPLIED = { name: 'applied_files', text: 'select name, checksum from schema_files' };

/** The database has had every file of this version; the files are read once, when this is created. */
export function createSchemaCheck(db: Db): () => Promise<boolean> {
  const own = readOwnFiles();
  return async () => {
    const applied = await lookUp<AppliedFile>(db, APPLIED, []);
    return own.every((file) => applied.some((other) => isSameFile(file, other)));
  };
}
