-- Events for merchants. An event's deliveries are committed together with it.

-- The account's event counter. The holder of its lock is the only one that adds events and
-- deliveries of that account.
create or replace function lock_event_counter(account uuid, env text) returns void language plpgsql as $$
begin
  insert into event_sequences values (account, env, 0) on conflict do nothing;
  perform 1 from event_sequences s where s.user_id = account and s.environment = env for update;
end $$;

-- The next event of an account. The counter's row is locked until the commit, so that the sequence
-- has no gaps and its order is the order of the commits.
create or replace function next_event_sequence(account uuid, env text) returns bigint language sql as $$
  insert into event_sequences as s values (account, env, 1)
  on conflict (user_id, environment) do update set last = s.last + 1
  returning last
$$;

-- The event of an intent that has just ended: `i` is the changed row. Called in the statement that changes
-- it. `template` is the event's body with four values left out, each as one control character, of which
-- JSON text has no other (domain/event.ts). Returns the endpoints to wake.
create or replace function add_intent_event(i payment_intents, event_id uuid, template text)
returns uuid[] language plpgsql as $$
declare
  event_type text := 'payment.' || i.status;
  number bigint := next_event_sequence(i.user_id, i.environment);
  body text := template;
begin
  body := replace(body, E'\x01',
    '"' || to_char(i.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"');
  body := replace(body, E'\x02', number::text);
  -- Minor units are at scale 2, and so is their product with 0.01.
  body := replace(body, E'\x03', (i.fee_minor * 0.01)::text);
  body := replace(body, E'\x04', ((coalesce(i.settled_minor, i.amount_minor) - i.fee_minor) * 0.01)::text);
  insert into events (id, user_id, environment, sequence, type, intent_id, body, created_at)
  values (event_id, i.user_id, i.environment, number, event_type, i.id, body, i.updated_at);
  perform note_intent(i.id, 'webhook', 'event', jsonb_build_object('event_id', event_id, 'type', event_type));
  return add_deliveries(event_id, array(
    select w.id from webhook_endpoints w
     where w.user_id = i.user_id and w.environment = i.environment and w.status <> 'deleted'
       and event_type = any (w.types)));
end $$;

-- For trying an endpoint: only that endpoint gets it, even if it did not subscribe to the type.
create or replace function add_test_event(endpoint uuid, event uuid, event_type text, body text)
returns table (delivery_id uuid, wake uuid[])
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w webhook_endpoints;
begin
  select * into strict w from webhook_endpoints x where x.id = endpoint;
  perform lock_event_counter(w.user_id, w.environment);
  insert into events (id, user_id, environment, sequence, type, intent_id, body, created_at)
  values (event, w.user_id, w.environment, 0, event_type, null, body, clock_timestamp());
  wake := add_deliveries(event, array[endpoint]);
  select d.id into strict delivery_id from webhook_deliveries d
   where d.event_id = event and d.endpoint_id = endpoint;
  return next;
end $$;
