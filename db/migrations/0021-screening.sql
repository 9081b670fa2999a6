-- Lists of names that accounts and recipients are compared with (docs/decisions/risk.md). The words of names are made by
-- domain/names.ts; here they are found.

-- A file of names, as it was loaded: it is read in before it holds, and names of another are found meanwhile.
create table risk_lists (
  id          bigint generated always as identity primary key,
  list        text not null check (list ~ '^[a-z0-9][a-z0-9._-]{0,63}$'),
  -- The SHA-256 of the file, by which a request names it.
  version     text not null check (version ~ '^[0-9a-f]{64}$'),
  entries     integer not null check (entries between 1 and 100000),
  -- Being read; read, for an operator who approves it; in force; and then dropped.
  state       text not null check (state in ('reading', 'read', 'current', 'gone')),
  began_at    timestamptz not null default clock_timestamp(),
  loaded_at   timestamptz,
  loaded_by   text,
  check ((state = 'current') <= (loaded_at is not null and loaded_by is not null))
);
create unique index risk_lists_current on risk_lists (list) where state = 'current';

-- The names of an entry, one of which it is called by; those with fewer words have lower numbers. Only functions write these two tables: a foreign key would make
-- the reading of a file half as fast.
create table risk_list_names (
  list_id  bigint not null,
  number   integer not null,
  entry    text not null check (length(entry) between 1 and 100),
  name     text not null check (length(name) between 1 and 300),
  called   text not null check (length(called) between 1 and 300),
  -- Whatever else the file says, for the operator who decides.
  facts    text not null check (length(facts) <= 300),
  primary key (list_id, number)
);

-- Two words lead to the names that have both, by their numbers; what is left of a word without a letter to that word.
create table risk_list_keys (
  list_id bigint not null,
  key     text collate "C" not null,
  names   integer[],
  of_keys text[],
  primary key (list_id, key),
  check (num_nulls(names, of_keys) < 2)
);

-- The one row that says with what names are compared, and how far all accounts are.
create table risk_screening (
  one         boolean primary key default true check (one),
  mode        text not null default 'local' check (mode in ('local', 'url', 'off')),
  -- A service that is asked as moov-io/watchman is.
  url         text check (length(url) <= 2048),
  minimum     numeric check (minimum between 0.5 and 1),
  deadline_ms integer check (deadline_ms between 50 and 5000),
  on_silence  text check (on_silence in ('allow', 'hold')),
  -- The service's silences before it do not count.
  set_at      timestamptz not null default clock_timestamp(),
  -- Accounts after this one are due; null: all are done.
  after       uuid,
  check (num_nulls(url, minimum, deadline_ms, on_silence) = case mode when 'url' then 0 else 4 end)
);
insert into risk_screening default values;

-- Accounts whose names are to be compared.
create table risk_due_accounts (
  user_id     uuid primary key references users,
  since       timestamptz not null default clock_timestamp(),
  -- A process is at it.
  taken_until timestamptz not null default '-infinity'
) with (fillfactor = 70);
create index risk_due_accounts_next on risk_due_accounts (since);

-- An open case of the account holds what it sends and receives: the lock that every posting takes decides between the two.
alter table ledger_accounts add is_questioned boolean not null default false;
alter table ledger_accounts add constraint only_wallets_are_questioned check (kind = 'wallet' or not is_questioned);
alter type posting_account add attribute is_questioned boolean;

-- Names are compared soon after they change, and those of a check when it is submitted and approved.
create function screen_new_names() returns trigger language plpgsql security definer
set search_path = public, pg_temp as $$
begin
  perform screen_soon(new.id);
  return null;
end $$;
create trigger users_screen_first_names after insert on users
  for each row execute function screen_new_names();
create trigger users_screen_names after update of first_name, last_name, display_name, kyc_status on users
  for each row
  when ((old.first_name, old.last_name, old.display_name) is distinct from (new.first_name, new.last_name, new.display_name)
        or (old.kyc_status <> new.kyc_status and new.kyc_status in ('pending', 'approved')))
  execute function screen_new_names();
