-- Events of transfers, for accounts that have an endpoint which names their types. Written in the posting's
-- transaction, with one statement per table.

-- Both are in the order of the positions, which are 1, 2, and so on.
create or replace function add_transfer_events(orders transfer_order[], decisions transfer_decision[]) returns void
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
declare
  added transfer_event[];
  endpoints uuid[];
begin
  -- Each account's counter is locked until the commit (next_event_sequence), in one order for all.
  with side as materialized (
    select d.position, s.user_id, d.environment, s.type, s.direction
      from rows from (unnest(orders), unnest(decisions)) d
     cross join lateral (values
       (d.sender_id, case when d.hold is null then 'transfer.sent' else 'transfer.held' end, 'out'),
       (d.recipient_id, case when d.hold is null then 'transfer.received' end, 'in')
     ) s (user_id, type, direction)
     where d.posted_at is not null
       and exists (select from webhook_endpoints w
                    where w.user_id = s.user_id and w.environment = d.environment
                      and w.status <> 'deleted' and 'transfer' = any (event_nouns(w.types))
                      and s.type = any (w.types))
  ), counter as (
    insert into event_sequences as q (user_id, environment, last)
    select s.user_id, s.environment, count(*) from side s
     group by s.user_id, s.environment order by s.user_id, s.environment
    on conflict (user_id, environment) do update set last = q.last + excluded.last
    returning q.user_id, q.environment, q.last
  )
  select array_agg(row(uuidv7(), s.user_id, s.environment, s.type, s.direction, s.position,
           c.last - s.behind)::transfer_event)
    into added
    from (select x.*, count(*) over (partition by x.user_id, x.environment
                                     order by x.position desc rows unbounded preceding) - 1 as behind
            from side x) s
    join counter c on c.user_id = s.user_id and c.environment = s.environment;
  if added is null then
    return;
  end if;

  insert into events (id, user_id, environment, sequence, type, transfer_reference, body, created_at)
  select e.id, e.user_id, e.environment, e.sequence, e.type, t.reference, event.body, t.created_at
    from unnest(added) e
    join transfers t on t.reference = orders[e.position].reference
   cross join lateral transfer_json(t, e.direction, orders[e.position].sender,
                                    orders[e.position].to_username) shown
   cross join lateral event_json(e.id, e.type, t.created_at, e.environment, e.sequence, shown.body) event;

  -- The same as add_deliveries does for one event.
  with disabled as materialized (
    select w.id, w.status = 'deleted' as is_deleted from webhook_endpoints w
     where w.id in (select x.id from unnest(added) e
                      join webhook_endpoints x on x.user_id = e.user_id and x.environment = e.environment)
       and w.status <> 'enabled'
       for key share skip locked
  ), account as materialized (
    select a.user_id, a.environment, greatest(clock_timestamp(), (
             select max(d.created_at) + interval '1 microsecond' from webhook_deliveries d
              where d.user_id = a.user_id and d.environment = a.environment)) as at
      from (select distinct e.user_id, e.environment from unnest(added) e) a
  ), wanted as (
    select e.id as event_id, e.type, w.id, a.user_id, a.environment, a.at, x.id is null as is_enabled,
           x.is_deleted, row_number() over (partition by a.user_id, a.environment
                                            order by e.sequence, w.id) - 1 as place
      from unnest(added) e
      join account a on a.user_id = e.user_id and a.environment = e.environment
      join webhook_endpoints w on w.user_id = e.user_id and w.environment = e.environment
           and w.status <> 'deleted' and e.type = any (w.types)
      left join disabled x on x.id = w.id
  ), inserted as (
    insert into webhook_deliveries (event_id, endpoint_id, user_id, environment, type, status,
      next_attempt_at, created_at)
    select w.event_id, w.id, w.user_id, w.environment, w.type,
           case when w.is_enabled then 'pending' when w.is_deleted then 'discarded' else 'held' end,
           case when w.is_enabled then w.at + w.place * interval '1 microsecond' end,
           w.at + w.place * interval '1 microsecond'
      from wanted w
    returning endpoint_id
  )
  select array_agg(distinct i.endpoint_id) into endpoints from inserted i;
  perform announce_deliveries(endpoints);
end $$;

-- An event of one side of a transfer that was held, if an endpoint names its type.
create or replace function add_transfer_event(
  t transfers, account uuid, event_type text, direction text, at timestamptz
) returns void language plpgsql as $$
declare
  event_id constant uuid := uuidv7();
  endpoints constant uuid[] := array(
    select w.id from webhook_endpoints w
     where w.user_id = account and w.environment = t.environment and w.status <> 'deleted' and event_type = any (w.types));
  number bigint;
begin
  if endpoints = '{}' then
    return;
  end if;
  number := next_event_sequence(account, t.environment);
  insert into events (id, user_id, environment, sequence, type, transfer_reference, body, created_at)
  select event_id, account, t.environment, number, event_type, t.reference, e.body, at
    from users s
    join users r on r.id = t.recipient_id
   cross join lateral transfer_json(t, add_transfer_event.direction, s.username, r.username) shown
   cross join lateral event_json(event_id, event_type, at, t.environment, number, shown.body) e
   where s.id = t.sender_id;
  perform add_deliveries(event_id, endpoints);
end $$;
