-- Orders of a third party are asked about by numbered questions (docs/decisions/payouts.md): payouts, refunds
-- and attempts to pay by phone. The answer to an order that was made before may prove that it was carried out, and never
-- that it was not: that only a look at it says.

-- A moment that is later than `before`, even if the clock steps back.
create or replace function next_moment(before timestamptz) returns timestamptz language sql volatile as $$
  select greatest(clock_timestamp(), before + interval '1 microsecond')
$$;

-- Whether a second order cannot be a second payment, when the first one had not been seen at this age. `promises`: those
-- of a gateway or a provider (gateway/payout-port.ts).
create or replace function may_order_again(promises jsonb, age interval) returns boolean language sql immutable as $$
  -- The first one may have left ten seconds after it was to be sent (SENT_WITHIN_MS).
  select (promises ->> 'idempotent_by_id')::boolean
         or coalesce(age > ((promises ->> 'not_found_is_final_after_s')::float8 + 10) * interval '1 second', false)
$$;

-- Whether the question that was begun at `asked_at`, in order to look, has become an order once more.
create or replace function is_repeated(ordered_at timestamptz, asked_at timestamptz) returns boolean
language sql immutable as $$
  select coalesce(ordered_at > asked_at, false)
$$;

-- Whether it is so that nothing was done: the question that was answered so was the only order that may have got
-- through, and no notice has come since that something was done after all.
create or replace function is_undone(
  nothing_done boolean, ordered_at timestamptz, asked_at timestamptz, notified_at timestamptz
) returns boolean language sql immutable as $$
  select coalesce(nothing_done and ordered_at = asked_at, false) and coalesce(notified_at < asked_at, true)
$$;
