-- Values that are sealed with a key of the processes (secrets/seal.ts). Those of identity checks: db/accounts/identity.sql.

-- Keeps a value as it was sealed with another key. `place`: its table and column. False when it has changed meanwhile.
create or replace function reseal(place text, row_id uuid, old bytea, new bytea) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  case place
    when 'webhook_endpoints.sealed_secret' then
      update webhook_endpoints x set sealed_secret = new where x.id = row_id and x.sealed_secret = old;
    when 'webhook_endpoints.sealed_previous' then
      update webhook_endpoints x set sealed_previous = new where x.id = row_id and x.sealed_previous = old;
    when 'logins.sealed_totp_secret' then
      update logins x set sealed_totp_secret = new where x.id = row_id and x.sealed_totp_secret = old;
    when 'sessions.sealed_flash' then
      update sessions x set sealed_flash = new where x.id = row_id and x.sealed_flash = old;
    when 'mails.sealed_text' then
      update mails x set sealed_text = new where x.id = row_id and x.sealed_text = old;
    when 'risk_provider.sealed_secret' then
      update risk_provider x set sealed_secret = new where x.sealed_secret = old;
  end case;
  return found;
end $$;
