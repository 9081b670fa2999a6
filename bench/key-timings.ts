// Whether response times tell what exists (rows A7 and B4 of the threat list): a revoked key from an
// unknown one, and what belongs to somebody else from what nobody has. `npm run --silent bench:key-timings`
//
// A missing or malformed key costs no query and is faster; whoever sends one knows that it is. All else
// that is refused alike costs the same query, and its median must differ from the unknown ones' by no more
// than those of two halves of the unknown ones differ: by noise.

import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { PREFIX } from '../api/prefix';
import { createApiKey, revokeApiKey } from '../db/api-keys';
import { connectDatabase } from '../db/connect';
import { makeApiKey } from '../secrets/api-key';
import { makeShortCode, makeTransferReference } from '../secrets/random';
import { setStage, type BenchUser, type Stage } from './contestants';
import { openConnection, type HttpConnection } from './http-client';
import { median } from './stats';

const REQUESTS = 5_000;
/** Of each kind, all of one user. */
const THINGS = 20;

/** What is asked for, a new one at each call. */
type Ask = () => { readonly path: string; readonly key?: string };

interface Group {
  readonly name: string;
  readonly status: number;
  readonly classes: Readonly<Record<string, Ask>>;
}

async function main(): Promise<void> {
  // The limit of strangers is out of the way.
  process.env['ANONYMOUS_REQUESTS_PER_MINUTE'] = '1000000';
  const stage = await setStage((text) => process.stderr.write(`${text}\n`));
  try {
    const connection = await openConnection(stage.api_port);
    const groups = [await keys(stage), ...(await things(stage, connection))];
    for (const group of groups) print(group, await measure(connection, group));
    connection.close();
  } finally {
    await stage.close();
  }
}

/** In µs. In turns, so that what else the machine does meets all of them. */
async function measure(
  connection: HttpConnection,
  { classes, status }: Group,
): Promise<Readonly<Record<string, number>>> {
  const times = Object.fromEntries(Object.keys(classes).map((name) => [name, [] as number[]]));
  for (let turn = 0; turn < REQUESTS; turn += 1) {
    for (const [name, ask] of shuffled(Object.entries(classes))) {
      const { path, key } = ask();
      const started = performance.now();
      const answer = await send(connection, 'GET', path, key);
      times[name]!.push((performance.now() - started) * 1_000);
      if (answer.status !== status) throw new Error(`${name}: ${path} got ${answer.status}`);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
}

/** Each follows each other equally often: what came before has an effect, too. */
function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

function print({ name }: Group, medians: Readonly<Record<string, number>>): void {
  const unknown = medians[ONE_HALF]!;
  process.stdout.write(`${name}\n`);
  for (const [kind, value] of Object.entries(medians)) {
    const apart = (value - unknown).toFixed(1).padStart(7);
    process.stdout.write(`  ${kind.padEnd(20)} median ${value.toFixed(1)} µs, ${apart} µs apart\n`);
  }
}

const ONE_HALF = 'unknown, one half';
const OTHER_HALF = 'unknown, other half';

async function keys({ owner_url, users }: Stage): Promise<Group> {
  const unknown: Ask = () => ({ path: '/me', key: makeApiKey('pay', 'live').key });
  const owner = connectDatabase({ url: owner_url, pool_size: 2, name: 'bench-owner' });
  const { key, ...material } = makeApiKey('pay', 'live');
  const options = { user_id: users[0]!.id, environment: 'live', name: 'bench' } as const;
  const limits = { requests_per_minute: 60, writes_per_minute: 30 };
  const id = await createApiKey(owner, material, { ...options, ...limits }, { actor: 'bench' });
  await revokeApiKey(owner, id!, { actor: 'bench' });
  await owner.destroy();
  return {
    name: 'keys',
    status: 401,
    classes: {
      [ONE_HALF]: unknown,
      [OTHER_HALF]: unknown,
      revoked: () => ({ path: '/me', key }),
      malformed: () => ({ path: '/me', key: `${makeApiKey('pay', 'live').key}0` }),
      missing: () => ({ path: '/me' }),
    },
  };
}

/** What one user has, asked for by another. */
async function things(stage: Stage, connection: HttpConnection): Promise<Group[]> {
  const [owner, stranger, recipient] = stage.users as [BenchUser, BenchUser, BenchUser];
  const made = await make(connection, owner, recipient);
  const kind = (path: string, makeId: () => string, foreign: readonly string[]): Group => {
    const ask = (ids: readonly string[]): Ask => {
      let next = 0;
      return () => ({
        path: `${path}/${ids[(next += 1) % ids.length]!}`,
        key: stranger.live_key,
      });
    };
    // As many as there are foreign ones: what is asked for again is cached for both.
    const unknown = (): Ask => ask(foreign.map(() => makeId()));
    const classes = { [ONE_HALF]: unknown(), [OTHER_HALF]: unknown(), foreign: ask(foreign) };
    return { name: `GET ${path}/…`, status: 404, classes };
  };
  return [
    kind('/transfers', makeTransferReference, made.references),
    kind('/transactions', randomUUID, made.transactions),
    kind('/payment-intents', randomUUID, made.intents),
    { ...kind('/payment-intents', makeShortCode, made.short_codes), name: 'short codes' },
    kind('/webhook-endpoints', randomUUID, made.endpoints),
    kind('/events', randomUUID, made.events),
    kind('/webhook-deliveries', randomUUID, made.deliveries),
  ];
}

async function make(connection: HttpConnection, owner: BenchUser, { username }: BenchUser) {
  const post = async (path: string, body: object): Promise<Readonly<Record<string, string>>> => {
    const answer = await send(connection, 'POST', path, owner.live_key, JSON.stringify(body));
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body) as Readonly<Record<string, string>>;
  };
  // No worker runs here that would deliver to it.
  const endpoint = (await post('/webhook-endpoints', { url: 'http://127.0.0.1:9/hooks' }))['id']!;
  const found: Record<Made, string[]> = {
    ...{ references: [], transactions: [], intents: [], short_codes: [] },
    ...{ endpoints: [endpoint], events: [], deliveries: [] },
  };
  for (let n = 0; n < THINGS; n += 1) {
    const transfer = { to_username: username, currency: 'XOF', amount: 100 };
    found.references.push((await post('/transfers', transfer))['reference']!);
    const intent = await post('/payment-intents', { amount: 500, currency: 'XOF' });
    found.intents.push(intent['id']!);
    found.short_codes.push(intent['short_code']!);
    const test = await post(`/webhook-endpoints/${endpoint}/test`, {});
    found.events.push(test['event_id']!);
    found.deliveries.push(test['delivery_id']!);
  }
  const { body } = await send(connection, 'GET', '/transactions?limit=20', owner.live_key);
  const page = JSON.parse(body) as { readonly transactions: readonly { readonly id: string }[] };
  found.transactions.push(...page.transactions.map(({ id }) => id));
  return found;
}

type Made =
  'references' | 'transactions' | 'intents' | 'short_codes' | 'endpoints' | 'events' | 'deliveries';

function send(
  connection: HttpConnection,
  method: 'GET' | 'POST',
  path: string,
  key?: string,
  body?: string,
) {
  const headers = [
    `${method} ${PREFIX}${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
    ...(body === undefined ? [] : ['Content-Type: application/json']),
  ];
  return connection.send(headers.join('\r\n'), body);
}

void main();
