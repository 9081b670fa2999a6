-- Credits a wallet of the sandbox, once for each idempotency key. outcome: funded | lapsed (past `accept_before`) |
-- too_many (`wait_s`: until one more is allowed). Above a limit it raises account_limit.
create or replace function fund_sandbox_wallet(request jsonb, most integer)
returns table (outcome text, status smallint, body text, fingerprint jsonb, is_replay boolean, wait_s integer)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  q record;
  t transactions;
begin
  select * into strict q from jsonb_to_record(request) x (
    user_id uuid, currency text, amount_minor bigint, reference text, idempotency_key text, fingerprint jsonb,
    request_id text, accept_before timestamptz);
  -- One at a time of an account, or more would be let in than a day allows.
  perform pg_advisory_xact_lock(idempotency_lock(q.user_id, 'sandbox', 'sandbox_fund', ''));
  perform pg_advisory_xact_lock(idempotency_lock(q.user_id, 'sandbox', 'sandbox_fund', q.idempotency_key));
  select k.status, k.body, k.fingerprint into status, body, fingerprint from idempotency_keys k
   where k.user_id = q.user_id and k.environment = 'sandbox' and k.operation = 'sandbox_fund'
     and k.key = q.idempotency_key;
  is_replay := found;
  outcome := 'funded';
  if is_replay then
    return next;
    return;
  end if;
  if clock_timestamp() > q.accept_before then
    outcome := 'lapsed';
    return next;
    return;
  end if;
  -- The one that has to be a day old before another is allowed.
  select ceil(extract(epoch from k.created_at + interval '1 day' - clock_timestamp())) into wait_s
    from idempotency_keys k
   where k.user_id = q.user_id and k.environment = 'sandbox' and k.operation = 'sandbox_fund'
     and k.created_at > clock_timestamp() - interval '1 day'
   order by k.created_at desc offset most - 1 limit 1;
  if found then
    outcome := 'too_many';
    wait_s := greatest(1, wait_s);
    return next;
    return;
  end if;
  perform post_adjustment(q.reference, q.user_id, 'sandbox', q.currency, 'sandbox_source', q.amount_minor,
    'Money for rehearsals');
  select * into strict t from transactions x where x.reference = q.reference and x.user_id = q.user_id;
  status := 201;
  body := ok_json(t.json::json);
  fingerprint := q.fingerprint;
  insert into idempotency_keys (user_id, environment, operation, key, fingerprint, status, body, reference, request_id)
  values (q.user_id, 'sandbox', 'sandbox_fund', q.idempotency_key, fingerprint, status, body, q.reference,
    q.request_id);
  return next;
end $$;
