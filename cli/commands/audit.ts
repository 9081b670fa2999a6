// The audit log. `ledger verify` checks it, because it is sealed with the ledger.

import { listAuditRows, type AuditRow } from '../../db/operators/audit';
import type { JsonValue } from '../../domain/json';
import { command, group, run } from '../command';
import { cursorOption, limitOption, readSince, userFilter } from '../options';
import { listedPage } from '../page';
import { table } from '../table';
import { normalUsername } from '../../domain/username';

function present({ id, ...row }: AuditRow): Record<string, JsonValue> {
  return { id: Number(id), ...row };
}

export const audit = group([
  command(
    'list',
    'List what operators did, newest first; --user finds also what belongs to the user',
  )
    .addOption(userFilter)
    .option('--subject <subject>', 'about this only')
    .option('--action <action>', 'of this kind only')
    .option('--by <actor>', 'of this operator only')
    .option('--since <instant>', 'from this instant on', readSince)
    .addOption(limitOption)
    .addOption(cursorOption)
    .action(
      run(async ({ db }, options) => {
        const { limit } = options;
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
        const {
          rows: page,
          next_cursor,
          more,
        } = listedPage(rows, limit, (last) => String(last.id));
        const lines = page.map(({ id, at, actor, action, subject, details }) => [
          String(id),
          at,
          actor,
          action,
          subject,
          JSON.stringify(details),
        ]);
        return {
          json: { audit_rows: page.map(present), next_cursor },
          text: table([['ID', 'AT', 'ACTOR', 'ACTION', 'SUBJECT', 'DETAILS'], ...lines]) + more,
        };
      }),
    ),
]);
