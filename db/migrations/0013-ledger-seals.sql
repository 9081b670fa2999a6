-- Seals of the ledger: hashes over entries, made soon after their commit. An entry, a journal transaction
-- or an account that somebody changes afterwards is found by `ledger verify`, whoever did it
-- (docs/decisions/0052-the-ledger-is-sealed.md). No posting reads or writes these tables.

create table ledger_seals (
  -- 1, 2, 3 and so on, without gaps.
  id            bigint primary key check (id > 0),
  sealed_at     timestamptz not null,
  -- The login role of the connection, as Postgres knows it.
  database_role text not null check (database_role !~ '[\u0001-\u001f\u007f]'),
  entries       bigint not null check (entries > 0),
  previous_hash bytea not null unique check (length(previous_hash) = 32),
  -- Over the fields above and the seal's ranges.
  hash          bytea not null unique check (length(hash) = 32)
);
create trigger ledger_seals_append_only before update or delete or truncate on ledger_seals
  for each statement execute function refuse_change();

-- What a seal covers: of each account the entries from one version to another. An account's ranges follow
-- one another without a gap, from version 1 on. No foreign keys: seal_ledger alone writes here, and what
-- they would refuse is found by `ledger verify`, which has to expect it anyway.
create table ledger_seal_ranges (
  seal_id      bigint not null,
  account_id   bigint not null,
  from_version bigint not null check (from_version > 0),
  to_version   bigint not null check (to_version >= from_version),
  -- Over the account, the entries and their journal transactions.
  digest       bytea not null check (length(digest) = 32),
  primary key (account_id, from_version)
);
-- Rows are inserted in the order of the seals, so block ranges find those of a seal.
create index ledger_seal_ranges_seal on ledger_seal_ranges using brin (seal_id);
create trigger ledger_seal_ranges_append_only
  before update or delete or truncate on ledger_seal_ranges
  for each statement execute function refuse_change();
