// `listen`: forwards new events to a receiver on the developer's machine, signed as the service signs. It asks
// the API for them with a merchant's key: no endpoint is registered, and nothing must reach this machine from
// outside.

import { Option } from '@commander-js/extra-typings';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonValue } from '../../domain/json';
import { listenSecret, signWebhook } from '../../secrets/webhook-secret';
import { stopSignal } from '../../bin/process';
import { command, runAlone } from '../command';
import { readReceiver } from '../options';
import { readSecretInput, secretFromStdin, secretInPlain } from '../secret-input';
import type { Printer } from '../context';
import { CommandError, fetchFailure } from '../error';
import { accepted, apiOption, openMerchantApi, type MerchantApi } from '../merchant-api';
import { rawItems } from '../raw-items';

/** Half of what a key may ask for in a minute: its programs have the other half. */
const POLL_MS = 2_000;
const PAGE = 100;
const RESPONSE_WITHIN_MS = 15_000;

export const listen = command(
  'listen',
  'Forward new events, signed, to your own receiver until Ctrl-C',
)
  .requiredOption('--forward-to <url>', 'the address of your receiver', readReceiver('forward-to'))
  .addOption(apiOption)
  .addOption(secretFromStdin('key', 'the API key'))
  .addOption(secretInPlain('key'))
  .addOption(
    new Option('--after <now|n>', 'from now on, or after this sequence number')
      .argParser(readAfter)
      .default('now'),
  )
  .addOption(secretInPlain('secret'))
  .action(
    runAlone(async (printer, options) => {
      const stopping = new AbortController();
      void stopSignal().then(() => stopping.abort());
      const api = await openMerchantApi(printer, options);
      const { environment, profile } = accepted(await api.call('GET', '/me'));
      const { username } = profile;
      const after = options.after === 'now' ? await newest(api) : Number(options.after);
      const read = { from_stdin: undefined, in_plain: options.secret };
      const secret = checkSecret(
        (await readSecretInput(printer, 'secret', read)) ?? listenSecret(api.key),
      );
      const url = options.forwardTo;
      printer.say({
        json: { listening: { user: username, environment, forward_to: url, after, secret } },
        text: `Events of ${username} (${environment}) go to ${url}, signed with ${secret}\nPress Ctrl-C to stop.`,
      });
      await forwardAll(printer, { api, url, secret, after }, stopping.signal);
      return null;
    }),
  );

interface Listening {
  readonly api: MerchantApi;
  readonly url: string;
  readonly secret: string;
  readonly after: number;
}

interface ApiEvent {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly created_at: string;
  readonly data: {
    readonly reference: string;
    readonly amount: number;
    readonly currency: string;
  };
  /** These bytes are what the signature covers. */
  readonly body: string;
}

/** The sequence of the newest event; 0 before the first. */
async function newest(api: MerchantApi): Promise<number> {
  const [event] = accepted(await api.call('GET', '/events?after=latest')).events;
  return event?.sequence ?? 0;
}

function readAfter(text: string): string {
  if (text === 'now' || /^\d{1,15}$/.test(text)) return text;
  throw new CommandError('usage', '--after must be now, or the sequence number of an event');
}

function checkSecret(secret: string): string {
  try {
    sign('try', '', secret);
  } catch {
    // Signing fails only for a malformed secret.
    throw new CommandError('usage', 'The secret must be whsec_ and base64 of at least 24 bytes');
  }
  return secret;
}

function sign(id: string, body: string, secret: string): Readonly<Record<string, string>> {
  const timestamp = Math.floor(Date.now() / 1_000);
  return signWebhook({ id, timestamp, body, secret, previous_secret: null });
}

/** Forwards one event at a time, so that they arrive in order. */
async function forwardAll(
  printer: Printer,
  listening: Listening,
  stopping: AbortSignal,
): Promise<void> {
  let { after } = listening;
  let is_away = false;
  let is_missed = false;
  while (!stopping.aborted) {
    const events = await readEvents(listening.api, after);
    if (events === undefined && !is_away) {
      printer.say({
        json: { warning: 'api_unreachable' },
        text: 'The API does not answer. Retrying …',
      });
    }
    is_away = events === undefined;
    for (const event of events ?? []) {
      const forwarded = await forward(event, listening, stopping);
      if (stopping.aborted) return;
      printer.say({ json: forwardedJson(event, forwarded), text: forwardedText(event, forwarded) });
      if (forwarded.status === null && !is_missed) {
        is_missed = true;
        printer.say(missed(event));
      }
      after = event.sequence;
    }
    if (events?.length !== PAGE)
      await delay(POLL_MS, undefined, { signal: stopping }).catch(ignore);
  }
}

/** The message is printed once: a receiver that is down misses many events. */
function missed({ sequence }: ApiEvent): Parameters<Printer['say']>[0] {
  const after = sequence - 1;
  return {
    json: { warning: 'not_received', again: `--after ${after}` },
    text: `It is not sent again. Once your receiver runs, fetch it and what follows: listen … --after ${after}`,
  };
}

function ignore(): void {}

/** Returns undefined while the service is away, or wants less to be asked. */
async function readEvents(api: MerchantApi, after: number): Promise<ApiEvent[] | undefined> {
  const answer = await api.call('GET', `/events?limit=${PAGE}&after=${after}`).catch(orAway);
  if (answer === undefined || answer.json.error?.retryable === true) return undefined;
  accepted(answer);
  return rawItems(answer.text, 'events').map((body) => ({ ...JSON.parse(body), body }));
}

function orAway(error: unknown): undefined {
  if (error instanceof CommandError && error.code === 'no_answer') return undefined;
  throw error;
}

interface Forwarded {
  readonly status: number | null;
  /** Why there was no response. */
  readonly error: string | null;
  readonly duration_ms: number;
}

async function forward(
  { id, body }: ApiEvent,
  { url, secret }: Listening,
  stopping: AbortSignal,
): Promise<Forwarded> {
  const started = performance.now();
  const took = (): number => Math.round(performance.now() - started);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...sign(id, body, secret) },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([stopping, AbortSignal.timeout(RESPONSE_WITHIN_MS)]),
    });
    await response.body?.cancel();
    return { status: response.status, error: null, duration_ms: took() };
  } catch (error) {
    return { status: null, error: fetchFailure(error), duration_ms: took() };
  }
}

function forwardedJson(
  { id, type, sequence, created_at, data }: ApiEvent,
  forwarded: Forwarded,
): Record<string, JsonValue> {
  const { reference } = data;
  return { event_id: id, type, sequence, created_at, reference, ...forwarded };
}

function forwardedText(event: ApiEvent, { status, error, duration_ms }: Forwarded): string {
  const { created_at, type, sequence, id, data } = event;
  const amount = `${data.amount.toFixed(2)} ${data.currency}`;
  const result = status === null ? `no response: ${error}` : `${status} in ${duration_ms} ms`;
  return `${created_at.slice(11, 19)}  ${type}  #${sequence}  ${amount}  ${id}  →  ${result}`;
}
