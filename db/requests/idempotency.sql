-- Idempotency keys: the lock that makes a key post once, and the final word on a request whose
-- response was lost.

-- One advisory lock per idempotency key. It is held until after the commit, so the next holder sees
-- either the stored response or the certainty that there is none.
create or replace function idempotency_lock(account uuid, env text, op text, idem_key text) returns bigint
language sql immutable as $$
  -- The cast lets Postgres put it into the statement that calls it.
  select hashtextextended(account::text || '/' || env || '/' || op || '/' || idem_key, 0)
$$;

-- The outcome of a request whose response was lost: waits for a posting under way to commit or roll
-- back. A stored response is final, and so is `lapsed` without one; neither means that the request may
-- still be carried out.
create or replace function resolve_idempotency_key(
  account uuid, env text, op text, idem_key text, accept_before timestamptz
) returns table (lapsed boolean, status smallint, body text, fingerprint jsonb)
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(idempotency_lock(account, env, op, idem_key));
  lapsed := clock_timestamp() > accept_before;
  select k.status, k.body, k.fingerprint into status, body, fingerprint
    from idempotency_keys k
   where k.user_id = account and k.environment = env and k.operation = op and k.key = idem_key;
  return next;
end $$;
