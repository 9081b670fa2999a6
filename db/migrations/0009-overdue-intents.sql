-- The sweeper asks for intents that should be over, among all that are open.
create index payment_intents_overdue on payment_intents (expires_at)
  where status in ('open', 'processing');
