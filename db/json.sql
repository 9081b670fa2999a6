-- The common part of all presenters. A presenter renders a resource as the API shows it, and there is one for each:
-- what is stored for an idempotency key, told by an event and returned by GET is its text
-- (docs/decisions/repeats.md). It is a function of rows that returns one row:
-- Postgres inlines such a function into the statement that calls it, and a call costs no executor.

-- An instant as all of the API writes it: UTC, with six digits of a second.
create or replace function instant(at timestamptz) returns text language sql stable as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;

-- Minor units are at scale 2, and so is their product with 0.01: JSON keeps both decimals.
create or replace function decimal_amount(minor bigint) returns numeric language sql immutable as $$
  select minor * 0.01
$$;

-- Leaves out the spaces of jsonb's text. The values of the object are plain.
create or replace function flat_json(object jsonb) returns json language sql immutable strict as $$
  select concat('{', string_agg(to_json(m.key) || ':' || m.value, ',' order by m.place), '}')::json
    from jsonb_each(object) with ordinality m (key, value, place)
$$;

-- Null for text that is no JSON.
create or replace function json_or_null(body text) returns jsonb language plpgsql immutable as $$
begin
  return body::jsonb;
exception when data_exception then
  return null;
end $$;

-- The body of a response that is a resource.
create or replace function ok_json(resource json) returns text language sql immutable as $$
  select '{"ok":true,' || substr(resource::text, 2)
$$;

-- The body of a refusal that is stored for a key: renderError's of domain/error-body.ts. `refusal` is a
-- StoredRefusal.
create or replace function refusal_json(refusal jsonb, request_id text) returns table (body json)
language sql stable as $$
  select row_to_json(response)
    from (select refusal ->> 'code' as code, refusal ->> 'message' as message,
                 refusal ->> 'param' as param, refusal ->> 'doc_url' as doc_url,
                 refusal_json.request_id, (refusal ->> 'retryable')::boolean as retryable) error
   cross join lateral (select false as ok, error) response
$$;

-- An event as it is delivered. Only an event that tries an endpoint has the sequence 0, and says so.
create or replace function event_json(
  id uuid, type text, at timestamptz, environment text, sequence bigint, data json
) returns table (body json) language sql stable as $$
  select case when event_json.sequence = 0 then row_to_json(of_test) else row_to_json(event) end
    from (select event_json.id, event_json.type, 'v1' as api_version, instant(at) as created_at,
                 event_json.environment, event_json.sequence, event_json.data) event
   cross join lateral (
     select event.id, event.type, event.api_version, event.created_at, event.environment, event.sequence,
            true as test, event.data) of_test
$$;
