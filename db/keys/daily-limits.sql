-- The limit of what leaves an account by a key in 24 hours (docs/decisions/keys-and-limits.md). The caller holds the
-- wallet that pays: a key is of one account and one environment, so all that it sends of a currency waits for that lock, and
-- nothing else does.

-- The limit of a key and how much of it is used at the moment `at`; `limit_minor` is null when it has none; a currency that a limit
-- leaves out may not leave at all, or the limit would stop nobody who takes another wallet.
-- A row stands for its whole minute: what is in it counts until the last of it is a day old.
create or replace function key_limit(key uuid, cur text, at timestamptz)
returns table (first_key uuid, limit_minor bigint, used_minor bigint) language sql stable as $$
  select coalesce(k.first_key, k.id), case when k.daily_limit is not null then coalesce((k.daily_limit ->> cur)::bigint, 0) end,
         (select coalesce(sum(s.amount_minor), 0)::bigint from key_spending s
           where s.key_id = coalesce(k.first_key, k.id) and s.currency = cur
             and s.minute > at - interval '24 hours 1 minute')
    from api_keys k where k.id = key
$$;

-- The amount that a key may still send of a currency; null: any amount.
create or replace function key_room(key uuid, cur text) returns bigint language sql volatile as $$
  select l.limit_minor - l.used_minor from key_limit(key, cur, clock_timestamp()) l
$$;

-- The key, when it has a limit now: one of other currencies closes this one. It is asked for before anything is decided, and kept with what
-- leaves: `ledger verify` sums that up again.
create or replace function limited_by(key uuid) returns uuid language sql stable as $$
  select k.id from api_keys k where k.id = key and k.daily_limit is not null
$$;

-- Counts an amount that leaves by the key of limited_by, if there is one. False when it is above the limit: then nothing
-- was counted.
create or replace function count_key_spending(key uuid, cur text, amount bigint) returns boolean
language plpgsql as $$
declare
  at timestamptz := clock_timestamp();
  l record;
begin
  if key is null then
    return true;
  end if;
  select * into l from key_limit(key, cur, at);
  if amount > coalesce(l.limit_minor, 0) - l.used_minor then
    return false;
  end if;
  delete from key_spending s
   where s.key_id = l.first_key and s.currency = cur and s.minute <= at - interval '24 hours 1 minute';
  insert into key_spending as s (key_id, currency, minute, amount_minor)
  values (l.first_key, cur, date_trunc('minute', at), amount)
  on conflict (key_id, currency, minute) do update set amount_minor = s.amount_minor + excluded.amount_minor;
  return true;
end $$;
