-- What may leave an account by a key in 24 hours (docs/decisions/0140-daily-limits.md). Whoever counts holds the wallet
-- that pays: a key is of one account and one environment, so all that it sends of a currency waits for that lock, and
-- nothing else does.

-- The limit of a key and how much of it is used at the moment `at`; `limit_minor` is null when this currency has none.
-- A row stands for its whole minute: what is in it counts until the last of it is a day old.
create or replace function key_limit(key uuid, cur text, at timestamptz)
returns table (first_key uuid, limit_minor bigint, used_minor bigint) language sql stable as $$
  select coalesce(k.first_key, k.id), (k.daily_limit ->> cur)::bigint,
         (select coalesce(sum(s.amount_minor), 0)::bigint from key_spending s
           where s.key_id = coalesce(k.first_key, k.id) and s.currency = cur
             and s.minute > at - interval '24 hours 1 minute')
    from api_keys k where k.id = key
$$;

-- What a key may still send of a currency; null: any amount.
create or replace function key_room(key uuid, cur text) returns bigint language sql volatile as $$
  select l.limit_minor - l.used_minor from key_limit(key, cur, clock_timestamp()) l
$$;

-- Counts an amount that leaves by the key, if there is one. False when it is above the limit: then nothing was counted.
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
  if l.limit_minor is null then
    return true;
  elsif amount > l.limit_minor - l.used_minor then
    return false;
  end if;
  delete from key_spending s
   where s.key_id = l.first_key and s.currency = cur and s.minute <= at - interval '24 hours 1 minute';
  insert into key_spending as s (key_id, currency, minute, amount_minor)
  values (l.first_key, cur, date_trunc('minute', at), amount)
  on conflict (key_id, currency, minute) do update set amount_minor = s.amount_minor + excluded.amount_minor;
  return true;
end $$;
