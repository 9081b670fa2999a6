-- Mails that wait to be sent. A mail is sent at least once: a worker that claims it may die after
-- the server has taken it, and then it is sent again under the same Message-ID.

create or replace function queue_mail(mail uuid, recipient text, subject text, sealed_text bytea)
returns void language sql security definer set search_path = public, pg_temp as $$
  insert into mails (id, recipient, subject, sealed_text)
  values (mail, queue_mail.recipient, queue_mail.subject, queue_mail.sealed_text)
$$;

-- The mail, when it is still to be sent. One that has waited for too long is given up instead.
create or replace function claim_mail(mail uuid, give_up_seconds integer) returns setof mails
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update mails m set failed_at = clock_timestamp()
   where m.id = mail and m.sent_at is null and m.failed_at is null
     and m.created_at < clock_timestamp() - make_interval(secs => give_up_seconds);
  return query
    update mails m set tries = m.tries + 1, tried_at = clock_timestamp()
     where m.id = mail and m.sent_at is null and m.failed_at is null
    returning m.*;
end $$;

-- outcome: sent | refused (for good) | failed (another try may succeed)
create or replace function record_mail(mail uuid, outcome text, error text) returns void
language sql security definer set search_path = public, pg_temp as $$
  update mails m
     set sent_at = case when outcome = 'sent' then clock_timestamp() end,
         failed_at = case when outcome = 'refused' then clock_timestamp() end,
         last_error = left(error, 500)
   where m.id = mail and m.sent_at is null and m.failed_at is null
$$;

-- The customer of a live payment gets a receipt. Sandbox payments cost nothing: with them anybody could have
-- mails sent to anybody.
create or replace function order_receipt(i payment_intents) returns void language plpgsql as $$
begin
  if i.environment = 'live' and i.customer_email is not null then
    insert into receipt_mails (intent_id) values (i.id) on conflict do nothing;
  end if;
end $$;

-- Queues the mail of a receipt, once; false when another process was first.
create or replace function queue_receipt(
  intent uuid, mail uuid, recipient text, subject text, sealed_text bytea
) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform 1 from receipt_mails r where r.intent_id = intent and r.ended_at is null for update;
  if not found then
    return false;
  end if;
  perform queue_mail(mail, recipient, subject, sealed_text);
  update receipt_mails r set mail_id = mail, ended_at = clock_timestamp() where r.intent_id = intent;
  return true;
end $$;

-- Receipts that could not be sent for so long are of no use any more. Returns how many these were.
create or replace function drop_old_receipts(older_than_seconds integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  dropped integer;
begin
  update receipt_mails r set ended_at = clock_timestamp()
   where r.ended_at is null
     and r.created_at < clock_timestamp() - make_interval(secs => older_than_seconds);
  get diagnostics dropped = row_count;
  return dropped;
end $$;
