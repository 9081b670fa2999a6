-- Months whose histories have left the database (docs/decisions/growth.md): the archive has them, and the journal stays.

create table history_drops (
  month         date primary key check (extract(day from month) = 1),
  -- The rows of `transactions`, as archived; and the SHA-256 of the archive's manifest.
  archived_rows bigint not null check (archived_rows >= 0),
  manifest_hash text not null check (manifest_hash ~ '^[0-9a-f]{64}$'),
  dropped_by    text not null,
  -- From then on the month is not shown; its rows are deleted in small steps until `ended_at`.
  began_at      timestamptz not null default clock_timestamp(),
  ended_at      timestamptz
);
