// The disk space of a year.

import type { Client } from 'pg';
import type { YearSize } from './year-fill';
import { round } from './stats';

const OF_TRANSFERS = new Set([
  'ledger_transactions',
  'ledger_entries',
  'ledger_seal_ranges',
  'transactions',
  'transfers',
  'idempotency_keys',
]);
const OF_DELIVERIES = new Set(['events', 'webhook_deliveries', 'webhook_attempts']);

/**
 * By table, with what it keeps outside of its pages, and by index; and the bytes in all those of which each transfer, or
 * each delivery, has rows.
 */
export async function readSizes(owner: Client, size: YearSize) {
  // A table that is kept by month counts as one here, and so do its indexes.
  const { rows } = await owner.query<{ table: string; name: string; rows: number; bytes: number }>(
    `with owned as (
       select t.oid, t.reltuples, coalesce(p.oid, t.oid) as parent
         from pg_class t
         left join pg_inherits h on h.inhrelid = t.oid left join pg_class p on p.oid = h.inhparent
        where t.relnamespace = 'public'::regnamespace and t.relkind = 'r'
     ), sized as (
       select o.parent, 0 as place, o.parent as relation, greatest(o.reltuples, 0) as rows,
              pg_table_size(o.oid) as bytes
         from owned o
       union all
       select o.parent, 1, coalesce(h.inhparent, i.indexrelid), greatest(o.reltuples, 0),
              pg_relation_size(i.indexrelid)
         from owned o join pg_index i on i.indrelid = o.oid
         left join pg_inherits h on h.inhrelid = i.indexrelid
     )
     select t.relname as table, r.relname as name, sum(s.rows)::float8 as rows,
            sum(s.bytes)::float8 as bytes
       from sized s join pg_class t on t.oid = s.parent join pg_class r on r.oid = s.relation
      where t.relname = any ($1)
      group by t.relname, s.place, r.relname
      order by t.relname, s.place, r.relname`,
    [[...OF_TRANSFERS, ...OF_DELIVERIES]],
  );
  const sum = (tables: ReadonlySet<string>): number =>
    rows.filter(({ table }) => tables.has(table)).reduce((total, { bytes }) => total + bytes, 0);
  const { rows: whole } = await owner.query<{ bytes: number }>(
    'select pg_database_size(current_database())::float8 as bytes',
  );
  return {
    megabytes: Math.round(whole[0]!.bytes / 2 ** 20),
    relations: rows.map(({ table, name, rows: count, bytes }) => ({
      name: name === table ? table : `${table} / ${name}`,
      rows: count,
      megabytes: Math.round(bytes / 2 ** 20),
      bytes_of_row: round(bytes / Math.max(1, count)),
    })),
    bytes_of_transfer: Math.round(sum(OF_TRANSFERS) / size.transactions),
    bytes_of_delivery: Math.round(sum(OF_DELIVERIES) / size.deliveries),
  };
}
