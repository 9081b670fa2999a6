-- What learn_recipient has read of an account, for the next name of the same statement.
create type recipient_learning as (
  -- Of the name that was asked for last.
  allowed    boolean,
  tries_left integer,
  -- Its counts of more than an hour ago are deleted.
  is_tidy    boolean,
  -- Whom its latest transfers went to: an object with their usernames.
  known      jsonb
);

-- Replaced by one that says how many.
drop function if exists drop_old_receipts(integer);
