-- The log of what people did in the dashboard. The two functions are its only writers; a row's end is written once.

create or replace function begin_activity(login uuid, account uuid, env text, action text, ip text)
returns bigint language sql security definer set search_path = public, pg_temp as $$
  insert into activities (login_id, user_id, environment, action, ip)
  values (login, account, env, begin_activity.action, begin_activity.ip)
  returning id
$$;

-- `mistyped`: the form came back to be corrected, and nothing was tried. No row is left of it.
create or replace function end_activity(activity bigint, outcome text, subject text) returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from activities a
   where a.id = activity and a.outcome is null and end_activity.outcome = 'mistyped';
  update activities a set outcome = end_activity.outcome, subject = left(end_activity.subject, 300)
   where a.id = activity and a.outcome is null and end_activity.outcome <> 'mistyped'
$$;
