-- What operators did: a row for each action, written in the transaction of its effect. Each row's hash
-- covers its content and the hash of the row before it, so that a row that is changed, removed or moved
-- later is found by `audit verify`, also when a superuser did it.

create table audit_log (
  -- 1, 2, 3 and so on, without gaps, in the order of the commits.
  id            bigint primary key check (id > 0),
  at            timestamptz not null,
  -- Who acted, as the command line or the page said it.
  actor         text not null check (actor ~ '^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$'),
  -- The login role of the connection, as Postgres knows it.
  database_role text not null check (database_role !~ '[\u0001-\u001f\u007f]'),
  action        text not null check (length(action) <= 64 and action ~ '^[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_-]*)*$'),
  -- What was acted on, such as `user/awa` or `key/` and its id.
  subject       text not null check (length(subject) between 1 and 200 and subject !~ '[\u0001-\u001f\u007f]'),
  -- Never a secret. `username` names the user whom the subject belongs to.
  details       jsonb not null check (jsonb_typeof(details) = 'object' and length(details::text) <= 16384),
  previous_hash bytea not null unique check (length(previous_hash) = 32),
  hash          bytea not null unique check (length(hash) = 32)
);
create index audit_log_by_subject on audit_log (subject, id);
create trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();
