-- Invoices of fees (docs/decisions/ledger.md): each posted fee that an account bore is on exactly one, numbers have no gap,
-- and what was issued never changes.

-- Fees that an account bore in a time. Simulated transfers took nothing.
create or replace function charged_rows(owner uuid, env text, cur text, since timestamptz, until timestamptz)
returns table (kind text, method text, amount_minor bigint, fee_minor bigint, tax_minor bigint)
language sql stable as $$
  -- The sender sees the fee of a transfer too, and bears it only as its payer.
  select 'transfer', null, t.amount_minor, t.fee_minor, t.tax_minor
    from transactions h join transfers t on t.reference = h.reference
   where h.user_id = owner and h.environment = env and h.currency = cur and h.status = 'completed' and h.fee_minor > 0
     and (h.type, h.direction) in (('transfer_in', 'in'), ('transfer_out', 'out'))
     and t.fee_bearer = case h.direction when 'in' then 'recipient' else 'payer' end
     and h.created_at >= since and h.created_at < until
  union all
  select 'payment_intent', p.method, h.amount_minor, h.fee_minor, h.tax_minor
    from transactions h join gateway_payments p on p.ledger_reference = h.reference
   where h.user_id = owner and h.environment = env and h.currency = cur and h.type = 'deposit' and h.direction = 'in'
     and h.fee_minor > 0 and h.created_at >= since and h.created_at < until
  union all
  select 'payout', payout_method(p.account, p.operator), p.amount_minor, p.fee_minor, p.tax_minor
    from payouts p
   where p.user_id = owner and p.environment = env and p.currency = cur and p.fee_minor > 0
     and p.status in ('succeeded', 'returned') and p.completed_at >= since and p.completed_at < until
$$;

-- All accounts whose postings an invoice of this owner waits for, in the one order.
create or replace function lock_for_invoices(owner uuid) returns void language sql as $$
  select lock_accounts(array(select a.id from ledger_accounts a
                              where a.user_id = owner or (a.user_id is null and a.kind = 'payouts')))
$$;

-- Where the next invoice of an account begins.
create or replace function uninvoiced_since(owner uuid, env text, cur text) returns timestamptz language plpgsql stable as $$
begin
  return coalesce(
    (select x.period_to from fee_invoices x
      where x.user_id = owner and x.environment = env and x.currency = cur order by x.period_to desc limit 1),
    (select u.created_at from users u where u.id = owner));
end $$;

-- The invoice of one account since its last one, until the end of a month that is over, or until now (null). Returns no row
-- when nothing was charged, and the time goes on to the next one.
--
-- The caller has called lock_for_invoices. A posting takes its moment under the lock of the wallet, or of the account `payouts` when a payout is paid: with both
-- locked what is earlier was committed, and a raised `last_posted_at` keeps all that comes out of the invoice's time. The
-- number is taken last, under a lock that is kept until the commit: who dies has taken none.
create or replace function issue_fee_invoice(owner uuid, env text, cur text, until timestamptz, issuer text)
returns setof fee_invoices language plpgsql as $$
declare
  accounts constant bigint[] := array[wallet_account(owner, env, cur), system_account(env, cur, 'payouts')];
  i fee_invoices;
  u users;
  lines json;
begin
  select x.* into strict u from users x where x.id = owner;
  i.period_from := uninvoiced_since(owner, env, cur);
  select coalesce(issue_fee_invoice.until,
           greatest(clock_timestamp(), max(a.last_posted_at) + interval '1 microsecond')) into i.period_to
    from ledger_accounts a where a.id = any (accounts);
  if i.period_to <= i.period_from then
    return;
  end if;
  select sum(l.fee_minor), sum(l.tax_minor),
         concat('[', string_agg((select row_to_json(s)::text
           from (select l.kind, l.method, l.count, decimal_amount(l.volume) as volume, decimal_amount(l.fee_minor) as fee,
                        decimal_amount(l.tax_minor) as tax) s), ',' order by l.kind, l.method), ']')::json
    into i.fee_minor, i.tax_minor, lines
    from (select c.kind, c.method, count(*) as count, sum(c.amount_minor)::bigint as volume,
                 sum(c.fee_minor)::bigint as fee_minor, sum(c.tax_minor)::bigint as tax_minor
            from charged_rows(owner, env, cur, i.period_from, i.period_to) c group by 1, 2) l;
  if i.fee_minor is null then
    return;
  end if;
  update ledger_accounts a set last_posted_at = i.period_to
   where a.id = any (accounts) and a.last_posted_at < i.period_to;
  perform pg_advisory_xact_lock(17, case env when 'live' then 1 else 2 end);
  i.created_at := greatest(clock_timestamp(), (
    select x.created_at + interval '1 microsecond' from fee_invoices x where x.environment = env
     order by x.year desc, x.position desc limit 1));
  i.year := extract(year from i.created_at at time zone 'UTC');
  select coalesce(max(x.position), 0) + 1 into i.position from fee_invoices x where x.environment = env and x.year = i.year;
  i.number := case env when 'sandbox' then 'TEST-' else '' end || 'FEE-' || i.year || '-'
              || lpad(i.position::text, greatest(6, length(i.position::text)), '0');
  i.environment := env;
  i.user_id := owner;
  i.currency := cur;
  select row_to_json(b)::text into i.body
    from (select i.number, i.environment, i.currency, instant(i.period_from) as period_from,
                 instant(i.period_to) as period_to, instant(i.created_at) as issued_at, issuer,
                 (select row_to_json(a) from (select u.username, u.display_name, u.country) a) as account,
                 lines, decimal_amount(i.fee_minor) as fee, decimal_amount(i.tax_minor) as tax,
                 decimal_amount(i.fee_minor) as total) b;
  insert into fee_invoices select i.*;
  return next i;
end $$;

-- An operator issues one account's invoices until now.
create or replace function issue_fee_invoices(owner uuid, env text, cur text, issuer text, actor text)
returns setof fee_invoices
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  i fee_invoices;
begin
  perform lock_for_invoices(owner);
  for i in
    select x.* from currencies c cross join lateral issue_fee_invoice(owner, env, c.code, null, issuer) x
     where cur is null or c.code = cur
  loop
    perform add_audit_row(actor, 'fees.invoice', 'fee_invoice/' || i.number, jsonb_build_object('environment', env,
      'username', (select u.username from users u where u.id = owner), 'currency', i.currency,
      'amount', decimal_amount(i.fee_minor)::text));
    return next i;
  end loop;
end $$;

-- Goes on with the invoices of a month that ended at `until`: looks at no more than so many accounts, in their order, up to
-- the first that was charged, whose invoices it issues. `is_over` when none is left, or another process is at it.
create or replace function advance_fee_invoices(until timestamptz, issuer text, accounts integer)
returns table (invoices jsonb, is_over boolean)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  m fee_invoice_months;
  owner uuid;
begin
  if until <> date_trunc('month', until, 'UTC') or until > clock_timestamp() then
    raise exception 'the month is not over' using errcode = 'check_violation';
  end if;
  invoices := '[]';
  insert into fee_invoice_months values (advance_fee_invoices.until) on conflict do nothing;
  select * into m from fee_invoice_months x where x.until = advance_fee_invoices.until for update skip locked;
  is_over := m.until is null or m.finished_at is not null
    -- Nothing was ever charged.
    or not exists (select from fee_rules r where r.percent > 0 or r.fixed_minor > 0 or r.minimum_minor > 0);
  if not is_over then
    is_over := true;
    for owner in select u.id from users u where u.id > m.reached order by u.id limit accounts loop
      is_over := false;
      m.reached := owner;
      if exists (select from (values ('live'), ('sandbox')) e (env) cross join currencies c
                  where exists (select from charged_rows(owner, e.env, c.code, uninvoiced_since(owner, e.env, c.code), m.until)))
      then
        perform lock_for_invoices(owner);
        select coalesce(jsonb_agg(x.body::jsonb order by x.created_at), '[]') into invoices
          from (values ('live'), ('sandbox')) e (env) cross join currencies c
         cross join lateral issue_fee_invoice(owner, e.env, c.code, m.until, issuer) x;
        exit;
      end if;
    end loop;
    update fee_invoice_months x
       set reached = m.reached, finished_at = case when is_over then clock_timestamp() end
     where x.until = m.until;
  end if;
  return next;
end $$;
