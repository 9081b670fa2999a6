-- What needs a merchant's attention, at every visit of the overview: open links by when they expire, and
-- money that waits for an operator. Both indexes hold only rows that are open.
create index payment_intents_open_by_end on payment_intents (user_id, environment, expires_at)
  where status = 'open';
create index suspense_items_of_account on suspense_items (user_id, environment)
  where status in ('held', 'refunding');
