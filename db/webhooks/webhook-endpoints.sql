-- Merchants' webhook endpoints, and their sealed secrets.

create or replace function create_webhook_endpoint(request jsonb, sealed bytea, max_endpoints integer)
returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  r record;
begin
  select * into strict r from jsonb_to_record(request) q (
    id uuid, user_id uuid, environment text, url text, types jsonb, description text,
    max_per_second integer);
  -- Two at once must not pass the limit together.
  perform pg_advisory_xact_lock(hashtextextended(r.user_id::text || r.environment, 8));
  if (select count(*) from webhook_endpoints w where w.user_id = r.user_id
        and w.environment = r.environment and w.status <> 'deleted') >= max_endpoints then
    return false;
  end if;
  insert into webhook_endpoints (id, user_id, environment, url, types, description,
    max_per_second, sealed_secret)
  values (r.id, r.user_id, r.environment, r.url, array(select jsonb_array_elements_text(r.types)),
    r.description, r.max_per_second, sealed);
  return true;
end $$;

-- Changes what `changes` names; null removes a description or a rate limit. False for an endpoint that does not
-- exist.
create or replace function update_webhook_endpoint(endpoint uuid, changes jsonb) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w webhook_endpoints;
  new_status text;
begin
  select * into w from webhook_endpoints x where x.id = endpoint and x.status <> 'deleted' for update;
  if found then
    new_status := coalesce(changes ->> 'status', w.status);
    update webhook_endpoints x
       set url = coalesce(changes ->> 'url', w.url),
           types = case when changes ? 'types'
                        then array(select jsonb_array_elements_text(changes -> 'types')) else w.types end,
           description = case when changes ? 'description' then changes ->> 'description'
                              else w.description end,
           max_per_second = case when changes ? 'max_per_second'
                                 then (changes ->> 'max_per_second')::integer else w.max_per_second end,
           status = new_status,
           disabled_reason = case when new_status <> 'disabled' then null
                                  else coalesce(w.disabled_reason, 'merchant') end,
           -- A new URL, and an endpoint that is enabled again, begin without a past.
           consecutive_failures = case when is_new then 0 else w.consecutive_failures end,
           failing_since = case when is_new then null else w.failing_since end,
           paused_until = case when is_new then null else w.paused_until end,
           updated_at = clock_timestamp()
      from (select coalesce(changes ->> 'url', w.url) <> w.url or new_status <> w.status as is_new) c
     where x.id = endpoint;
    if new_status <> w.status then
      perform apply_endpoint_status(endpoint, new_status);
    end if;
    -- Also of one that is closed: a delivery run does the rest.
    perform pg_notify('webhook_deliveries', endpoint::text);
  end if;
  return w.id is not null;
end $$;

-- The old secret, which receivers know, stays valid for the overlap. A second rotation within the
-- overlap keeps that old secret and ends the one in between: so a caller who lost the response may
-- rotate again, although no caller has seen the secret that the first call made.
create or replace function rotate_webhook_secret(endpoint uuid, sealed bytea, overlap_seconds integer)
returns timestamptz
language sql security definer set search_path = public, pg_temp as $$
  update webhook_endpoints w
     set sealed_secret = sealed,
         sealed_previous = case when overlap_seconds > 0 and w.previous_until > clock_timestamp()
                                then w.sealed_previous
                                when overlap_seconds > 0 then w.sealed_secret end,
         previous_until = case when overlap_seconds > 0
                               then clock_timestamp() + overlap_seconds * interval '1 second' end,
         updated_at = clock_timestamp()
   where w.id = endpoint and w.status <> 'deleted'
  returning case w.environment when 'sandbox'
    then sandbox_due(w.user_id, coalesce(w.previous_until, clock_timestamp()))
    else coalesce(w.previous_until, clock_timestamp()) end
$$;
