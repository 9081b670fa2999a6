// Webhook endpoints of any merchant: created, listed, shown, changed, deleted and tested.

import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  sendTestEvent,
} from '../use-cases/webhook-endpoints';
import { countUndelivered, listOperatorEndpoints } from '../db/operator-webhooks';
import { readBacklog } from '../db/webhook-backlog';
import { EVENT_TYPES, type EventType } from '../domain/event';
import { webhookWorkflowId } from '../domain/ids';
import { ENDPOINT_STATUSES, type EndpointStatus } from '../domain/webhook';
import type { Command } from './command';
import { CommandError } from './error';
import { requireEndpoint, requireUser } from './lookups';
import type { Options } from './options';
import { readWorkflowState } from './temporal';
import { policyOf, sealerOf } from './webhook-dependencies';
import { refusal } from './webhook-refusals';
import { auditOf, ownerOf } from './audit-entry';
import { listText, presentEndpoint, presentState, stateText } from './webhook-text';
import { wakeEndpoints, wakeText } from './webhook-wakeup';

const MAX_PER_SECOND = 10_000;
const MAX_DESCRIPTION = 500;

const webhooksCreate: Command = {
  usage:
    'webhooks create --user U --environment live|test --url URL [--types a,b] [--description D] [--max-per-second N]',
  summary: 'Create a webhook endpoint and show its secret, once',
  async run(context) {
    const { db, options } = context;
    const user = await requireUser(db, options.required('user'));
    const environment = options.environment();
    const audit = auditOf(context, 'webhooks.create', { username: user.username, environment });
    const dependencies = { db, sealer: sealerOf(context), policy: policyOf(context), audit };
    const owner = { user_id: user.id, environment };
    const created = await createEndpoint(dependencies, owner, {
      url: options.required('url'),
      types: readTypes(options),
      description: readDescription(options) ?? null,
      max_per_second: readLimit(options) ?? null,
    });
    if (!created.ok) throw refusal(created);
    const { secret } = created;
    const endpoint = await requireEndpoint(db, created.endpoint.id);
    return {
      json: { ...presentEndpoint(endpoint), secret },
      text: `${secret}\nShown once; it signs what is sent to ${endpoint.url}. The endpoint's id is ${endpoint.id}.`,
    };
  },
};

const webhooksList: Command = {
  usage: 'webhooks list --user U [--environment live|test]',
  summary: "List a merchant's webhook endpoints, without their secrets",
  async run({ db, options }) {
    const { id } = await requireUser(db, options.required('user'));
    const endpoints = await listOperatorEndpoints(db, id, options.environments());
    return {
      json: { webhook_endpoints: endpoints.map(presentEndpoint) },
      text: listText(endpoints),
    };
  },
};

const webhooksShow: Command = {
  usage: 'webhooks show ID',
  summary: 'Show a webhook endpoint, its pending deliveries, last failure and workflow',
  async run(context) {
    const { db, options } = context;
    const endpoint = await requireEndpoint(db, options.argument);
    const state = {
      endpoint,
      backlog: await readBacklog(db, endpoint.id),
      undelivered: await countUndelivered(db, endpoint),
      workflow: await readWorkflowState(context, webhookWorkflowId(endpoint.id)),
    };
    return { json: presentState(state), text: stateText(state) };
  },
};

const CHANGES = ['url', 'types', 'description', 'max-per-second', 'status'] as const;

const webhooksUpdate: Command = {
  usage:
    'webhooks update --id ID [--url URL] [--types a,b] [--description D|none] [--max-per-second N|none] [--status enabled|disabled]',
  summary: 'Change a webhook endpoint; enabling it sends its held deliveries',
  async run(context) {
    const { db, options } = context;
    const endpoint = await requireEndpoint(db, options.required('id'));
    if (CHANGES.every((name) => options.optional(name) === undefined)) {
      throw new CommandError('usage', `Say what to change: --${CHANGES.join(', --')}`);
    }
    const status = readStatus(options);
    const changes = CHANGES.filter((name) => options.optional(name) !== undefined);
    // The names only: a URL may contain a token.
    const audit = auditOf(context, 'webhooks.update', {
      ...ownerOf(endpoint),
      ...{ changes, status: status ?? null },
    });
    const dependencies = { db, policy: policyOf(context), audit };
    const changed = await changeEndpoint(dependencies, endpoint, endpoint.id, {
      url: options.optional('url'),
      types: readTypes(options),
      description: readDescription(options),
      max_per_second: readLimit(options),
      ...(status && { status }),
    });
    if (!changed.ok) throw refusal(changed, endpoint.id);
    const woken = await wakeEndpoints(context, changed.wake);
    const now = await requireEndpoint(db, endpoint.id);
    return {
      json: { ...presentEndpoint(now), woken },
      text: `${listText([now])}${wakeText(woken)}`,
    };
  },
};

const webhooksDelete: Command = {
  usage: 'webhooks delete --id ID',
  summary: 'Delete a webhook endpoint and discard its pending deliveries',
  async run(context) {
    const { db, options } = context;
    const endpoint = await requireEndpoint(db, options.required('id'));
    const audit = auditOf(context, 'webhooks.delete', ownerOf(endpoint));
    const deleted = await deleteEndpoint({ db, audit }, endpoint, endpoint.id);
    if (!deleted.ok) throw refusal(deleted, endpoint.id);
    const { id, url } = endpoint;
    const woken = await wakeEndpoints(context, deleted.wake);
    return {
      json: { id, deleted: true },
      text: `Deleted ${id}, which was at ${url}.${wakeText(woken)}`,
    };
  },
};

const webhooksTest: Command = {
  usage: 'webhooks test --id ID [--type payment.succeeded|payment.failed|payment.expired]',
  summary: 'Send a test event to a webhook endpoint, even of a type it has not subscribed to',
  async run(context) {
    const { db, system, options } = context;
    const endpoint = await requireEndpoint(db, options.required('id'));
    const sent = await sendTestEvent(
      {
        db,
        pay_url_base: system.pay_url_base,
        audit: auditOf(context, 'webhooks.test', ownerOf(endpoint)),
      },
      endpoint,
      endpoint.id,
      readType(options.optional('type') ?? 'payment.succeeded'),
    );
    if (!sent.ok) throw refusal(sent, endpoint.id);
    const { event_id, delivery_id } = sent;
    const woken = await wakeEndpoints(context, sent.wake);
    return {
      json: { event_id, delivery_id, woken },
      text: `Test event ${event_id} is queued for ${endpoint.url}. To see its delivery: events show ${event_id}${wakeText(woken)}`,
    };
  },
};

function readTypes(options: Options): readonly EventType[] | undefined {
  const words = options.optional('types')?.split(',');
  return words && [...new Set(words.map((word) => readType(word, 'types')))];
}

function readType(word: string, option = 'type'): EventType {
  const type = EVENT_TYPES.find((one) => one === word.trim());
  if (!type) throw new CommandError('usage', `--${option}: choose among ${EVENT_TYPES.join(', ')}`);
  return type;
}

/** `none` removes it. */
function readDescription(options: Options): string | null | undefined {
  const text = options.optional('description');
  if (text === undefined) return undefined;
  if (text === 'none' || text === '') return null;
  if (text.length > MAX_DESCRIPTION) {
    throw new CommandError(
      'usage',
      `--description must have at most ${MAX_DESCRIPTION} characters`,
    );
  }
  return text;
}

function readLimit(options: Options): number | null | undefined {
  const text = options.optional('max-per-second');
  if (text === undefined) return undefined;
  if (text === 'none') return null;
  return options.count('max-per-second', MAX_PER_SECOND, MAX_PER_SECOND);
}

function readStatus(options: Options): EndpointStatus | undefined {
  const word = options.optional('status');
  const status = ENDPOINT_STATUSES.find((one) => one === word);
  if (word !== undefined && !status) {
    throw new CommandError('usage', `--status must be ${ENDPOINT_STATUSES.join(' or ')}`);
  }
  return status;
}

export const webhookEndpointCommands = [
  webhooksCreate,
  webhooksList,
  webhooksShow,
  webhooksUpdate,
  webhooksDelete,
  webhooksTest,
];
