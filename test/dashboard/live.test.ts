// Pages that update by themselves: the streams behind them, over real HTTP.

import { get, type IncomingMessage } from 'node:http';
import { listDeliveries, type DeliveryView } from '../../db/webhooks/webhook-deliveries';
import { recordAttempts } from '../../db/webhooks/webhook-attempts';
import {
  createLiveUpdates,
  type LiveTopic,
  type LiveUpdates,
  type Watcher,
} from '../../dashboard/live';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { waitFor } from '../support/wait';
import {
  addEvents,
  buildAttempt,
  createTestEndpoint,
  type TestEndpoint,
} from '../support/webhooks';
import { signInAs, signInOwner, type Member } from './accounts';
import type { Visitor } from './visitor';

let database: TestDatabase;
let service: TestService;
let owner: Member;
let endpoint: TestEndpoint;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  owner = await signInOwner(service, database);
});

beforeEach(async () => {
  const fields = { user_id: owner.user.id, url: 'https://shop.example/hooks' };
  endpoint = await createTestEndpoint(database, fields);
  await addEvents(database, [endpoint], 2);
});

async function deliveries(): Promise<DeliveryView[]> {
  return listDeliveries(database.db, {
    user_id: owner.user.id,
    environment: 'sandbox',
    before: undefined,
    limit: 10,
    filters: { endpoint_id: endpoint.id },
  });
}

async function deliver({ id }: DeliveryView): Promise<void> {
  await recordAttempts(database.db, endpoint.id, [buildAttempt(id)], null);
}

interface Stream {
  readonly response: IncomingMessage;
  /** Everything that came so far. */
  readonly text: () => string;
  readonly isOver: () => boolean;
  close(): void;
}

const open: Stream[] = [];
afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});

function openStream(
  path: string,
  visitor: Visitor = owner.visitor,
  headers: Readonly<Record<string, string>> = {},
): Promise<Stream> {
  const Cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return new Promise((resolve, reject) => {
    const request = get(service.origin + path, { headers: { Cookie, ...headers } }, (response) => {
      let [text, is_over] = ['', false];
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('close', () => (is_over = true));
      response.on('error', () => undefined);
      const stream: Stream = {
        response,
        text: () => text,
        isOver: () => is_over,
        close: () => request.destroy(),
      };
      open.push(stream);
      resolve(stream);
    });
    request.on('error', reject);
  });
}

/** Opens the stream as the page's script does. */
async function watchPage(path: string, visitor: Visitor = owner.visitor): Promise<Stream> {
  const page = await visitor.open(path);
  const note = page.document.querySelector('[data-live]')!;
  const source = note.getAttribute('data-live')!;
  const version = note.getAttribute('data-version')!;
  return openStream(`${source}${source.includes('?') ? '&' : '?'}version=${version}`, visitor);
}

interface Event {
  readonly id: string;
  readonly parts: Readonly<Record<string, string>>;
}

function eventsOf(stream: Stream): Event[] {
  return [...stream.text().matchAll(/id: (.+)\nevent: parts\ndata: (.+)\n\n/g)].map(
    ([, id, data]) => ({ id: id!, parts: JSON.parse(data!) as Event['parts'] }),
  );
}

const firstEvent = (stream: Stream): Promise<Event> => waitFor(() => eventsOf(stream)[0]);

describe('the stream of a page', () => {
  it('is one of events that no cache and no proxy keeps back', async () => {
    const { response, text } = await watchPage(`/webhooks/${endpoint.id}`);
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    await waitFor(() => text().startsWith('retry: '));
  });

  it('sends an endpoint’s rows and state when a delivery has arrived, in the page’s language', async () => {
    await owner.visitor.open('/?lang=fr');
    const stream = await watchPage(`/webhooks/${endpoint.id}`);
    await deliver((await deliveries())[0]!);
    const { parts } = await firstEvent(stream);
    expect(parts['deliveries']).toContain('Arrivé');
    expect(parts['health']).toContain('1 sur 2 arrivé');
    await owner.visitor.open('/?lang=en');
  });

  it('sends at once what changed before it was opened, and after a lost connection nothing twice', async () => {
    const path = `/webhooks/${endpoint.id}`;
    const page = await owner.visitor.open(path);
    const version = page.document.querySelector('[data-live]')!.getAttribute('data-version')!;
    await deliver((await deliveries())[0]!);
    const first = await openStream(`/dashboard${path}/live?version=${version}`);
    const { id } = await firstEvent(first);
    first.close();
    // A browser asks for the same URL again, and names the last event.
    const last = { 'Last-Event-ID': id };
    const second = await openStream(
      `/dashboard${path}/live?version=${version}`,
      owner.visitor,
      last,
    );
    await deliver((await deliveries())[1]!);
    await firstEvent(second);
    expect(eventsOf(second)).toHaveLength(1);
    expect(eventsOf(second)[0]!.id).not.toBe(id);
  });

  it('ends when the session has ended', async () => {
    const visitor = await signInAs(service, owner.user.username);
    const stream = await watchPage(`/webhooks/${endpoint.id}`, visitor);
    expect(stream.isOver()).toBe(false);
    await visitor.open('/');
    await visitor.submit('/sign-out');
    await waitFor(stream.isOver);
    const { response } = await openStream(`/dashboard/webhooks/${endpoint.id}/live`, visitor);
    expect(response.statusCode).toBe(303);
  });

  it('is one of ten at most for a person, in all of their sessions', async () => {
    const [delivery] = await deliveries();
    const path = `/dashboard/deliveries/${delivery!.id}/live`;
    const second = await signInAs(service, owner.user.username);
    const streams = [];
    for (let n = 0; n < 10; n += 1) {
      const stream = await openStream(path, n % 2 ? second : owner.visitor);
      // The streams of the tests before may not be forgotten yet.
      if (stream.response.statusCode === 200) streams.push(stream);
    }
    const refused = await waitFor(async () => {
      const stream = await openStream(path, second);
      return stream.response.statusCode === 429 ? stream : undefined;
    });
    await waitFor(() => refused.text().includes('Reload this page'));
    streams[0]!.close();
    await waitFor(async () => (await openStream(path, second)).response.statusCode === 200);
  });
});

describe('the watchers of one process', () => {
  const FAST = { interval_ms: 20, session_check_ms: Infinity, comment_ms: Infinity };
  let live: LiveUpdates;
  afterEach(() => live.close());

  const watcher = (n: number, fields: Partial<Watcher> = {}): Watcher => ({
    session_id: '',
    user_id: '',
    login_id: `person-${n}`,
    language: 'en',
    version: 'old',
    ...fields,
  });

  function topicOf(state: { value: number; reads: number }): LiveTopic<number> {
    return {
      key: 'topic',
      read() {
        state.reads += 1;
        return Promise.resolve(state.value);
      },
      render: (value) => Promise.resolve({ part: String(value) }),
    };
  }

  it('share one look, and all get what it found', async () => {
    live = createLiveUpdates({ db: database.db, log: () => undefined, limits: FAST });
    const state = { value: 1, reads: 0 };
    const texts = Array.from({ length: 50 }, () => '');
    texts.forEach((_, n) => {
      live.watch(topicOf(state), watcher(n))!.on('data', (data) => (texts[n] += String(data)));
    });
    await waitFor(() => texts.every((text) => text.includes('"part":"1"')));
    expect(state.reads).toBeLessThan(50);
    state.value = 2;
    await waitFor(() => texts.every((text) => text.includes('"part":"2"')));
    // Nothing is sent again while nothing changes.
    const { reads } = state;
    await waitFor(() => state.reads > reads + 5);
    expect(texts.map((text) => text.match(/event: parts/g)?.length)).toEqual(texts.map(() => 2));
  });

  it('leave a place to who has fewer when all are taken, and take none from each other in turn', () => {
    const limits = { ...FAST, per_process: 6, per_person: 4 };
    live = createLiveUpdates({ db: database.db, log: () => undefined, limits });
    const topics = [1, 2].map((n) => ({ ...topicOf({ value: 1, reads: 0 }), key: `topic ${n}` }));
    const open = (n: number, topic = 0) => live.watch(topics[topic]!, watcher(n));
    const of_first = [open(1), open(1), open(1), open(1, 1)];
    const of_second = [open(2), open(2, 1)];
    const left = (streams: typeof of_first) => streams.filter((one) => !one!.destroyed).length;
    // The process has no place left: no person is over a limit of their own.
    const third = open(3);
    expect([third === undefined, left(of_first), left(of_second)]).toEqual([false, 3, 2]);
    const more = open(3);
    expect([more === undefined, left(of_first), left(of_second)]).toEqual([false, 2, 2]);
    // Each person has two: a third is refused, and none is lost.
    for (const n of [1, 2, 3]) expect(open(n)).toBeUndefined();
    expect([left(of_first), left(of_second), left([third, more])]).toEqual([2, 2, 2]);
    // A new person still gets one.
    expect(open(4)).toBeDefined();
    expect(left([...of_first, ...of_second, third, more])).toBe(5);
  });

  it('are let go when they read nothing', async () => {
    live = createLiveUpdates({ db: database.db, log: () => undefined, limits: FAST });
    let n = 0;
    const topic: LiveTopic<number> = {
      key: 'large',
      read: () => Promise.resolve((n += 1)),
      render: () => Promise.resolve({ part: 'x'.repeat(100_000) }),
    };
    const stream = live.watch(topic, watcher(1))!;
    await waitFor(() => stream.destroyed);
  });
});

it('a service that stops ends the streams, within its limit', async () => {
  const other = await startTestService({ database });
  const member = await signInOwner(other, database);
  const own = await createTestEndpoint(database, {
    user_id: member.user.id,
    url: 'https://shop.example/',
  });
  const Cookie = [...member.visitor.cookies].map((pair) => pair.join('=')).join('; ');
  const response = await fetch(`${other.origin}/dashboard/webhooks/${own.id}/live`, {
    headers: { Cookie },
  });
  expect(response.status).toBe(200);
  const ended = response.text();
  await other.stop();
  // It ends as it should, and is not cut off.
  expect(await ended).toContain('retry:');
});
