// A year of a merchant, written by sets of rows and not by the service: 10 million transfers would take it
// hours. The rows are those that the functions of db write, so that `ledger verify` holds what is
// measured against every invariant. Indexes are built afterwards, constraints are checked.

import type { Client } from 'pg';

export interface YearSize {
  /** Transfers, of which the merchant sends a tenth and receives the others. */
  readonly transactions: number;
  /** Deliveries of the events of the last of them. */
  readonly deliveries: number;
}

export interface Year extends YearSize {
  readonly merchant_id: string;
  readonly username: string;
  /** Gets all events. */
  readonly endpoint_id: string;
  /** Chose `transfer.sent`, and was disabled when it had got five deliveries. */
  readonly disabled_endpoint_id: string;
}

const MERCHANT = 'merchant';
const CHUNK = 250_000;
/** Transfers for each that the merchant sends. */
const SENDS_EVERY = 10;
const FUNDS = 10n ** 12n;

const TABLES = [
  'ledger_transactions',
  'ledger_entries',
  'transactions',
  'transfers',
  'idempotency_keys',
  'events',
  'webhook_deliveries',
  'webhook_attempts',
];

export async function fillYear(
  owner: Client,
  size: YearSize,
  log: (text: string) => void,
): Promise<Year> {
  await owner.query(`set client_min_messages = warning`);
  const year = await openAccounts(owner, size);
  await owner.query(
    `select make_attempt_month(m::date)
       from generate_series(date_trunc('month', now() - interval '366 days'), now(), interval '1 month') m`,
  );
  await owner.query('begin');
  // Triggers and foreign keys look at each row again; what they demand is checked at the end and by the
  // verification. A table that is emptied in the same transaction needs no write-ahead log.
  await owner.query(`set local session_replication_role = replica`);
  await owner.query(`set local enable_nestloop = off`);
  await owner.query(`set local work_mem = '256MB'`);
  await owner.query(`set local maintenance_work_mem = '1GB'`);
  const definitions = await dropIndexes(owner);
  await owner.query(`truncate ${TABLES.join(', ')}`);
  await prepare(owner, year);
  const { rows } = await owner.query<{ last: number }>('select max(n)::int as last from year_part');
  const opening = rows[0]!.last;
  await writePart(owner, year, opening);
  for (let done = 0; done < year.transactions; done += CHUNK) {
    const count = Math.min(CHUNK, year.transactions - done);
    await owner.query('truncate year_part');
    await owner.query(DRAW, [opening, opening + done + 1, opening + done + count]);
    await writePart(owner, year, opening);
    log(`${done + count} transfers written`);
  }
  await finish(owner, year);
  for (const definition of definitions) {
    log(definition);
    await owner.query(definition);
  }
  await owner.query('commit');
  for (const { relname } of await tables(owner)) await owner.query(`vacuum (analyze) ${relname}`);
  return year;
}

async function tables(owner: Client): Promise<{ relname: string }[]> {
  const { rows } = await owner.query<{ relname: string }>(
    `select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
      order by 1`,
  );
  return rows;
}

async function openAccounts(owner: Client, size: YearSize): Promise<Year> {
  const customers = Math.max(20, Math.min(5_000, Math.round(size.transactions / 100)));
  const add = `insert into users (username, email, password_hash, country)`;
  await owner.query(
    `${add} select 'customer-' || n, 'customer-' || n || '@example.com', '-', 'SN'
       from generate_series(1, $1::int) n`,
    [customers],
  );
  const { rows: merchants } = await owner.query<{ id: string }>(
    `${add} values ('${MERCHANT}', 'merchant@example.com', '-', 'SN') returning id`,
  );
  const merchant_id = merchants[0]!.id;
  const { rows: endpoints } = await owner.query<{ id: string }>(
    `insert into webhook_endpoints (id, user_id, environment, url, types, status, disabled_reason,
       sealed_secret, created_at)
     values (gen_random_uuid(), $1, 'live', 'https://shop.example/webhooks',
             array['transfer.received', 'transfer.sent'], 'enabled', null, '-', now()),
            (gen_random_uuid(), $1, 'live', 'https://books.example/webhooks',
             array['transfer.sent'], 'disabled', 'merchant', '-', now())
     returning id`,
    [merchant_id],
  );
  return {
    ...size,
    merchant_id,
    username: MERCHANT,
    endpoint_id: endpoints[0]!.id,
    disabled_endpoint_id: endpoints[1]!.id,
  };
}

/** Returns the statements that make the indexes and constraints again, in a possible order. */
async function dropIndexes(owner: Client): Promise<string[]> {
  const { rows: constraints } = await owner.query<{ at: string; name: string; sql: string }>(
    `select conrelid::regclass::text as at, conname as name,
            format('alter table %s add constraint %I %s', conrelid::regclass, conname,
                   pg_get_constraintdef(oid)) as sql
       from pg_constraint
      where conparentid = 0
        and (contype in ('p', 'u') and conrelid = any ($1::regclass[])
             or contype = 'f' and (conrelid = any ($1::regclass[]) or confrelid = any ($1::regclass[])))
      order by contype = 'f' desc, 1, 2`,
    [TABLES],
  );
  const { rows: indexes } = await owner.query<{ name: string; sql: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as sql
       from pg_index i join pg_class t on t.oid = i.indrelid
      where t.relkind = 'r' and i.indrelid = any ($1::regclass[])
        and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
      order by 1`,
    [TABLES],
  );
  for (const { at, name } of constraints) {
    await owner.query(`alter table ${at} drop constraint "${name}"`);
  }
  for (const { name } of indexes) await owner.query(`drop index ${name}`);
  const isForeign = ({ sql }: { sql: string }): boolean => sql.includes('FOREIGN KEY');
  return [
    ...constraints.filter((one) => !isForeign(one)),
    ...indexes,
    ...constraints.filter((one) => isForeign(one)),
  ].map(({ sql }) => sql);
}

async function prepare(owner: Client, { merchant_id, transactions }: Year): Promise<void> {
  await owner.query(
    `create temp table year_accounts on commit drop as
       select a.id as account_id, a.currency, a.user_id, u.username,
              case when a.user_id = '${merchant_id}' then 0
                   else dense_rank() over (order by a.user_id = '${merchant_id}', a.user_id) end as place
         from ledger_accounts a join users u on u.id = a.user_id
        where a.environment = 'live' and a.kind = 'wallet'`,
  );
  await owner.query(
    `create temp table year_balances on commit drop as
       select id as account_id, 0::bigint as balance_minor, 0::bigint as version,
              '-infinity'::timestamptz as last_posted_at
         from ledger_accounts where environment = 'live' and kind in ('wallet', 'operator')`,
  );
  // The same moments in each query: `now()` is that of the transaction.
  await owner.query(
    `create temp table year_time on commit drop as
       select date_trunc('second', now()) - interval '365 days' as began,
              365 * 86400 * 1e6 / ${transactions}::float8 as step_us,
              (select max(place) from year_accounts)::bigint as customers`,
  );
  await owner.query(
    `create temp table year_part (
       n bigint, kind text, reference text, journal_id uuid, key text, request_id text,
       payer_id bigint, payee_id bigint, sender_id uuid, sender text, recipient_id uuid, recipient text,
       currency text, amount_minor bigint, at timestamptz, description text, metadata text
     ) on commit drop`,
  );
  await owner.query(
    `create temp table year_legs (
       n bigint, is_payer boolean, account_id bigint, amount_minor bigint, balance_minor bigint,
       version bigint
     ) on commit drop`,
  );
  // Each account's opening balance, as an operator credits it.
  await owner.query(
    `insert into year_part
     select row_number() over (order by a.account_id), 'adjustment',
            'ADJ-' || upper(left(md5('opening' || a.account_id), 20)), gen_random_uuid(), null, null,
            o.id, a.account_id, null, null, a.user_id, a.username, a.currency, ${FUNDS},
            t.began - interval '1 day' + a.account_id * interval '1 millisecond', 'Opening balance', null
       from year_accounts a cross join year_time t
       join ledger_accounts o on o.user_id is null and o.environment = 'live' and o.kind = 'operator'
            and o.currency = a.currency`,
  );
  await owner.query('analyze year_accounts');
  await owner.query('analyze year_balances');
}

// Draws the transfers from n to m: who, to whom, how much and when, by a hash of the number.
const DRAW = `
  insert into year_part
  select q.n, 'transfer', 'TRF-' || upper(left(md5(q.h || '/' || q.n), 20)), gen_random_uuid(),
         gen_random_uuid()::text, gen_random_uuid()::text, payer.account_id, payee.account_id,
         payer.user_id, payer.username, payee.user_id, payee.username, q.currency,
         case q.currency when 'XOF' then 100 * (100 + ((q.h >> 8) & 8191))
                         else 100 + ((q.h >> 8) & 65535) end,
         t.began + ((q.n - $1::bigint - 1 + ((q.h >> 40) & 1023) / 1024.0) * t.step_us)::bigint
           * interval '1 microsecond',
         'Order ' || q.n, case when q.n % 2 = 0 then '{"order_id":"' || q.n || '"}' end
    from year_time t
   cross join lateral (
     select x.n, x.h, 1 + (x.h & 2147483647) % t.customers as customer,
            case when (x.h >> 32) & 1023 < 716 then 'XOF'
                 when (x.h >> 32) & 1023 < 921 then 'EUR' else 'USD' end as currency
       from (select n, hashint8extended(n, 20261122) as h
               from generate_series($2::bigint, $3::bigint) n) x) q
    join year_accounts payer on payer.currency = q.currency
         and payer.place = case when q.n % ${SENDS_EVERY} = 0 then 0 else q.customer end
    join year_accounts payee on payee.currency = q.currency
         and payee.place = case when q.n % ${SENDS_EVERY} = 0 then q.customer else 0 end`;

async function writePart(owner: Client, year: Year, opening: number): Promise<void> {
  await owner.query('truncate year_legs');
  await owner.query(LEGS);
  await owner.query(BALANCES);
  await owner.query(JOURNAL);
  await owner.query(ENTRIES);
  await owner.query(HISTORIES);
  await owner.query(TRANSFERS);
  await owner.query(KEYS);
  await writeEvents(owner, year, opening);
}

const LEGS = `
  insert into year_legs
  select l.n, l.is_payer, l.account_id, l.amount_minor,
         (b.balance_minor + sum(l.amount_minor) over w)::bigint, b.version + row_number() over w
    from (select n, true as is_payer, payer_id as account_id, -amount_minor as amount_minor
            from year_part
           union all
          select n, false, payee_id, amount_minor from year_part) l
    join year_balances b on b.account_id = l.account_id
  window w as (partition by l.account_id order by l.n)`;

const BALANCES = `
  update year_balances b
     set balance_minor = b.balance_minor + g.amount_minor, version = b.version + g.entries,
         last_posted_at = g.last
    from (select l.account_id, sum(l.amount_minor)::bigint as amount_minor, count(*) as entries,
                 max(p.at) as last
            from year_legs l join year_part p on p.n = l.n group by l.account_id) g
   where b.account_id = g.account_id`;

const JOURNAL = `
  insert into ledger_transactions (id, reference, environment, kind, description, created_at)
  select journal_id, reference, 'live', kind,
         case when kind = 'adjustment' then description else '' end, at
    from year_part order by n`;

const ENTRIES = `
  insert into ledger_entries (transaction_id, account_id, environment, currency, amount_minor,
    balance_after_minor, account_version)
  select p.journal_id, l.account_id, 'live', p.currency, l.amount_minor, l.balance_minor, l.version
    from year_legs l join year_part p on p.n = l.n order by l.n, l.is_payer desc`;

const HISTORIES = `
  insert into transactions (id, user_id, environment, type, status, direction, currency, amount_minor,
    fee_minor, balance_after_minor, reference, counterparty, description, ledger_transaction_id,
    created_at, json)
  select s.id, s.user_id, 'live', s.type, 'completed', s.direction, s.currency, s.amount_minor, 0,
         s.balance_minor, s.reference, s.counterparty, s.description, s.journal_id, s.at,
         transaction_json(s.id, s.type, 'completed', s.direction, s.currency, s.amount_minor, 0, 0,
           s.balance_minor, s.reference, s.counterparty, s.description, null, s.at)
    from (select gen_random_uuid() as id, p.*, l.is_payer, l.balance_minor,
                 case when l.is_payer then p.sender_id else p.recipient_id end as user_id,
                 case when l.is_payer then p.recipient else p.sender end as counterparty,
                 case when l.is_payer then 'out' else 'in' end as direction,
                 case when p.kind = 'adjustment' then 'adjustment'
                      when l.is_payer then 'transfer_out' else 'transfer_in' end as type
            from year_legs l join year_part p on p.n = l.n
          offset 0) s
   where s.user_id is not null
   order by s.n, s.is_payer desc`;

const TRANSFERS = `
  insert into transfers (reference, environment, sender_id, recipient_id, currency, amount_minor,
    fee_minor, status, idempotency_key, request_id, created_at, description, metadata)
  select reference, 'live', sender_id, recipient_id, currency, amount_minor, 0, 'completed', key,
         request_id, at, description, metadata::json
    from year_part where kind = 'transfer' order by n`;

const KEYS = `
  insert into idempotency_keys (user_id, environment, operation, key, fingerprint, status, body,
    reference, request_id, created_at)
  select p.sender_id, 'live', 'transfer', p.key,
         transfer_fingerprint(p.recipient, p.currency, p.amount_minor, p.description), 200, receipt.body,
         p.reference, p.request_id, p.at
    from year_part p
   cross join lateral transfer_receipt(p.reference, 'completed', 'live', p.recipient, p.currency,
                                       p.amount_minor, p.description, p.metadata) receipt
   where p.kind = 'transfer' order by p.n`;

/** The merchant's events begin when its endpoints were made, and each has one delivery or two. */
async function writeEvents(owner: Client, year: Year, opening: number): Promise<void> {
  const events = countEvents(year);
  const before = opening + year.transactions - events;
  await owner.query(`drop table if exists pg_temp.year_events`);
  await owner.query(
    `create temp table year_events on commit drop as
       select gen_random_uuid() as id, p.n - ${before} as sequence,
              case when p.sender_id = '${year.merchant_id}' then 'transfer.sent'
                   else 'transfer.received' end as type, p.*
         from year_part p where p.kind = 'transfer' and p.n > ${before}`,
  );
  await owner.query(
    `insert into events (id, user_id, environment, sequence, type, transfer_reference, body, created_at)
     select e.id, $1, 'live', e.sequence, e.type, e.reference, event.body, e.at
       from year_events e
       join transfers t on t.reference = e.reference
      cross join lateral transfer_json(
        t, case e.type when 'transfer.sent' then 'out' else 'in' end, e.sender, e.recipient) shown
      cross join lateral event_json(e.id, e.type, e.at, 'live', e.sequence, shown.body) event
      order by e.sequence`,
    [year.merchant_id],
  );
  await writeDeliveries(owner, year, events);
}

function countEvents({ transactions, deliveries }: YearSize): number {
  return Math.min(transactions, Math.round((deliveries * SENDS_EVERY) / (SENDS_EVERY + 1)));
}

async function writeDeliveries(owner: Client, year: Year, events: number): Promise<void> {
  await owner.query(`drop table if exists pg_temp.year_deliveries`);
  // A fiftieth at the first endpoint took two attempts and a two-thousandth was given up; the last
  // twenty wait.
  await owner.query(
    `create temp table year_deliveries on commit drop as
       select gen_random_uuid() as id, e.id as event_id, '${year.endpoint_id}'::uuid as endpoint_id,
              e.type, e.at + interval '1 millisecond' as at, e.sequence,
              case when e.sequence > ${events} - 20 then 'pending'
                   when e.sequence % 2000 = 7 then 'exhausted' else 'delivered' end as status,
              case when e.sequence > ${events} - 20 then 0
                   when e.sequence % 2000 = 7 then 8
                   when e.sequence % 50 = 3 then 2 else 1 end as attempts
         from year_events e
        union all
       select gen_random_uuid(), e.id, '${year.disabled_endpoint_id}', e.type,
              e.at + interval '2 milliseconds', e.sequence,
              case when e.sequence <= 50 then 'delivered' else 'held' end,
              case when e.sequence <= 50 then 1 else 0 end
         from year_events e where e.type = 'transfer.sent'`,
  );
  await owner.query(
    `insert into webhook_deliveries (id, event_id, endpoint_id, user_id, environment, type, status,
       attempts, tries, next_attempt_at, delivered_at, created_at)
     select id, event_id, endpoint_id, $1, 'live', type, status, attempts, attempts,
            case when status = 'pending' then now() + interval '1 day' end,
            case when status = 'delivered' then at + attempts * interval '90 milliseconds' end, at
       from year_deliveries order by at`,
    [year.merchant_id],
  );
  await owner.query(
    `insert into webhook_attempts (delivery_id, number, trigger, url, started_at, duration_ms,
       outcome, status, response_body, response_truncated, retry_after_seconds, recorded_at)
     select d.id, a.number, 'automatic', w.url, d.at + a.number * interval '40 milliseconds', 40,
            case when a.is_last then 'delivered' else 'refused' end,
            case when a.is_last then 200 else 503 end,
            case when a.is_last then '{"received":true}' else '{"error":"unavailable"}' end, false, null,
            d.at + a.number * interval '80 milliseconds'
       from year_deliveries d
       join webhook_endpoints w on w.id = d.endpoint_id
      cross join lateral (
        select x as number, d.status = 'delivered' and x = d.attempts as is_last
          from generate_series(1, d.attempts) x) a
      order by d.at, a.number`,
  );
}

async function finish(owner: Client, { merchant_id, ...size }: Year): Promise<void> {
  await owner.query(
    `update ledger_accounts a
        set balance_minor = b.balance_minor, version = b.version, last_posted_at = b.last_posted_at
       from year_balances b where b.account_id = a.id and b.version > 0`,
  );
  await owner.query(`insert into event_sequences values ($1, 'live', $2)`, [
    merchant_id,
    countEvents(size),
  ]);
}
