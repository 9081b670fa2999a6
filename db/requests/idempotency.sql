-- Idempotency keys: the lock that makes a key post once, and the final word on a request whose
-- response was lost.

-- One advisory lock per idempotency key. It is held until after the commit, so the next holder sees
-- either the stored response or the certainty that there is none.
create or replace function idempotency_lock(account uuid, env text, op text, idem_key text) returns bigint
language sql immutable as $$
  -- The cast lets Postgres put it into the statement that calls it.
  select hashtextextended(account::text || '/' || env || '/' || op || '/' || idem_key, 0)
$$;

-- Whether what was to be accepted before this moment is never to be posted. The caller holds the lock of the key.
create or replace function is_given_up(account uuid, env text, op text, idem_key text, until timestamptz)
returns boolean language sql stable as $$
  select exists (select from lapsed_keys x
                  where x.user_id = account and x.environment = env and x.operation = op and x.key = idem_key
                    and x.accept_before >= until)
$$;

-- The outcome of a request whose response was lost: waits for a posting under way to commit or roll
-- back. A stored response is final, and so is `lapsed` without one; neither means that the request may
-- still be carried out. A transfer and a reversal may still be posted by a workflow whose process died, so they are
-- given up here; no other order outlives its request.
create or replace function resolve_idempotency_key(
  account uuid, env text, op text, idem_key text, accept_before timestamptz
) returns table (lapsed boolean, status smallint, body text, fingerprint jsonb)
language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  until constant timestamptz := accept_before;
begin
  perform pg_advisory_xact_lock(idempotency_lock(account, env, op, idem_key));
  lapsed := clock_timestamp() > until;
  select k.status, k.body, k.fingerprint into status, body, fingerprint
    from idempotency_keys k
   where k.user_id = account and k.environment = env and k.operation = op and k.key = idem_key;
  if body is null and not lapsed and op in ('transfer', 'reversal') then
    -- Past its moment nothing is posted anyway; the day is for a clock that was set back.
    delete from lapsed_keys where ctid = any (array(
      select x.ctid from lapsed_keys x where x.accept_before < clock_timestamp() - interval '1 day'
       order by x.accept_before limit 10 for update skip locked));
    insert into lapsed_keys as x (user_id, environment, operation, key, accept_before)
    values (account, env, op, idem_key, until)
        on conflict (user_id, environment, operation, key)
        do update set accept_before = greatest(x.accept_before, excluded.accept_before);
    lapsed := true;
  end if;
  return next;
end $$;
