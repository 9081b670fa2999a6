// Histories of real runs, kept beside the tests as the protobuf's own JSON form.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporal as proto } from '@temporalio/proto';

const { History } = proto.api.history.v1;
type History = proto.api.history.v1.IHistory;

const FOLDER = join(__dirname, 'histories');

/** Those there are, by name. */
export const SAVED = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.slice(0, -'.json'.length));

export function readHistory(name: string): proto.api.history.v1.History {
  const json = JSON.parse(readFileSync(fileOf(name), 'utf8')) as Record<string, unknown>;
  return History.fromObject(json);
}

/** Saves a history once; run with SAVE_HISTORIES=1 when a workflow has changed on purpose. */
export function keepHistory(name: string, history: History): void {
  if (existsSync(fileOf(name)) && !process.env['SAVE_HISTORIES']) return;
  const options = { enums: String, longs: String, bytes: String };
  const json = History.toObject(History.fromObject(history), options);
  writeFileSync(fileOf(name), `${JSON.stringify(json, null, 2)}\n`);
}

function fileOf(name: string): string {
  return join(FOLDER, `${name}.json`);
}
