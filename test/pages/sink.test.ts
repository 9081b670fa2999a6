// The webhook sink: its responses, what it keeps, and its page in a real browser.

import { randomUUID } from 'node:crypto';
import { makeWebhookSecret, signWebhook } from '../../secrets/webhook-secret';
import {
  startWebhookSink,
  type SinkEndpoint,
  type WebhookSink,
} from '../../dev/simulators/webhook-sink/server';
import { closeAfterFile } from '../support/cleanup';
import { describeInBrowser, expectReadable, openPage, sidewaysScroll } from './browser';

let sink: WebhookSink;
let url: string;
let endpoint: SinkEndpoint & { readonly secret: string };
/** The URLs that the sink asks about, and the endpoints that it is given. */
let asked: string[];
let endpoints: readonly SinkEndpoint[] | Error;

beforeEach(async () => {
  const secret = makeWebhookSecret();
  endpoint = { id: randomUUID(), secrets: [secret], secret };
  endpoints = [endpoint];
  asked = [];
  sink = await startWebhookSink({
    port: 0,
    secretsFor: (of) => {
      asked.push(of);
      return endpoints instanceof Error ? Promise.reject(endpoints) : Promise.resolve(endpoints);
    },
  });
  closeAfterFile(() => sink.stop());
  url = `${sink.page}hooks/demo`;
});

afterEach(() => sink.stop());

interface Sent {
  readonly body?: string;
  readonly secret?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly to?: string;
}

const EVENT = {
  id: '529b5044-a8ae-4e61-aa04-1b2ecb8d1f19',
  type: 'payment.succeeded',
  environment: 'sandbox',
  sequence: 12,
};
const BODY = `${JSON.stringify(EVENT).slice(0, -1)},"data":{"amount":4999.50,"currency":"EUR"}}`;

/** Signed as the service signs; a header set to undefined is left out. */
async function send({ body = BODY, secret = endpoint.secret, headers = {}, to = url }: Sent = {}) {
  const timestamp = Math.floor(Date.now() / 1_000);
  const signed = signWebhook({ id: EVENT.id, timestamp, body, secret, previous_secret: null });
  const all = { ...signed, 'Content-Type': 'application/json', ...headers };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  const response = await fetch(to, {
    method: 'POST',
    headers: Object.fromEntries(given) as Record<string, string>,
    body,
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
  };
}

async function deliveries(): Promise<Record<string, unknown>[]> {
  const response = await fetch(`${sink.page}deliveries.json`);
  return ((await response.json()) as { deliveries: Record<string, unknown>[] }).deliveries;
}

const TEXT = 'text/plain; charset=utf-8';
const OK = { status: 200, type: TEXT, text: 'ok' };
const INVALID = { status: 401, type: TEXT, text: 'invalid signature' };

describe('the webhook sink', () => {
  it('answers 200 to a webhook signed for an endpoint at its URL, and keeps its bytes', async () => {
    expect(await send({ to: `${url}?shop=1` })).toEqual(OK);
    expect(asked).toEqual([`${url}?shop=1`]);
    expect(await deliveries()).toEqual([
      {
        number: 1,
        at: expect.any(String) as string,
        path: '/hooks/demo?shop=1',
        status: 200,
        x_service_signature: 'verified',
        standard_webhooks: 'verified',
        endpoint_id: endpoint.id,
        event: { ...EVENT, amount: 4999.5, currency: 'EUR' },
        headers: expect.objectContaining({ 'webhook-id': EVENT.id }) as object,
        body: BODY,
      },
    ]);
  });

  it.each<[string, Sent]>([
    ['without a signature', { headers: { 'x-service-signature': undefined } }],
    ['with a signature of another secret', { secret: makeWebhookSecret() }],
    ['with a signature of another body', { headers: { 'x-service-signature': '0'.repeat(64) } }],
    ['with half a signature', { headers: { 'x-service-signature': 'abcd' } }],
  ])('answers 401 `invalid signature` to a webhook %s', async (_what, sent) => {
    expect(await send(sent)).toEqual(INVALID);
    expect(await deliveries()).toMatchObject([{ status: 401, endpoint_id: null, body: BODY }]);
  });

  it('answers 401 at a URL without an endpoint, and 500 while the secrets cannot be read, so that the delivery is retried', async () => {
    endpoints = [];
    expect(await send()).toEqual(INVALID);
    endpoints = new Error('down');
    expect((await send()).status).toBe(500);
    expect(await deliveries()).toHaveLength(1);
  });

  it('answers 500 to what is genuine while its page says so, and 401 to all others', async () => {
    const choose = (answer: string, headers: Readonly<Record<string, string>> = {}) =>
      fetch(`${sink.page}answer`, {
        method: 'POST',
        redirect: 'manual',
        headers,
        body: new URLSearchParams({ with: answer }),
      });
    expect((await choose('500')).status).toBe(303);
    expect(await send()).toEqual({ status: 500, type: TEXT, text: 'failing on purpose' });
    expect(await send({ secret: makeWebhookSecret() })).toEqual(INVALID);
    expect((await deliveries()).map((one) => one['status'])).toEqual([401, 500]);
    // A choice from another site, or of an unknown status, changes nothing.
    expect((await choose('200', { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await choose('404')).status).toBe(422);
    expect((await send()).status).toBe(500);
    await choose('200');
    expect(await send()).toEqual(OK);
  });

  it('forbids scripts of others and framing on every page', async () => {
    await send();
    for (const path of ['', 'deliveries/1', 'deliveries/9']) {
      const policy = (await fetch(sink.page + path)).headers.get('content-security-policy');
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toMatch(/script-src 'sha256-[^']+';/);
    }
  });

  it('shows a body with its own digits, at any nesting', async () => {
    await send({ body: '{"a":{},"b":[],"c":[1.50,"{,}"],"d":{"e":null}}' });
    const page = await (await fetch(`${sink.page}deliveries/1`)).text();
    const lines = ['{', '  "a": {},', '  "b": [],', '  "c": [', '    1.50,', '    "{,}"', '  ],'];
    const shown = [...lines, '  "d": {', '    "e": null', '  }', '}'].join('\n');
    expect(/<pre>([^<]*)<\/pre>/.exec(page)?.[1]).toBe(shown.replaceAll('"', '&quot;'));
    expect((await send({ body: '['.repeat(100_000) + ']'.repeat(100_000) })).status).toBe(200);
    expect((await (await fetch(sink.page)).text()).length).toBeLessThan(10_000_000);
  });
});

describeInBrowser('the sink’s page in a browser', () => {
  it('is readable for everyone in every window, in light and dark, without console errors', async () => {
    const { page, problems } = await openPage();
    const look = async (name: string, path = ''): Promise<void> => {
      await page.goto(sink.page + path);
      await expectReadable(page, `sink-${name}`);
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await sidewaysScroll(page)).toBe(0);
      expect(await page.locator('h1').count()).toBe(1);
    };
    await look('empty');
    await send({ body: `{"type":"${'W'.repeat(300)}"}`, secret: makeWebhookSecret() });
    await send();
    await look('arrived');
    await look('one', 'deliveries/2');
    expect(problems).toEqual([]);
    // The browser complains of its 404.
    await look('nothing', 'deliveries/9');
  });

  it('shows new arrivals by itself, and their content as text', async () => {
    const { page } = await openPage();
    await page.goto(sink.page);
    await page.getByText('Nothing has arrived yet').waitFor();
    const hostile = '<img src=x onerror=alert(1)>';
    await send({ body: JSON.stringify({ ...EVENT, type: hostile, data: { note: '</pre>' } }) });
    await page.getByRole('heading', { name: hostile }).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    await page.getByText('"note": "</pre>"').waitFor();
    await page.getByRole('link', { name: 'Body and headers' }).click();
    await page.getByText('webhook-timestamp').waitFor();
  });

  it('changes nothing under a reader who has paused it, and says what is new', async () => {
    const { page } = await openPage();
    await page.goto(sink.page);
    await page.getByLabel('Pause updates').check();
    await send();
    await page.getByText('(1 new)').waitFor();
    expect(await page.getByRole('heading', { name: EVENT.type }).count()).toBe(0);
    await page.getByLabel('Pause updates').uncheck();
    await page.getByRole('heading', { name: EVENT.type }).waitFor();
  });

  it('answers 500 by a button, also without scripts', async () => {
    const { page } = await openPage({ javaScriptEnabled: false });
    await page.goto(sink.page);
    await page.getByRole('button', { name: 'Answer 500 from now on' }).click();
    await page.getByText('It now answers 500').waitFor();
    await send();
    await page.getByRole('link', { name: 'All that arrived' }).click();
    await page.getByText('500 failing on purpose').waitFor();
    await page.getByRole('button', { name: 'Answer 200 again' }).click();
    await page.getByText('See what the service does').waitFor();
    expect(await send()).toEqual(OK);
  });
});
