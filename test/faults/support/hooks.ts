// The webhook endpoints of one experiment's merchants: a receiver in this process, which responds as
// the experiment says and keeps everything that it gets, checked at once.

import type { ServerResponse } from 'node:http';
import { ENVIRONMENTS, type Environment } from '../../../domain/environment';
import { isServiceSignature } from '../../../secrets/webhook-secret';
import {
  createTestEndpoint,
  isStandardWebhook,
  startReceiver,
  type ReceivedWebhook,
  type TestEndpoint,
} from '../../support/webhooks';
import type { System } from './cluster';
import type { FundedUser } from './users';
import type { Random } from './random';

export interface Secret {
  readonly secret: string;
  /** Epoch, ms. */
  readonly valid_from: number;
  valid_until: number;
}

/** One endpoint of one merchant. */
export interface Hook extends TestEndpoint {
  readonly path: string;
  /** All that it ever had. */
  readonly secrets: Secret[];
  /** Instead of what all others do. */
  answer: Answering | undefined;
  /** The experiment gave it up: nothing has to arrive any more. */
  is_given_up: boolean;
}

/** `reset`: the connection is broken. `none`: there is never a response. */
export interface HttpResponse {
  readonly status: number | 'reset' | 'none';
  readonly after_ms?: number;
}

export type Answering = () => HttpResponse;

export interface Reception {
  readonly hook: Hook;
  readonly event_id: string;
  readonly body: string;
  /** Epoch, ms. */
  readonly at: number;
  readonly answer: HttpResponse;
  is_answered: boolean;
  /** The fault of its signatures. */
  readonly fault: string | undefined;
}

export interface Hooks {
  /** One per merchant and environment, and those that were added. */
  readonly all: readonly Hook[];
  readonly receptions: readonly Reception[];
  /** The response of endpoints that have none of their own. */
  answer: Answering;
  add(whose: HookOptions): Promise<Hook>;
  close(): Promise<void>;
}

export interface HookOptions {
  readonly user: FundedUser;
  readonly environment?: Environment;
}

/** A request that was signed just before a secret ended may arrive just after. */
const SIGNED_BEFORE_MS = 2_000;

export const well: Answering = () => ({ status: 200 });

/** Well as a rule; sometimes failing, broken off, or later than others but within the time. */
export function moody(random: Random): Answering {
  return () => {
    const lot = random.next();
    if (lot < 0.04) return { status: 500 };
    if (lot < 0.06) return { status: 503 };
    if (lot < 0.09) return { status: 'reset' };
    if (lot < 0.13) return { status: 200, after_ms: random.integer(200, 1_200) };
    return { status: 200, after_ms: random.integer(0, 60) };
  };
}

export async function openHooks(
  { database }: Pick<System, 'database'>,
  users: readonly FundedUser[],
): Promise<Hooks> {
  const receiver = await startReceiver();
  const all: Hook[] = [];
  const receptions: Reception[] = [];
  const by_path = new Map<string, Hook>();
  const hooks: Hooks = {
    all,
    receptions,
    answer: well,
    async add({ user, environment = 'sandbox' }) {
      const path = `/hooks/${all.length + 1}`;
      const url = new URL(path, receiver.url).href;
      const endpoint = await createTestEndpoint(database, { user_id: user.id, environment, url });
      const hook: Hook = {
        ...endpoint,
        path,
        answer: undefined,
        is_given_up: false,
        secrets: [{ secret: endpoint.secret, valid_from: 0, valid_until: Infinity }],
      };
      all.push(hook);
      by_path.set(path, hook);
      return hook;
    },
    close: () => receiver.shut(),
  };
  receiver.answer = (webhook, response) => {
    const hook = by_path.get(webhook.path)!;
    const answer = (hook.answer ?? hooks.answer)();
    const reception = {
      hook,
      answer,
      body: webhook.body,
      at: Date.now(),
      is_answered: false,
      event_id: String(webhook.headers['webhook-id']),
      fault: findSignatureFault(webhook, hook),
    };
    receptions.push(reception);
    response.on('finish', () => {
      reception.is_answered = true;
    });
    giveAnswer(answer, response);
  };
  for (const user of users) {
    for (const environment of ENVIRONMENTS) await hooks.add({ user, environment });
  }
  return hooks;
}

function giveAnswer({ status, after_ms = 0 }: HttpResponse, response: ServerResponse): void {
  if (status === 'none') return;
  const give = (): void => {
    if (status === 'reset') {
      response.socket?.resetAndDestroy();
      return;
    }
    response.writeHead(status).end('noted');
  };
  if (after_ms === 0) give();
  else setTimeout(give, after_ms);
}

/** Verifies both kinds of headers, Standard Webhooks' by its library, with secrets valid now. */
function findSignatureFault(webhook: ReceivedWebhook, { secrets }: Hook): string | undefined {
  const now = Date.now();
  const valid = secrets.filter(
    (it) => it.valid_from <= now && now <= it.valid_until + SIGNED_BEFORE_MS,
  );
  const { headers, body, id } = webhook;
  if (headers['webhook-id'] !== id) return `webhook-id is ${String(headers['webhook-id'])}`;
  const own = [headers['x-service-signature'], headers['x-service-signature-next']];
  const isOurs = valid.some(({ secret }) =>
    own.some((header) => isServiceSignature(body, header, secret)),
  );
  const isStandard = valid.some(({ secret }) => isStandardWebhook(webhook, secret));
  if (isOurs && isStandard) return undefined;
  const old = secrets.find(({ secret }) => isStandardWebhook(webhook, secret));
  const ago = old ? `with a secret that ended ${now - old.valid_until} ms ago` : 'with no secret';
  return `X-Service-Signature ${isOurs}, webhook-signature ${isStandard}, signed ${ago}`;
}
