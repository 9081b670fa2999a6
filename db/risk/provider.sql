-- The provider that is asked about orders before they are posted: a setting (db/operators/settings.sql), and the
-- questions (docs/decisions/risk.md).

-- The setting in the audit log: its URL and its secret are told only by the moment since when they hold.
create or replace function risk_provider_json(p risk_provider) returns jsonb language sql stable as $$
  select jsonb_build_object('origin', substring(p.url from '^[^/]*//[^/?#]*'),
           'url_since', instant(p.url_since), 'on', p.watches, 'deadline_ms', p.deadline_ms, 'on_silence', p.on_silence,
           'environment', p.environment, 'secret_since', instant(p.secret_since))
   where p.url is not null
$$;

-- `given` has the columns of risk_provider; without a url there is none from now on. The secret stays when none is given.
create or replace function apply_risk_provider(given jsonb, actor text) returns setting_change language plpgsql as $$
declare
  after risk_provider := jsonb_populate_record(null::risk_provider, given);
  before risk_provider;
  change setting_change;
begin
  lock table risk_rules in share row exclusive mode;
  delete from risk_provider p returning * into before;
  if after.url is not null then
    after.is_only := true;
    after.set_at := clock_timestamp();
    after.url_since := case when after.url = before.url then before.url_since else after.set_at end;
    after.secret_since := case when after.sealed_secret is null or after.sealed_secret = before.sealed_secret
      then before.secret_since else after.set_at end;
    after.sealed_secret := coalesce(after.sealed_secret, before.sealed_secret);
    insert into risk_provider select after.*;
  end if;
  perform refresh_watched();
  change.subject := 'risk-provider';
  change.environment := coalesce(after.environment, before.environment);
  change.before := risk_provider_json(before);
  change.after := risk_provider_json(after);
  return change;
end $$;

-- The question about an order, with how the provider is asked; no row: it is not. `asked` is AskedOrder of
-- domain/risk.ts. The body is sent and signed as it is.
create or replace function risk_question(asked json)
returns table (
  url text, deadline_ms integer, on_silence text, sealed_secret bytea, set_at timestamptz, body text
) language sql stable security definer set search_path = public, pg_temp as $$
  select p.url, p.deadline_ms, p.on_silence, p.sealed_secret, p.set_at, (
           select row_to_json(q)::text
             from (select a.id, a.type, a.environment, a.currency, decimal_amount(a.amount_minor) as amount,
                          decimal_amount(f.fee_minor) as fee,
                          (select row_to_json(s) from (
                             select u.username, u.country, u.kyc_status, account_tier(u, a.environment) as tier,
                                    instant(u.created_at) as created_at) s) as account,
                          a.recipient, a.ip, a.batch_id, instant(clock_timestamp()) as created_at) q)
    from risk_provider p
   cross join json_to_record(asked) a (
           id text, type text, environment text, user_id uuid, currency text, amount_minor bigint, recipient json,
           ip text, batch_id uuid)
    join users u on u.id = a.user_id
   cross join lateral (
           select x.fee_minor
             from fee_of(case a.type when 'payment' then 'payment_intent' else a.type end, a.currency, a.amount_minor,
               case a.type when 'transfer' then u.id end,
               case a.type when 'transfer' then (select r.id from users r where r.username = a.recipient ->> 'username')
                           else u.id end,
               case a.type when 'payout' then payout_method(a.recipient ->> 'account', a.recipient ->> 'operator') end,
               clock_timestamp()) x) f
   where a.type = any (p.watches) and a.environment = coalesce(p.environment, a.environment)
$$;
