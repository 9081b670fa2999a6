// `listen`: forwards new events to a receiver on the developer's machine, signed as the service
// signs. It only reads the database: no endpoint is registered, and nothing must reach this machine
// from outside.

import { Option } from '@commander-js/extra-typings';
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../db/connect';
import { isDatabaseUnavailable } from '../../db/errors';
import {
  lastSequence,
  listOperatorEvents,
  type OperatorEvent,
} from '../../db/webhooks/operator-webhooks';
import type { Environment } from '../../domain/environment';
import type { JsonValue } from '../../domain/json';
import { makeWebhookSecret, signWebhook } from '../../secrets/webhook-secret';
import { stopSignal } from '../../bin/process';
import { command, run } from '../command';
import { environmentFilter, readReceiver } from '../options';
import { readSecretInput, secretFromStdin, secretInPlain } from '../secret-input';
import type { CommandContext } from '../context';
import { CommandError, fetchFailure } from '../error';
import { followDatabase, type FollowedDatabase } from '../followed-database';
import { amountText } from '../intent-text';
import { requireUser } from '../lookups';

/** The pause between two polls for new events is short enough for a person, and cheap. */
const POLL_MS = 300;
const PAGE = 100;
const RESPONSE_WITHIN_MS = 15_000;

export const listen = command(
  'listen',
  'Forward new events, signed, to your own receiver until Ctrl-C',
)
  .requiredOption('--forward-to <url>', 'the address of your receiver', readReceiver('forward-to'))
  .option('--user <username>', 'whose events (otherwise those of the demo merchant)')
  .addOption(environmentFilter)
  .addOption(
    new Option('--after <now|n>', 'from now on, or after this sequence number')
      .argParser(readAfter)
      .default<bigint | 'now'>('now'),
  )
  .addOption(secretFromStdin('secret', 'the secret'))
  .addOption(secretInPlain('secret'))
  .action(
    run(async (context, options) => {
      const stopping = new AbortController();
      void stopSignal().then(() => stopping.abort());
      const listening = await readListening(context, options);
      const { url, secret, username, environment, after } = listening;
      // A secret that was given is known, and not shown again.
      const is_new = !options.secretStdin && options.secret === undefined;
      context.say({
        json: {
          listening: {
            user: username,
            environment,
            forward_to: url,
            after: Number(after),
            ...(is_new ? { secret } : {}),
          },
        },
        text: `Events of ${username} (${environment}) go to ${url}, signed with ${is_new ? secret : 'the given secret'}\nPress Ctrl-C to stop.`,
      });
      await forwardAll(context, listening, stopping.signal);
      return null;
    }),
  );

interface Listening {
  readonly url: string;
  readonly secret: string;
  readonly user_id: string;
  readonly username: string;
  readonly environment: Environment;
  readonly after: bigint;
}

interface Given {
  readonly forwardTo: string;
  readonly user?: string;
  readonly environment?: Environment;
  readonly after: bigint | 'now';
  readonly secretStdin?: true;
  readonly secret?: string;
}

async function readListening(context: CommandContext, given: Given): Promise<Listening> {
  const { db, system } = context;
  const { forwardTo: url, environment = 'sandbox' } = given;
  const named = given.user ?? system.demo?.users?.[0]?.username;
  if (named === undefined) throw new CommandError('usage', '--user is required');
  const { id: user_id, username } = await requireUser(db, named);
  const after = given.after === 'now' ? await lastSequence(db, user_id, environment) : given.after;
  const read = { from_stdin: given.secretStdin, in_plain: given.secret };
  const secret = checkSecret(await readSecretInput(context, 'secret', read));
  return { url, secret, user_id, username, environment, after };
}

function readAfter(text: string): bigint | 'now' {
  if (text === 'now') return text;
  if (/^\d{1,18}$/.test(text)) return BigInt(text);
  throw new CommandError('usage', '--after must be now, or the sequence number of an event');
}

function checkSecret(given: string | undefined): string {
  if (given === undefined) return makeWebhookSecret();
  try {
    sign('try', '', given);
  } catch {
    // Signing fails only for a malformed secret.
    throw new CommandError('usage', 'The secret must be whsec_ and base64 of at least 24 bytes');
  }
  return given;
}

function sign(id: string, body: string, secret: string): Readonly<Record<string, string>> {
  const timestamp = Math.floor(Date.now() / 1_000);
  return signWebhook({ id, timestamp, body, secret, previous_secret: null });
}

/** Forwards one event at a time, so that they arrive in order. */
async function forwardAll(
  context: CommandContext,
  listening: Listening,
  stopping: AbortSignal,
): Promise<void> {
  const database = followDatabase(context);
  try {
    await forwardFrom(database, context, listening, stopping);
  } finally {
    await database.close();
  }
}

async function forwardFrom(
  database: FollowedDatabase,
  context: CommandContext,
  listening: Listening,
  stopping: AbortSignal,
): Promise<void> {
  let { after } = listening;
  let is_away = false;
  let is_missed = false;
  while (!stopping.aborted) {
    if (is_away) await database.lookAgain();
    const events = await readEvents(database.db(), { ...listening, after });
    if (events === undefined && !is_away) {
      context.say({
        json: { warning: 'database_unreachable' },
        text: 'The database cannot be reached. Retrying …',
      });
    }
    is_away = events === undefined;
    for (const event of events ?? []) {
      const forwarded = await forward(event, listening, stopping);
      if (stopping.aborted) return;
      context.say({ json: forwardedJson(event, forwarded), text: forwardedText(event, forwarded) });
      if (forwarded.status === null && !is_missed) {
        is_missed = true;
        context.say(missed(event));
      }
      after = event.sequence;
    }
    if (events?.length !== PAGE)
      await delay(POLL_MS, undefined, { signal: stopping }).catch(ignore);
  }
}

/** The message is printed once: a receiver that is down misses many events. */
function missed({ sequence }: OperatorEvent): Parameters<CommandContext['say']>[0] {
  const after = (sequence - 1n).toString();
  return {
    json: { warning: 'not_received', again: `--after ${after}` },
    text: `It is not sent again. Once your receiver runs, fetch it and what follows: listen … --after ${after}`,
  };
}

function ignore(): void {}

/** Returns undefined while Postgres is away. */
async function readEvents(
  db: Db,
  { user_id, environment, after }: Listening,
): Promise<readonly OperatorEvent[] | undefined> {
  try {
    return await listOperatorEvents(db, { user_id, environment, after, limit: PAGE });
  } catch (error) {
    if (isDatabaseUnavailable(error)) return undefined;
    throw error;
  }
}

interface Forwarded {
  readonly status: number | null;
  /** Why there was no response. */
  readonly error: string | null;
  readonly duration_ms: number;
}

async function forward(
  { id, body }: OperatorEvent,
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
  { id, type, sequence, created_at, reference }: OperatorEvent,
  forwarded: Forwarded,
): Record<string, JsonValue> {
  return {
    event_id: id,
    type,
    sequence: Number(sequence),
    created_at,
    reference,
    ...forwarded,
  };
}

function forwardedText(event: OperatorEvent, { status, error, duration_ms }: Forwarded): string {
  const { created_at, type, sequence, id, amount_minor, currency } = event;
  const amount = amount_minor === null ? '' : `${amountText(amount_minor, currency!)}  `;
  const result = status === null ? `no response: ${error}` : `${status} in ${duration_ms} ms`;
  return `${created_at.slice(11, 19)}  ${type}  #${sequence}  ${amount}${id}  →  ${result}`;
}
