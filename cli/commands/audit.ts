// The audit log. `ledger verify` checks it, because it is sealed with the ledger.

import { listAuditRows, type AuditRow } from '../../db/operators/audit';
import { parseInstant } from '../../domain/instant';
import type { JsonValue } from '../../domain/json';
import { command, group, run } from '../command';
import { cursorOption, limitOption, userFilter } from '../options';
import { CommandError } from '../error';
import { table } from '../table';
import { normalUsername } from '../../domain/username';

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
      const filters = {
        username: user === undefined ? user : normalUsername(user),
        subject,
        action,
        actor,
        since,
        before,
      };
      const rows = await listAuditRows(db, filters, limit + 1);
      const page = rows.slice(0, limit);
      const next_cursor = rows.length > limit ? String(page.at(-1)!.id) : null;
      const lines = page.map(({ id, at, actor, action, subject, details }) => [
        String(id),
        at,
        actor,
        action,
        subject,
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

export const audit = group([auditList]);
