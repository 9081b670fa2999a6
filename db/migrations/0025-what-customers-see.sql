-- Payment links as customers see them: where they go afterwards, whom they pay, and what is said when
-- another amount arrives than was asked for (decision 70). New columns may be null, so that processes of
-- the version before go on beside them.

-- received_minor: what has arrived in the intent's currency, taken or held; null until something has. What
-- was given back later is not subtracted. Succeeded intents from before have null: they got their amount.
-- settled_minor: what the intent ended with, when an operator accepted another amount for it.
alter table payment_intents
  add column return_url     text,
  add column cancel_url     text,
  add column received_minor bigint,
  add column settled_minor  bigint,
  -- Rows from before are null in all of them, so none needs to be read here.
  add constraint payment_intents_return_url
    check (return_url ~ '^https?://' and length(return_url) <= 2048) not valid,
  add constraint payment_intents_cancel_url
    check (cancel_url ~ '^https?://' and length(cancel_url) <= 2048) not valid,
  add constraint payment_intents_received check (received_minor > 0) not valid,
  add constraint payment_intents_settled check (settled_minor is null or (status = 'succeeded'
    and settled_minor > 0 and fee_minor <= settled_minor and settled_minor <= received_minor)) not valid;

-- Of money in suspense there is little: the rest of the table is not rewritten.
update payment_intents p set received_minor = r.received
  from (select g.intent_id, g.currency, sum(g.amount_minor)::bigint as received
          from gateway_payments g
         where g.intent_id in (select s.intent_id from suspense_items s)
         group by g.intent_id, g.currency) r
 where p.id = r.intent_id and p.currency = r.currency;

-- What customers see of a merchant. Null: the name as it was until now, and no contact.
alter table users
  add column display_name text,
  add column contact      text,
  add constraint users_display_name check (length(display_name) between 1 and 100) not valid,
  add constraint users_contact check (length(contact) between 1 and 200) not valid;

-- Beside `users`, whose rows every request reads. `image` is a PNG that we have written ourselves.
create table merchant_logos (
  user_id uuid primary key references users,
  image   bytea not null check (length(image) between 1 and 204800),
  set_at  timestamptz not null default clock_timestamp()
);

-- Receipts that are to be mailed, written with the payment: one per payment, whatever dies. The mail itself
-- is made afterwards, because its text is sealed with a key that the database does not have.
create table receipt_mails (
  intent_id  uuid primary key references payment_intents,
  created_at timestamptz not null default clock_timestamp(),
  -- Null until the mail is made; a receipt that was too old by then stays without one.
  mail_id    uuid references mails,
  ended_at   timestamptz
);
create index receipt_mails_waiting on receipt_mails (created_at) where ended_at is null;

-- approve_request calls another one from here on (db/functions/approvals.sql).
drop function if exists perform_approved(approvals, text);
