// GET /events, in sequence, byte for byte and without a gap; and GET /webhook-deliveries with its filters.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { EVENT_TYPES, PAYMENT_EVENT_TYPES, type EventType } from '../../domain/event';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../domain/webhook';
import { createTestDatabase, setUp } from '../support/database';
import { startTestService } from '../support/service';
import { buildAccount } from './support/accounts';
import { call, createEndpoint, type Merchant } from './support/webhooks';

const database = setUp(createTestDatabase);
const service = setUp(() => startTestService({ database }));
const account = setUp(() => buildAccount(database));
let merchant: Merchant;

interface Event {
  readonly id: string;
  readonly type: EventType;
  readonly sequence: number;
  readonly body: string;
}

interface Delivery {
  readonly id: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly type: EventType;
  readonly status: DeliveryStatus;
  readonly created_at: string;
}

let events: readonly Event[];
/** Newest first. */
let deliveries: readonly Delivery[];
let endpoint_ids: readonly string[];

const COUNT = 60;

beforeAll(async () => {
  merchant = { service, key: account.sandbox };
  const one = await createEndpoint(merchant);
  const two = await createEndpoint(merchant);
  endpoint_ids = [one.id, two.id];
  events = await addEvents(COUNT);
  // Each status with each type, as the table's constraints allow.
  await database.owner.raw(
    `update webhook_deliveries d
        set status = s.status,
            next_attempt_at = case when s.status = 'pending' then now() + interval '1 day' end,
            delivered_at = case when s.status = 'delivered' then now() end
       from (select x.id, (?::text[])[1 + (row_number() over (order by x.type, x.id)) % 5] as status
               from webhook_deliveries x) s
      where s.id = d.id`,
    [[...DELIVERY_STATUSES]],
  );
  const { rows } = await database.db.raw(
    `select id, event_id, endpoint_id, type, status, created_at from webhook_deliveries
      order by created_at desc`,
  );
  deliveries = rows;
});

/**
 * In sequence, each with its deliveries. Their data is that of a test event, with a character that has two JSON
 * spellings, in a body that our renderer would write differently.
 */
async function addEvents(count: number): Promise<Event[]> {
  const { json } = await call(merchant, 'POST', `/webhook-endpoints/${endpoint_ids[0]}/test`);
  const sent = await database.owner.raw('select body from events where id = ?', [json.event_id]);
  await database.owner.raw('delete from webhook_deliveries');
  const { body } = sent.rows[0] as { body: string };
  const data = body
    .slice(body.indexOf('"data":') + 7, -1)
    .replace('A test event', '\\u0041 t\\u00e9st \\/');
  const made = Array.from({ length: count }, (_, at) => {
    const [id, sequence] = [randomUUID(), at + 1];
    const type = PAYMENT_EVENT_TYPES[at % 7 === 0 ? 2 : at % 3 === 0 ? 1 : 0]!;
    const head = `{"id": "${id}",  "type":"${type}", "api_version":"v1","created_at":"2026-11-21T04:39:12.123456Z"`;
    const rest = `"environment":"sandbox", "sequence":${sequence},"data":${data}}`;
    return { id, type, sequence, body: `${head},${rest}` };
  });
  await database.owner.raw(
    `insert into events (id, user_id, environment, sequence, type, transfer_reference, body, created_at)
     select id, ?, 'sandbox', sequence, type, id::text, body, clock_timestamp()
       from jsonb_to_recordset(?) q (id uuid, sequence bigint, type text, body text)`,
    [account.id, JSON.stringify(made)],
  );
  for (const { id, type } of made) {
    await database.owner.raw(
      'select add_deliveries(?, array(select id from webhook_endpoints where ? = any (types)))',
      [id, type],
    );
  }
  return made;
}

async function eventsOf(query: string) {
  const { text, json } = await call(merchant, 'GET', `/events${query}`);
  return { text, ...json } as {
    text: string;
    events: Event[];
    next_cursor: string | null;
    has_more: boolean;
  };
}

const sequences = (of: readonly { readonly sequence: number }[]): number[] =>
  of.map(({ sequence }) => sequence);

describe('GET /events', () => {
  it('starts with the first, 25 at a time, and names the next page', async () => {
    const page = await eventsOf('');
    expect(sequences(page.events)).toEqual(sequences(events.slice(0, 25)));
    expect([page.next_cursor, page.has_more]).toEqual(['25', true]);
  });

  it('lists the newest one alone, to go on from there', async () => {
    const newest = (await eventsOf('?limit=100')).events.at(-1)!;
    expect((await eventsOf('?after=latest')).events).toEqual([newest]);
    expect((await eventsOf(`?after=${newest.sequence}`)).events).toEqual([]);
  });

  it('answers the bytes that are delivered', async () => {
    const { text } = await eventsOf('?limit=3&after=10');
    const bodies = events.slice(10, 13).map(({ body }) => body);
    expect(text).toBe(
      `{"ok":true,"events":[${bodies.join(',')}],"next_cursor":"13","has_more":true}`,
    );
  });
});

describe('GET /events/{id}', () => {
  it("has the event's fields unchanged, and its deliveries", async () => {
    const { id, body } = events[5]!;
    const { text, json } = await call(merchant, 'GET', `/events/${id}`);
    expect(text.startsWith(`{"ok":true,${body.slice(1, -1)},"deliveries":[`)).toBe(true);
    const of = deliveries.filter(({ event_id }) => event_id === id).reverse();
    expect(json.deliveries).toMatchObject(of.map((one) => ({ ...one, last_attempts: [] })));
    expect(of).toHaveLength(2);
  });
});

interface Filters {
  readonly endpoint_id?: string | undefined;
  readonly event_id?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly type?: EventType | undefined;
  readonly created_from?: string | undefined;
  readonly created_to?: string | undefined;
}

function queryOf(filters: Filters, limit = 100): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams({ limit: String(limit), ...Object.fromEntries(given) });
  return `?${query.toString()}`;
}

function expected({ created_from, created_to, ...equal }: Filters): string[] {
  return deliveries
    .filter((row) =>
      Object.entries(equal).every(
        ([name, value]) => value === undefined || row[name as keyof Delivery] === value,
      ),
    )
    .filter(({ created_at }) => created_from === undefined || created_at >= created_from)
    .filter(({ created_at }) => created_to === undefined || created_at < created_to)
    .map(({ id }) => id);
}

const ids = (of: readonly { readonly id: string }[]): string[] => of.map(({ id }) => id);

describe('GET /webhook-deliveries', () => {
  it('is newest first, 25 at a time, each as GET by its id shows it', async () => {
    const { json } = await call(merchant, 'GET', '/webhook-deliveries');
    expect(ids(json.webhook_deliveries)).toEqual(ids(deliveries.slice(0, 25)));
    expect([json.next_cursor, json.has_more]).toEqual([deliveries[24]!.created_at, true]);
    for (const row of json.webhook_deliveries.slice(0, 3)) {
      const shown = await call(merchant, 'GET', `/webhook-deliveries/${row.id}`);
      expect(shown.json).toEqual({ ok: true, ...row });
    }
  });

  it('applies all of several filters, in every combination and on every page', async () => {
    const optional = <T>(arbitrary: fc.Arbitrary<T>) =>
      fc.option(arbitrary, { nil: undefined, freq: 2 });
    const moments = fc.constantFrom(...deliveries.map(({ created_at }) => created_at));
    const filters: fc.Arbitrary<Filters> = fc.record({
      endpoint_id: optional(fc.constantFrom(...endpoint_ids)),
      event_id: fc.oneof(
        { weight: 4, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.constantFrom(...ids(events)) },
      ),
      status: optional(fc.constantFrom(...DELIVERY_STATUSES)),
      type: optional(fc.constantFrom(...EVENT_TYPES)),
      created_from: optional(moments),
      created_to: optional(moments),
    });
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 30 }), async (given, limit) => {
        const seen: string[] = [];
        for (let cursor = ''; ;) {
          const path = `/webhook-deliveries${queryOf(given, limit)}${cursor}`;
          const { json } = await call(merchant, 'GET', path);
          seen.push(...ids(json.webhook_deliveries));
          if (json.next_cursor === null) break;
          cursor = `&cursor=${json.next_cursor}`;
        }
        expect(seen).toEqual(expected(given));
      }),
      { numRuns: 60 },
    );
  });
});
