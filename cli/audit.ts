// The audit log: listed and verified.

import { findAuditHead, listAuditRows, verifyAuditLog, type AuditRow } from '../db/audit';
import { parseInstant } from '../domain/instant';
import type { JsonValue } from '../domain/json';
import type { Command } from './command';
import { CommandError } from './error';
import type { Options } from './options';
import { table } from './table';

const DEFAULT_PAGE = 25;
const MAX_PAGE = 1_000;

const auditList: Command = {
  usage:
    'audit list [--user U] [--subject S] [--action A] [--by ACTOR] [--since T] [--limit N] [--cursor ID]',
  summary: 'List what operators did, newest first; --user finds also what belongs to the user',
  async run({ db, options }) {
    const limit = options.count('limit', DEFAULT_PAGE, MAX_PAGE);
    // One more row shows that another page follows.
    const rows = await listAuditRows(db, readFilters(options), limit + 1);
    const page = rows.slice(0, limit);
    const next_cursor = rows.length > limit ? String(page.at(-1)!.id) : null;
    const lines = page.map(({ id, at, actor, action, subject, details }) => [
      ...[String(id), at, actor, action, subject],
      JSON.stringify(details),
    ]);
    const more = next_cursor === null ? '' : `\nMore: --cursor ${next_cursor}`;
    return {
      json: { audit_rows: page.map(present), next_cursor },
      text: table([['ID', 'AT', 'ACTOR', 'ACTION', 'SUBJECT', 'DETAILS'], ...lines]) + more,
    };
  },
};

function readFilters(options: Options) {
  return {
    username: options.optional('user')?.toLowerCase(),
    subject: options.optional('subject'),
    action: options.optional('action'),
    actor: options.optional('by'),
    since: readInstant(options.optional('since')),
    before: options.numberedCursor(),
  };
}

function readInstant(text: string | undefined): string | undefined {
  const instant = text === undefined ? undefined : parseInstant(text);
  if (text !== undefined && instant === undefined) {
    throw new CommandError('usage', '--since must be an ISO 8601 date or instant');
  }
  return instant;
}

function present({ id, ...row }: AuditRow): Record<string, JsonValue> {
  return { id: Number(id), ...row };
}

const auditHead: Command = {
  usage: 'audit head',
  summary: 'Print the hash of the newest row: note it elsewhere, for audit verify --head',
  async run({ db }) {
    const { id, hash } = await findAuditHead(db);
    return { json: { id: Number(id), hash }, text: hash };
  },
};

const auditVerify: Command = {
  usage: 'audit verify [--head HASH]',
  summary: 'Check that no row of the audit log was changed, removed or moved since it was written',
  async run({ db, options }) {
    const { rows, head, faults } = await verifyAuditLog(db, options.head('audit head'));
    const shown = faults.map(({ id, what }) => ({ id: id === null ? null : Number(id), what }));
    const lines = shown.map(({ id, what }) => [id === null ? '' : String(id), what]);
    return {
      json: { ok: faults.length === 0, rows, head: head.hash, faults: shown },
      text:
        faults.length === 0
          ? `The audit log is whole: ${rows} rows, head ${head.hash}.`
          : table([['ID', 'FAULT'], ...lines]),
      exit_status: faults.length === 0 ? 0 : 1,
    };
  },
};

export const auditCommands = [auditList, auditHead, auditVerify];
