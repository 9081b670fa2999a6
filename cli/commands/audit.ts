// The audit log: listed and verified.

import { findAuditHead, listAuditRows, verifyAuditLog, type AuditRow } from '../../db/audit';
import { parseInstant } from '../../domain/instant';
import type { JsonValue } from '../../domain/json';
import { command, group, run } from '../command';
import { cursorOption, limitOption, readHead, userFilter } from '../options';
import { CommandError } from '../error';
import { table } from '../table';

const auditList = command(
  'list',
  'List what operators did, newest first; --user finds also what belongs to the user',
)
  .addOption(userFilter)
  .option('--subject <subject>', 'about this only')
  .option('--action <action>', 'of this kind only')
  .option('--by <actor>', 'of this operator only')
  .option('--since <instant>', 'from this instant on', readInstant)
  .addOption(limitOption)
  .addOption(cursorOption)
  .action(
    run(async ({ db }, options) => {
      const { limit } = options;
      // One more row shows that another page follows.
      const { user, subject, action, by: actor, since, cursor: before } = options;
      const filters = { username: user?.toLowerCase(), subject, action, actor, since, before };
      const rows = await listAuditRows(db, filters, limit + 1);
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
    }),
  );

function readInstant(text: string): string {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  throw new CommandError('usage', '--since must be an ISO 8601 date or instant');
}

function present({ id, ...row }: AuditRow): Record<string, JsonValue> {
  return { id: Number(id), ...row };
}

const auditHead = command(
  'head',
  'Print the hash of the newest row: note it elsewhere, for audit verify --head',
).action(
  run(async ({ db }) => {
    const { id, hash } = await findAuditHead(db);
    return { json: { id: Number(id), hash }, text: hash };
  }),
);

const auditVerify = command(
  'verify',
  'Check that no row of the audit log was changed, removed or moved since it was written',
)
  .option('--head <hash>', 'the hash that was noted', readHead('audit head'))
  .action(
    run(async ({ db }, options) => {
      const { rows, head, faults } = await verifyAuditLog(db, options.head);
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
    }),
  );

export const audit = group([auditList, auditHead, auditVerify]);
