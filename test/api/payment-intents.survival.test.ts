// An intent outlives its workflow, and strangers cannot use its workflow up.

import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { temporal as proto } from '@temporalio/proto';
import { expectBooksHold } from '../support/books';
import { setUp } from '../support/database';
import { actAt, setFaults } from '../support/sandbox-gateway';
import { startTestApi } from '../support/api';
import { request, type HttpResponse } from '../support/http';
import { startTestService, type TestService } from '../support/service';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import {
  handleOf,
  letLapse,
  statusOf,
  untilApplied,
  untilShown,
  type Intent,
} from '../workflows/intents';

const { EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED: ACCEPTED } = proto.api.enums.v1.EventType;
const COOL_DOWN_MS = 10_000;

const api = setUp(startTestApi);
/** A second process of the same installation. */
let beside: TestService;
let temporal: Client;

beforeAll(async () => {
  const { task_queue, gateway, pay_url_base } = api.service.config;
  beside = await startTestService({
    database: api.database,
    overrides: { task_queue, gateway, pay_url_base },
  });
  temporal = await connectTestTemporal();
});

afterEach(async () => {
  await setFaults(api.gateway, 'sandbox', {});
  await expectBooksHold(api.database.db);
});

async function open(): Promise<Intent> {
  const { status, json } = await api.create();
  expect(status).toBe(201);
  return json;
}

function pay({ short_code }: Intent, service: TestService = api.service): Promise<HttpResponse> {
  return request({ base_url: service.origin }, 'POST', `/p/${short_code}/pay`, {});
}

async function updatesOf(intent: Intent): Promise<number> {
  const { events } = await handleOf(temporal, intent).fetchHistory();
  return events!.filter(({ eventType }) => eventType === ACCEPTED).length;
}

describe('POST /p/{short_code}/pay with a lapsed session', () => {
  it('200 at once, on two processes, while the gateway fails: one update per cool-down', async () => {
    const intent = await open();
    await letLapse(api.database, intent);
    await setFaults(api.gateway, 'sandbox', { fail: '5xx' });
    const before = await updatesOf(intent);
    const started_at = Date.now();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        waitFor(async () => {
          const answer = await pay(intent, n % 2 ? beside : api.service);
          // A busy machine that had no connection for the request says so on another page.
          return (answer.status !== 503 || answer.text.includes('Réessayez dans')) && answer;
        }),
      ),
    );
    for (const { status, headers, text } of answers) {
      expect(status).toBe(503);
      const seconds = Number(headers['retry-after']);
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(COOL_DOWN_MS / 1_000);
      expect(text).toMatch(/Réessayez dans \d+ secondes?\./);
    }
    const asked = (await updatesOf(intent)) - before;
    const cool_downs = 1 + Math.floor((Date.now() - started_at) / COOL_DOWN_MS);
    expect(asked).toBeGreaterThanOrEqual(1);
    expect(asked).toBeLessThanOrEqual(cool_downs);
    // The gateway is back, and so is the link once the cool-down is over.
    await setFaults(api.gateway, 'sandbox', {});
    const again = await waitFor(async () => {
      const answer = await pay(intent);
      return answer.status === 303 && answer;
    });
    await actAt(String(again.headers.location), 'pay');
    await untilShown(api, intent, 'succeeded');
  });
});

const lose = (intent: Intent) => handleOf(temporal, intent).terminate('as if it were lost');

describe('an open intent whose workflow was lost', () => {
  it('is cancelled by the first request for it', async () => {
    const intent = await open();
    await lose(intent);
    const { status, json } = await api.cancel(intent.id);
    expect([status, json.status]).toEqual([200, 'canceled']);
    expect(await handleOf(temporal, intent).result()).toEqual({ status: 'canceled' });
  });

  it('has a workflow again once a notification comes, which then ends it', async () => {
    const intent = await open();
    await lose(intent);
    await api.notify(intent, { type: 'payment.pending' });
    expect(await untilApplied(api.database, intent, 1)).toEqual(['processing']);
    expect((await handleOf(temporal, intent).describe()).status.name).toBe('RUNNING');
    await api.notify(intent);
    expect(await handleOf(temporal, intent).result()).toEqual({ status: 'succeeded' });
    expect(await untilApplied(api.database, intent, 2)).toEqual(['processing', 'succeeded']);
  });
});

describe('a workflow that is lost while it is asked', () => {
  it('by a merchant who cancels: it is started again, and cancels', async () => {
    const intent = await open();
    await setFaults(api.gateway, 'sandbox', { delay_ms: 10_000, only: 'close', calls: 1 });
    const canceling = api.cancel(intent.id);
    await waitFor(async () => {
      const { raw } = await handleOf(temporal, intent).describe();
      return raw.pendingActivities?.some(
        ({ activityType }) => activityType?.name === 'cancelIntent',
      );
    });
    await handleOf(temporal, intent).terminate('as if it were lost');
    const { status, json } = await canceling;
    expect([status, json.status]).toEqual([200, 'canceled']);
  });
});

describe('an intent whose workflow never started', () => {
  it('begins its life with the retry: what is answered 201 has not expired', async () => {
    const idempotency_key = randomUUID();
    await setFaults(api.gateway, 'sandbox', { fail: '5xx', only: 'open' });
    await api.create({ expires_in: 900 }, { idempotency_key });
    const { rows } = await api.database.owner.raw(
      `update payment_intents
          set created_at = created_at - interval '20 minutes', expires_at = expires_at - interval '20 minutes'
        where idempotency_key = ? returning id`,
      [idempotency_key],
    );
    const [intent] = rows as [{ id: string }];
    await handleOf(temporal, intent).terminate('as if it had never started');
    expect(await statusOf(api.database, intent)).toBe('creating');
    await setFaults(api.gateway, 'sandbox', {});
    const { status, json } = await api.create({ expires_in: 900 }, { idempotency_key });
    expect(status).toBe(201);
    expect(Date.parse(json.expires_at)).toBeGreaterThan(Date.parse(json.created_at));
    const { json: shown } = await api.show(intent.id);
    expect(shown).toEqual({ ...json, ok: true });
    const { rows: now } = await api.database.owner.raw(
      'select expires_at > clock_timestamp() as is_ahead from payment_intents where id = ?',
      [intent.id],
    );
    expect(now).toEqual([{ is_ahead: true }]);
  });
});
