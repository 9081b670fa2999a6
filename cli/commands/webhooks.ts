// Webhook endpoints of any merchant: created, listed, shown, changed, deleted and tested.

import { Option } from '@commander-js/extra-typings';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  sendTestEvent,
} from '../../use-cases/webhook-endpoints';
import { listFailingEndpoints } from '../../db/operators/operators';
import { countUndelivered, listOperatorEndpoints } from '../../db/webhooks/operator-webhooks';
import { readBacklog } from '../../db/webhooks/webhook-backlog';
import { EVENT_TYPES, type EventType } from '../../domain/event';
import { ENDPOINT_STATUSES } from '../../domain/webhook';
import { command, group, run } from '../command';
import {
  count,
  environmentFilter,
  environmentOption,
  environmentsOf,
  limitOption,
  shortText,
  userOption,
  wordOption,
} from '../options';
import { CommandError } from '../error';
import { requireEndpoint, requireUser } from '../lookups';
import { policyOf, sealerOf } from '../webhook-dependencies';
import { refusal } from '../webhook-refusals';
import { webhooksResend } from './webhooks-resend';
import { webhooksReseal, webhooksRotateSecret } from './webhooks-secrets';
import { auditOf, ownerOf } from '../audit-entry';
import { failingText, listText, presentEndpoint, presentState, stateText } from '../webhook-text';

const MAX_PER_SECOND = 10_000;
const MAX_DESCRIPTION = 500;

const typesOption = new Option(
  '--types <types>',
  'of events, with commas (otherwise those of payments)',
).argParser(readTypes);
const descriptionOption = new Option('--description <text>', 'what it is for, or none').argParser(
  readDescription,
);
const rateOption = new Option('--max-per-second <n>', 'deliveries at most, or none').argParser(
  readRate,
);

const CHANGES = ['url', 'types', 'description', 'max-per-second', 'status'] as const;

function readTypes(text: string): readonly EventType[] {
  return [...new Set(text.split(',').map((word) => readType(word, 'types')))];
}

function readType(word: string, option: string): EventType {
  const type = EVENT_TYPES.find((one) => one === word.trim());
  if (!type) throw new CommandError('usage', `--${option}: choose among ${EVENT_TYPES.join(', ')}`);
  return type;
}

// Commander would read null as an empty text.
const NONE = 'none';

function readDescription(text: string): string {
  return shortText('description', MAX_DESCRIPTION)(text) || NONE;
}

function readRate(text: string): number | typeof NONE {
  return text === NONE ? NONE : count('max-per-second', MAX_PER_SECOND)(text);
}

/** Reads `none`, which removes a value, as null. */
function orNull<Value>(value: Value): Exclude<Value, typeof NONE> | null {
  return value === NONE ? null : (value as Exclude<Value, typeof NONE>);
}

export const webhooks = group([
  command('create', 'Create a webhook endpoint and show its secret, once')
    .addOption(userOption)
    .addOption(environmentOption)
    .requiredOption('--url <url>', 'the address')
    .addOption(typesOption)
    .addOption(descriptionOption)
    .addOption(rateOption)
    .action(
      run(async (context, options) => {
        const { db } = context;
        const user = await requireUser(db, options.user);
        const { environment } = options;
        const audit = auditOf(context, 'webhooks.create', { username: user.username, environment });
        const dependencies = { db, sealer: sealerOf(context), policy: policyOf(context), audit };
        const owner = { user_id: user.id, environment };
        const created = await createEndpoint(dependencies, owner, {
          url: options.url,
          types: options.types,
          description: orNull(options.description) ?? null,
          max_per_second: orNull(options.maxPerSecond) ?? null,
        });
        if (!created.ok) throw refusal(created);
        const { secret } = created;
        const endpoint = await requireEndpoint(db, created.endpoint.id);
        return {
          json: { ...presentEndpoint(endpoint), secret },
          text: `${secret}\nShown once; it signs what is sent to ${endpoint.url}. The endpoint's id is ${endpoint.id}.`,
        };
      }),
    ),
  command('list', "List a merchant's webhook endpoints, without their secrets")
    .addOption(userOption)
    .addOption(environmentFilter)
    .action(
      run(async ({ db }, options) => {
        const { id } = await requireUser(db, options.user);
        const endpoints = await listOperatorEndpoints(db, id, environmentsOf(options.environment));
        return {
          json: { webhook_endpoints: endpoints.map(presentEndpoint) },
          text: listText(endpoints),
        };
      }),
    ),
  command(
    'failing',
    'List the webhook endpoints of all merchants that fail, those that fail for longest first',
  )
    .addOption(limitOption)
    .action(
      run(async ({ db }, { limit }) => {
        const endpoints = await listFailingEndpoints(db, limit);
        return {
          json: {
            webhook_endpoints: endpoints.map(({ last_failure, ...one }) => ({
              ...one,
              last_failure: last_failure && { ...last_failure },
            })),
          },
          text: endpoints.length === 0 ? 'No endpoint fails.' : failingText(endpoints),
        };
      }),
    ),
  command('show', 'Show a webhook endpoint, its pending deliveries and last failure')
    .argument('<id>', 'of the endpoint')
    .action(
      run(async ({ db }, id) => {
        const endpoint = await requireEndpoint(db, id);
        const state = {
          endpoint,
          backlog: await readBacklog(db, endpoint.id),
          undelivered: await countUndelivered(db, endpoint),
        };
        return { json: presentState(state), text: stateText(state) };
      }),
    ),
  command('update', 'Change a webhook endpoint; enabling it sends its held deliveries')
    .argument('<id>', 'of the endpoint')
    .option('--url <url>', 'the address')
    .addOption(typesOption)
    .addOption(descriptionOption)
    .addOption(rateOption)
    .addOption(wordOption('--status <status>', 'the new state', ENDPOINT_STATUSES))
    .action(
      run(async (context, id, options) => {
        const { db } = context;
        const endpoint = await requireEndpoint(db, id);
        const { status } = options;
        const changes = CHANGES.filter(
          (name) => options[name === 'max-per-second' ? 'maxPerSecond' : name] !== undefined,
        );
        if (changes.length === 0) {
          throw new CommandError('usage', `Say what to change: --${CHANGES.join(', --')}`);
        }
        // The row has only the names of the fields: a URL may contain a token.
        const audit = auditOf(context, 'webhooks.update', {
          ...ownerOf(endpoint),
          changes,
          status: status ?? null,
        });
        const dependencies = { db, policy: policyOf(context), audit };
        const changed = await changeEndpoint(dependencies, endpoint, endpoint.id, {
          url: options.url,
          types: options.types,
          description: orNull(options.description),
          max_per_second: orNull(options.maxPerSecond),
          ...(status && { status }),
        });
        if (!changed.ok) throw refusal(changed, endpoint.id);
        const now = await requireEndpoint(db, endpoint.id);
        return {
          json: presentEndpoint(now),
          text: listText([now]),
        };
      }),
    ),
  command('delete', 'Delete a webhook endpoint and discard its pending deliveries')
    .argument('<id>', 'of the endpoint')
    .action(
      run(async (context, id) => {
        const { db } = context;
        const endpoint = await requireEndpoint(db, id);
        const audit = auditOf(context, 'webhooks.delete', ownerOf(endpoint));
        const deleted = await deleteEndpoint({ db, audit }, endpoint, endpoint.id);
        if (!deleted.ok) throw refusal(deleted, endpoint.id);
        const { url } = endpoint;
        return {
          json: { id, deleted: true },
          text: `Deleted ${id}, which was at ${url}.`,
        };
      }),
    ),
  command(
    'test',
    'Send a test event to a webhook endpoint, even of a type it has not subscribed to',
  )
    .argument('<id>', 'of the endpoint')
    .option('--type <type>', 'of the event', (text) => readType(text, 'type'))
    .action(
      run(async (context, id, options) => {
        const { db, system } = context;
        const endpoint = await requireEndpoint(db, id);
        const sent = await sendTestEvent(
          {
            db,
            pay_url_base: system.pay_url_base,
            audit: auditOf(context, 'webhooks.test', ownerOf(endpoint)),
          },
          endpoint,
          endpoint.id,
          options.type ?? 'payment.succeeded',
        );
        if (!sent.ok) throw refusal(sent, endpoint.id);
        const { event_id, delivery_id } = sent;
        return {
          json: { event_id, delivery_id },
          text: `Test event ${event_id} is queued for ${endpoint.url}. To see its delivery: events show ${event_id}`,
        };
      }),
    ),
  webhooksResend,
  webhooksRotateSecret,
  webhooksReseal,
]);
