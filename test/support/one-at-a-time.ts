// An order, an answer or a decision changes what it is about, and no row beside it. Triggers of the template database say
// so in every test: a statement of the service that lost its condition fails at once.

/** Each table, and what the rows that one statement changes have in common. */
const ONE: Readonly<Record<string, string>> = {
  checkout_renewals: 'intent_id',
  disputes: 'id',
  payment_attempts: 'intent_id',
  payment_links: 'id',
  payout_batch_items: 'batch_id',
  payout_batches: 'id',
  refunds: 'intent_id',
  suspense_items: 'id',
  suspense_refunds: 'item_id',
  transfer_batch_items: 'batch_id',
  transfer_batches: 'id',
};

export const ONE_AT_A_TIME = `
  create schema tests;
  grant usage on schema tests to public;
  create function tests.change_one() returns trigger language plpgsql as $$
  declare
    changed bigint;
    callers text;
  begin
    get diagnostics callers = pg_context;
    -- It moves all that waits in a sandbox.
    if callers like '%advance\\_sandbox\\_clock%' then
      return null;
    end if;
    execute format('select count(distinct %I) from changed', tg_argv[0]) into changed;
    -- The owner is the test itself.
    if changed > 1 and session_user like 'payments\\_%' then
      raise exception 'one statement changes % rows of % by their %', changed, tg_table_name, tg_argv[0];
    end if;
    return null;
  end $$;
  ${Object.entries(ONE)
    .flatMap(([table, column]) =>
      ['update', 'delete'].map(
        (event) => `create trigger one_at_a_time_${event} after ${event} on ${table}
          referencing old table as changed for each statement execute function tests.change_one('${column}');`,
      ),
    )
    .join('\n')}`;
