-- News of accounts that people are told by mail, each once (docs/decisions/dashboard.md).

-- Each has the columns of `mails`, its sealed text in base64.
create or replace function queue_mails(mails jsonb) returns void
language sql security definer set search_path = public, pg_temp as $$
  select queue_mail(m.id, m.recipient, m.subject, decode(m.sealed_text, 'base64'))
    from jsonb_to_recordset(mails) m (id uuid, recipient text, subject text, sealed_text text)
$$;

-- Queues the mails about something that happened; false when another process was first. Of what an account can have
-- happen as often as it likes (`many_of`), twenty a day are told.
create or replace function tell_once(kind text, subject uuid, at timestamptz, mails jsonb, many_of uuid)
returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into told (kind, subject, at) values (tell_once.kind, tell_once.subject, tell_once.at)
  on conflict do nothing;
  if not found
     or (many_of is not null and take_from_window(sha256(convert_to('news/' || many_of, 'UTF8')), 20, 86400) > 0) then
    return false;
  end if;
  perform queue_mails(mails);
  return true;
end $$;

-- Queues the mails about payouts and batches that wait for approval, `items` of {id, created_at}: all together, and no
-- more than once in 15 minutes, however many are ordered. False when it is too soon, or another process was first.
create or replace function tell_waiting_payouts(account uuid, items jsonb, mails jsonb) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('waiting payouts/' || account, 0));
  delete from told t where t.kind = 'payout' and t.subject = account and t.at < clock_timestamp() - interval '15 minutes';
  insert into told (kind, subject, at)
  select 'payout', account, clock_timestamp()
   where not exists (select from told t where t.kind = 'payout' and t.subject = account);
  if not found then
    return false;
  end if;
  insert into told (kind, subject, at)
  select 'payout', i.id, i.created_at from jsonb_to_recordset(items) i (id uuid, created_at timestamptz)
  on conflict do nothing;
  perform queue_mails(mails);
  return true;
end $$;

-- Queues the mails about what a wallet received up to `until`; false when `since` is not where the last
-- ones ended: another process was first. The last of a day's mails is remembered, because the day's sums
-- follow it.
create or replace function tell_received(
  wallet bigint, since timestamptz, until timestamptz, mails jsonb, most_a_day integer
) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  today date := (clock_timestamp() at time zone 'UTC')::date;
  one integer := (jsonb_array_length(mails) > 0)::integer;
  sent integer;
begin
  insert into wallet_news as n (account_id, told_until, told_on, mails)
  values (wallet, until, today, one)
  on conflict (account_id) do update
     set told_until = excluded.told_until, told_on = today,
         mails = one + case when n.told_on = today then n.mails else 0 end
   where n.told_until = since
  returning n.mails into sent;
  if not found then
    return false;
  end if;
  perform queue_mails(tell_received.mails);
  if one = 1 and sent = most_a_day then
    insert into told (kind, subject, at)
    select 'full_day', a.user_id, today::timestamp at time zone 'UTC'
      from ledger_accounts a where a.id = wallet
    on conflict do nothing;
  end if;
  return true;
end $$;

-- Days and months that are long over.
create or replace function forget_told(older_than_days integer) returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from told t
   where t.kind in ('full_day', 'digest', 'statement')
     and t.at < clock_timestamp() - make_interval(days => older_than_days)
$$;

create or replace function set_member_mails(login uuid, account uuid, mails text[]) returns void
language sql security definer set search_path = public, pg_temp as $$
  update memberships m set mails = set_member_mails.mails
   where m.login_id = login and m.user_id = account
$$;
