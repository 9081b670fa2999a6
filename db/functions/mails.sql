-- Mails that wait to be sent. A mail is sent at least once: whoever claims it may die after the server has
-- taken it, and then it is sent again under the same Message-ID.

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
