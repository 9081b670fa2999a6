-- What keeps payment intents going while something else fails: one renewal of a lapsed checkout at a time,
-- and a sweep that gives every item its own pauses. New columns have defaults, so that processes of the
-- version before go on beside them.

-- Anybody with the link may ask for the next session of a lapsed checkout. This row decides who of them
-- asks the workflow: one at a time, and nobody before retry_at.
create table checkout_renewals (
  intent_id uuid primary key references payment_intents,
  retry_at  timestamptz not null,
  -- False once the workflow has answered: nobody needs to wait for it any longer.
  is_asking boolean not null
) with (fillfactor = 50); -- updated in place, as long as a gateway is away

-- How often the sweep has tried to have a notification applied, when it tries again, and what went wrong.
alter table gateway_notifications
  add column tries       integer not null default 0,
  add column next_try_at timestamptz,
  add column last_error  text;

-- How often the sweep has looked after an intent that should have expired, and when it looks again.
alter table payment_intents
  add column checks        integer not null default 0,
  add column next_check_at timestamptz;

-- The sweep of webhooks looks for what a deleted endpoint left behind.
create index webhook_endpoints_deleted on webhook_endpoints (updated_at) where status = 'deleted';
