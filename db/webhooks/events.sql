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

-- The event of an intent that has just ended, or another one: `i` is the changed row. Called in the statement that changes
-- it.
create or replace function add_intent_event(
  i payment_intents, pay_url_base text, event_type text default null
) returns void language plpgsql as $$
declare
  event_id uuid := uuidv7();
  number bigint := next_event_sequence(i.user_id, i.environment);
begin
  event_type := coalesce(event_type, 'payment.' || i.status);
  insert into events (id, user_id, environment, sequence, type, intent_id, body, created_at)
  select event_id, i.user_id, i.environment, number, event_type, i.id, e.body, i.updated_at
    from intent_json(i, pay_url_base) s
   cross join lateral event_json(event_id, event_type, i.updated_at, i.environment, number, s.body) e;
  perform note_intent(i.id, 'webhook', 'event', jsonb_build_object('event_id', event_id, 'type', event_type));
  perform add_deliveries(event_id, array(
    select w.id from webhook_endpoints w
     where w.user_id = i.user_id and w.environment = i.environment and w.status <> 'deleted'
       and event_type = any (w.types)));
end $$;

-- A made-up resource, for the event of this type that tries an endpoint. `facts` are the columns of its row; a
-- transfer's also say who sees it (domain/sample-intent.ts).
create or replace function sample_json(type text, facts jsonb, pay_url_base text) returns json
language sql stable as $$
  select case split_part(type, '.', 1)
    when 'transfer' then (
      select s.body from transfer_json(jsonb_populate_record(null::transfers, facts),
        facts ->> 'direction', facts ->> 'from_username', facts ->> 'to_username') s)
    when 'payout' then (select s.body from payout_json(jsonb_populate_record(null::payouts, facts)) s)
    when 'refund' then (select s.body from refund_json(jsonb_populate_record(null::refunds, facts)) s)
    when 'dispute' then (select s.body from dispute_json(jsonb_populate_record(null::disputes, facts)) s)
    else (
      select s.body from intent_json(jsonb_populate_record(null::payment_intents, facts), pay_url_base) s)
  end
$$;

-- Adds an event to try an endpoint: only that endpoint gets it, even if it did not subscribe to the
-- type.
create or replace function add_test_event(endpoint uuid, event uuid, event_type text, body text) returns uuid
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w webhook_endpoints;
begin
  select * into strict w from webhook_endpoints x where x.id = endpoint;
  perform lock_event_counter(w.user_id, w.environment);
  insert into events (id, user_id, environment, sequence, type, intent_id, body, created_at)
  values (event, w.user_id, w.environment, 0, event_type, null, body, clock_timestamp());
  perform add_deliveries(event, array[endpoint]);
  return (select d.id from webhook_deliveries d where d.event_id = event);
end $$;
