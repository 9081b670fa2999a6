-- Functions that only processes of an earlier version call, beside which this schema runs while they are
-- replaced. Each says which release may drop it.

-- Called by 0.1; the release after the next may drop it (authenticate_call replaces it). It knows no
-- frozen account and no key's limits, so it refuses such callers like unknown ones.
create or replace function authenticate(
  hash bytea, is_write boolean, operation text, idem_key text, may_reserve boolean
)
returns table (
  key_id uuid, user_id uuid, username text, environment text, allowed boolean,
  request_limit integer, request_remaining integer,
  write_limit integer, write_remaining integer, retry_after_seconds integer,
  now timestamptz,
  stored_status smallint, stored_body text, stored_fingerprint jsonb,
  reserved_requests integer, reserved_writes integer,
  reservation_ms integer
)
language plpgsql as $$
begin
  return query
    select c.key_id, c.user_id, c.username, c.environment, c.allowed, c.request_limit,
           c.request_remaining, c.write_limit, c.write_remaining, c.retry_after_seconds, c.now,
           c.stored_status, c.stored_body, c.stored_fingerprint, c.reserved_requests,
           c.reserved_writes, c.reservation_ms
      from authenticate_call(hash, null, is_write, operation, idem_key, may_reserve) c
     where c.is_address_allowed and not c.is_frozen and not (c.is_read_only and is_write);
end $$;

-- These two are called by a worker of 0.1 that refunds an item of suspense; the release after the next may
-- drop them (order_suspense_refund and record_refund_answer replace them). They leave an order too.
create or replace function begin_suspense_refund(item uuid) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  now_status text;
begin
  select o.status into strict now_status
    from add_refund_order(item, 'unknown (a process of the previous version)') o;
  return now_status;
end $$;

create or replace function finish_suspense_refund(item uuid, gateway_refund text) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  latest suspense_refunds;
begin
  perform begin_asking_refund(item);
  select * into latest from suspense_refunds r
   where r.item_id = item order by r.number desc limit 1;
  return record_refund_answer(item, latest.number, latest.asks, 'succeeded', gateway_refund, null);
end $$;
