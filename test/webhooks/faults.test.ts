// Faults of deliveries: what a receiver that verifies sees of each, with the real worker; a worker that dies between
// claim and record; two workers at once; and that live knows nothing of them.

import { randomUUID } from 'node:crypto';
import { advanceSandboxClock } from '../../db/sandbox/clock';
import { listFaults, operationOfEndpoint, orderFault } from '../../db/sandbox/faults';
import { SWAP_SECONDS, takeWebhookFaults } from '../../db/sandbox/webhook-faults';
import { beginDeliveryRun, endDeliveryRun } from '../../db/webhooks/webhook-delivery-runs';
import type { WebhookFault } from '../../domain/fault';
import { RETRY_SECONDS } from '../../domain/webhook';
import { isServiceSignature } from '../../secrets/webhook-secret';
import { runDeliveries } from '../../webhooks/delivery/delivery-run';
import { createWakeup } from '../../webhooks/delivery/wakeup';
import { connectAgain } from '../support/database';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import {
  addEvents,
  expectGenuine,
  isStandardWebhook,
  startReceiver,
  type ReceivedWebhook,
  type TestEndpoint,
} from '../support/webhooks';
import {
  attemptsOf,
  buildFixture,
  deliveriesTo,
  deliverySettings,
  runDependencies,
  startTestDeliveries,
  statusesAt,
  untilAll,
  type WebhookFixture,
} from './deliveries';

let fixture: WebhookFixture;

beforeAll(async () => {
  fixture = await buildFixture();
});

/** An account of its own, and a receiver that refuses what is not signed as it must be. */
async function rehearse(
  faults: readonly (readonly [fault: WebhookFault, times: number])[],
  options: { readonly environment?: 'live' } = {},
) {
  const { database } = fixture;
  const user = await buildUser(database.db);
  const receiver = await startReceiver();
  const endpoint = await fixture.createEndpoint(receiver.url, { user_id: user.id, ...options });
  receiver.answer = (webhook, response) => {
    response.statusCode = schemesOf(webhook, endpoint.secret).every(Boolean) ? 200 : 401;
    response.end();
  };
  const operation = operationOfEndpoint(endpoint.id);
  for (const [fault, times] of faults) {
    await orderFault(database.db, user.id, { operation, fault, times });
  }
  return {
    endpoint,
    receiver,
    publish: (count?: number) => fixture.publish([endpoint], count),
    advance: (seconds: number) =>
      advanceSandboxClock(database.db, user.id, { seconds, provider_due: undefined }),
    /** Faults that are left. */
    left: async () => {
      const faults_left = await listFaults(database.db, user.id, operation);
      return faults_left.reduce((sum, { left }) => sum + left, 0);
    },
  };
}

/** Whether the signature of each scheme is right. */
function schemesOf(webhook: ReceivedWebhook, secret: string): [boolean, boolean] {
  const { headers, body } = webhook;
  const is_ours = isServiceSignature(body, headers['x-service-signature'], secret);
  return [is_ours, isStandardWebhook(webhook, secret)];
}

/** The outcomes of the attempts of each delivery, in the order of the events. */
async function outcomesAt(endpoint: TestEndpoint): Promise<string[][]> {
  const rows = await deliveriesTo(fixture, endpoint);
  const attempts = await Promise.all(rows.map(({ id }) => attemptsOf(fixture, id)));
  return attempts.map((made) => made.map(({ outcome }) => outcome));
}

interface Case {
  readonly name: string;
  readonly faults: readonly (readonly [WebhookFault, number])[];
  /** How many, committed together, one lot after the other. */
  readonly events: readonly number[];
  /** How far the clock is advanced once an event was put off. */
  readonly advance?: number;
  /** Which event each request was of, from 0. */
  readonly arrive: readonly number[];
  readonly outcomes: readonly (readonly string[])[];
}

const ONCE = ['delivered'];
const TWICE = ['delivered', 'delivered'];
const DAY = 86_400;

const CASES: readonly Case[] = [
  {
    name: 'duplicate sends an event twice, and only this one',
    faults: [['duplicate', 1]],
    events: [1],
    arrive: [0, 0],
    outcomes: [TWICE],
  },
  {
    name: 'swap lets two events change places, and the next two',
    faults: [['swap', 2]],
    events: [2, 2],
    arrive: [1, 0, 3, 2],
    outcomes: [ONCE, ONCE, ONCE, ONCE],
  },
  {
    name: 'swap without another event lets it go alone',
    faults: [['swap', 1]],
    events: [1],
    advance: SWAP_SECONDS,
    arrive: [0],
    outcomes: [ONCE],
  },
  {
    name: 'bad-signature is refused, and the ordinary retry is right',
    faults: [['bad-signature', 2]],
    events: [1],
    arrive: [0, 0, 0],
    outcomes: [['refused', 'refused', 'delivered']],
  },
  {
    name: 'late puts an event off by the clock of the account',
    faults: [[`late=${DAY}`, 1]],
    events: [1],
    advance: DAY,
    arrive: [0],
    outcomes: [ONCE],
  },
  {
    name: 'an event that was put off has had its fault, and its retry takes the next',
    faults: [
      [`late=${DAY}`, 1],
      ['bad-signature', 1],
      ['duplicate', 1],
    ],
    events: [2],
    advance: DAY,
    arrive: [1, 1, 1, 0],
    outcomes: [ONCE, ['refused', 'delivered', 'delivered']],
  },
];

describe('a fault of deliveries', () => {
  // What follows has no worker: only the test begins a run.
  let worker: ReturnType<typeof startTestDeliveries>;
  beforeAll(() => {
    worker = startTestDeliveries(fixture);
  });
  afterAll(() => worker.stop());

  it.each(CASES)('$name', async ({ faults, events, advance, arrive, outcomes }) => {
    const { endpoint, receiver, publish, advance: move, left } = await rehearse(faults);
    for (const count of events) {
      await publish(count);
      if (advance === undefined) await untilAll(fixture, endpoint, 'delivered');
    }
    if (advance !== undefined) {
      await waitFor(async () => {
        const rows = await deliveriesTo(fixture, endpoint);
        return rows.some(({ next_in_seconds }) => next_in_seconds! > 60);
      });
      await waitFor(() => receiver.received.length === arrive.filter((one) => one !== 0).length);
      await move(advance);
    }
    await untilAll(fixture, endpoint, 'delivered');
    const rows = await deliveriesTo(fixture, endpoint);
    const order = rows.map(({ event_id }) => event_id);
    expect({
      arrive: receiver.received.map(({ headers }) =>
        order.indexOf(headers['webhook-id'] as string),
      ),
      outcomes: await outcomesAt(endpoint),
      left: await left(),
    }).toEqual({ arrive, outcomes, left: 0 });
    // Neither scheme's signature of a spoiled attempt is right; both of all others are.
    const schemes = receiver.received.map((one) => schemesOf(one, endpoint.secret).join());
    const refused = outcomes.flat().filter((one) => one === 'refused').length;
    expect(schemes.toSorted()).toEqual([
      ...Array<string>(refused).fill('false,false'),
      ...Array<string>(arrive.length - refused).fill('true,true'),
    ]);
    const { rows: uses } = (await fixture.database.owner.raw(
      'select delivery_id from sandbox_webhook_uses where endpoint_id = ?',
      [endpoint.id],
    )) as { rows: unknown[] };
    expect(uses).toEqual([]);
  });

  it('is not there for live, whatever is in the sandbox of the account', async () => {
    const { endpoint, receiver, publish, advance, left } = await rehearse([['duplicate', 5]], {
      environment: 'live',
    });
    await advance(DAY);
    await publish();
    await untilAll(fixture, endpoint, 'delivered');
    expect(receiver.received).toHaveLength(1);
    expectGenuine(receiver.received[0]!, endpoint.secret);
    expect(await left()).toBe(5);
  });
});

/** A run without a worker: only the test begins it. */
function runOnce(
  { id }: TestEndpoint,
  { retry_seconds = Array<number>(9).fill(0), linger_ms = 100 } = {},
): Promise<string> {
  const deliveries = deliverySettings({ retry_seconds }, { linger_ms, poll_ms: 20 });
  const news = { wakeup: createWakeup(), must_poll: true, is_stopping: false };
  return runDeliveries(runDependencies(fixture, deliveries), id, news).catch(
    (error: Error) => error.message,
  );
}

describe('a worker that dies between claim and record', () => {
  it.each([
    { fault: 'duplicate', sent: 4, attempts: TWICE },
    { fault: 'bad-signature', sent: 3, attempts: ['refused', 'delivered'] },
  ] as const)('uses up no second $fault, and its delivery arrives', async (one) => {
    const { owner } = fixture.database;
    const { endpoint, receiver, left } = await rehearse([[one.fault, 3]]);
    await addEvents(fixture.database, [endpoint]);
    const arguments_ = 'uuid, jsonb, jsonb, jsonb';
    await owner.raw('alter function record_faulty_attempts rename to record_faulty_attempts_well');
    await owner.raw(`create function record_faulty_attempts(${arguments_})
      returns text language plpgsql as $$ begin raise exception 'killed'; end $$`);
    await owner.raw(`grant execute on function record_faulty_attempts(${arguments_}) to public`);
    expect(await runOnce(endpoint)).toContain('killed');
    await owner.raw('drop function record_faulty_attempts');
    await owner.raw('alter function record_faulty_attempts_well rename to record_faulty_attempts');
    expect(await left()).toBe(2);
    await owner.raw('delete from sandbox_faults where operation = ?', [
      operationOfEndpoint(endpoint.id),
    ]);
    await waitFor(async () => {
      expect(await runOnce(endpoint)).toBe('done');
      return (await statusesAt(fixture, endpoint))['delivered'] === 1;
    });
    expect(receiver.received).toHaveLength(one.sent);
    expect(await outcomesAt(endpoint)).toEqual([one.attempts]);
  });

  it('leaves to another, which takes the same, and of two at once only one takes any', async () => {
    const { endpoint, left } = await rehearse([
      ['swap', 1],
      ['duplicate', 1],
      ['bad-signature', 5],
    ]);
    await addEvents(fixture.database, [endpoint], 4);
    const ids = (await deliveriesTo(fixture, endpoint)).map(({ id }) => id);
    const { db } = fixture.database;
    const other = connectAgain(fixture.database);
    const tokens = [randomUUID(), randomUUID()] as const;
    const takeAll = () =>
      Promise.all([
        takeWebhookFaults(db, endpoint.id, tokens[0], ids),
        takeWebhookFaults(other, endpoint.id, tokens[1], ids),
      ]);
    const expected = [
      { id: ids[1], fault: null },
      { id: ids[2], fault: 'duplicate' },
      { id: ids[3], fault: 'bad-signature' },
    ];
    await beginDeliveryRun(db, endpoint.id, tokens[0], 60_000);
    expect(await takeAll()).toEqual([expected, []]);
    await endDeliveryRun(db, endpoint.id, tokens[0]);
    await beginDeliveryRun(db, endpoint.id, tokens[1], 60_000);
    expect(await takeAll()).toEqual([[], expected]);
    expect(await left()).toBe(4);
  });
});

it('one run makes all the attempts of a jump, though the endpoint is overloaded', async () => {
  const { endpoint, receiver, advance } = await rehearse([]);
  receiver.answer = (_webhook, response) => {
    response.statusCode = 503;
    response.end();
  };
  // Long enough for a machine that stands still between two attempts.
  const schedule = { retry_seconds: [...RETRY_SECONDS], linger_ms: 4_000 };
  await addEvents(fixture.database, [endpoint]);
  await runOnce(endpoint, schedule);
  expect(receiver.received).toHaveLength(1);
  await advance(100 * 3_600);
  expect(await runOnce(endpoint, schedule)).toBe('done');
  expect(receiver.received).toHaveLength(10);
  expect(await deliveriesTo(fixture, endpoint)).toMatchObject([{ status: 'exhausted' }]);
});
