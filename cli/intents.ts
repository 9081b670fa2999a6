// Payment intents: listed over all merchants, looked at whole, and cancelled through their workflow.

import { listTimeline } from '../db/intents';
import {
  findOperatorIntent,
  listOperatorIntents,
  listSessions,
  listUnappliedNotifications,
  type OperatorIntent,
} from '../db/operator-intents';
import { intentWorkflowId, isUuid } from '../domain/ids';
import { parseInstant } from '../domain/instant';
import {
  INTENT_STATUSES,
  presentIntent,
  presentTimelineEntry,
  type IntentView,
  type StoredIntentStatus,
} from '../domain/intent';
import type { JsonValue } from '../domain/json';
import type { GatewayFault } from '../domain/payment';
import {
  CommandError,
  requireUser,
  table,
  type Command,
  type CommandContext,
  type CommandResult,
  type Options,
} from './command';
import {
  amountText,
  describeIntent,
  describeSessions,
  describeTimeline,
  describeUnapplied,
  describeWorkflow,
} from './intent-text';
import type { IntentResponse } from '../temporal/payment-intents';
import { lookAtWorkflow, withTemporal } from './temporal';

export const INTENT_NAME = 'ID_OR_CODE_OR_REFERENCE';

const STATUSES: readonly StoredIntentStatus[] = ['creating', 'abandoned', ...INTENT_STATUSES];
const DEFAULT_PAGE = 25;
const MAX_PAGE = 1_000;
/** Longer than the gateway's own deadline (8 s at most) and the workflow's way there and back. */
const CANCEL_WITHIN_MS = 15_000;

export const intentsList: Command = {
  usage: 'intents list [--user U] [--environment live|test] [--status S] [--limit N] [--cursor C]',
  summary: 'List payment intents, newest first, those included whose checkout never opened',
  options: ['user', 'environment', 'status', 'limit', 'cursor'],
  async run({ db, system, options }) {
    const username = options.optional('user');
    const user_id = username === undefined ? undefined : (await requireUser(db, username)).id;
    const isEverywhere = options.optional('environment') === undefined;
    const limit = options.count('limit', DEFAULT_PAGE, MAX_PAGE);
    const rows = await listOperatorIntents(db, {
      user_id,
      environment: isEverywhere ? undefined : options.environment(),
      status: readStatus(options.optional('status')),
      before: readCursor(options.optional('cursor')),
      // Whether one more is there tells if another page follows.
      limit: limit + 1,
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const next_cursor = rows.length > limit ? `${last!.created_at}/${last!.id}` : null;
    const lines = page.map((intent) => [
      intent.created_at,
      intent.status,
      amountText(intent.amount_minor, intent.currency),
      intent.environment,
      intent.username,
      intent.short_code,
      intent.reference,
    ]);
    const header = ['CREATED', 'STATUS', 'AMOUNT', 'ENVIRONMENT', 'MERCHANT', 'CODE', 'REFERENCE'];
    const more = next_cursor === null ? '' : `\nMore: --cursor ${next_cursor}`;
    return {
      json: { intents: page.map((intent) => present(intent, system.pay_url_base)), next_cursor },
      text: table([header, ...lines]) + more,
    };
  },
};

function readStatus(word: string | undefined): StoredIntentStatus | undefined {
  if (word === undefined) return undefined;
  const status = STATUSES.find((one) => one === word);
  if (status === undefined) {
    throw new CommandError('usage', `--status is one of ${STATUSES.join(', ')}`);
  }
  return status;
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** As `next_cursor` gives it, or any instant. */
function readCursor(text: string | undefined): { created_at: string; id: string } | undefined {
  if (text === undefined) return undefined;
  const [instant = '', id = FIRST_ID, ...rest] = text.split('/');
  const created_at = parseInstant(instant);
  if (created_at === undefined || !isUuid(id) || rest.length > 0) {
    throw new CommandError('usage', '--cursor is what the last list gave, or an ISO 8601 instant');
  }
  return { created_at, id };
}

export const intentsShow: Command = {
  usage: `intents show ${INTENT_NAME}`,
  summary: 'Show a payment intent, its sessions, its timeline and its workflow',
  argument: INTENT_NAME,
  options: [],
  async run(context) {
    const { db, system, options } = context;
    const intent = await requireIntent(context, options.argument);
    const [sessions, timeline, unapplied, workflow] = [
      await listSessions(db, intent.id),
      await listTimeline(db, intent.id),
      await listUnappliedNotifications(db, intent),
      await lookAtWorkflow(context, intentWorkflowId(intent.environment, intent.id)),
    ];
    const shown = present(intent, system.pay_url_base);
    return {
      json: {
        intent: shown,
        sessions: sessions.map((session) => ({ ...session })),
        timeline: timeline.map(presentTimelineEntry),
        unapplied_notifications: unapplied.map((notification) => ({ ...notification })),
        workflow: { ...workflow },
      },
      text: [
        describeIntent(intent, shown),
        describeSessions(sessions),
        describeTimeline(timeline),
        ...(unapplied.length === 0 ? [] : [describeUnapplied(unapplied)]),
        describeWorkflow(workflow),
      ].join('\n\n'),
    };
  },
};

export const intentsCancel: Command = {
  usage: `intents cancel ${INTENT_NAME}`,
  summary: 'Cancel an open payment intent; its checkout is closed at the gateway first',
  argument: INTENT_NAME,
  options: [],
  async run(context) {
    const intent = await requireIntent(context, context.options.argument);
    if (intent.status === 'canceled') return canceled(intent);
    if (intent.status !== 'open') throw notCancelable(intent);
    const { cancelIntent } = await import('../temporal/payment-intents.js');
    const response = await withTemporal(context, (client) =>
      cancelIntent(client, intent, Date.now() + CANCEL_WITHIN_MS),
    );
    // The row decides, not what the workflow said.
    const after = await requireIntent(context, intent.id);
    if (after.status === 'canceled') return canceled(after);
    if (after.status !== 'open') throw notCancelable(after);
    throw stillOpen(response);
  },
};

const FAULTS: Readonly<Record<GatewayFault, string>> = {
  refused: 'refused to close its checkout',
  unreachable: 'could not be asked to close its checkout',
  timeout: 'did not close its checkout in time',
};

function stillOpen(response: IntentResponse): CommandError {
  if (response === 'not_running') {
    return new CommandError(
      'workflow_not_found',
      'Temporal runs no workflow for this intent. docs/operations.md says how to start it again',
    );
  }
  if (response === undefined) {
    return new CommandError(
      'no_answer',
      `No worker answered within ${CANCEL_WITHIN_MS / 1000} s. It may be cancelled yet: intents show tells`,
    );
  }
  const { fault } = response;
  return fault === undefined
    ? new CommandError('still_open', 'It is still open: a payment may be under way')
    : new CommandError(`gateway_${fault}`, `It is still open: the gateway ${FAULTS[fault]}`);
}

function notCancelable({ status }: OperatorIntent): CommandError {
  return new CommandError(
    'intent_not_cancelable',
    `This payment intent is ${status} and cannot be cancelled`,
  );
}

function canceled({ id, reference, status, canceled_at }: OperatorIntent): CommandResult {
  return {
    json: { id, reference, status, canceled_at },
    text: `Cancelled ${reference} at ${canceled_at}.`,
  };
}

export async function requireIntent(
  { db }: { readonly db: CommandContext['db'] },
  name: ReturnType<Options['required']>,
): Promise<OperatorIntent> {
  const intent = await findOperatorIntent(db, name);
  if (!intent) {
    throw new CommandError('payment_intent_not_found', `There is no payment intent ${name}`);
  }
  return intent;
}

/** What callers see of it, and beside it what operators need to find it elsewhere. */
function present(intent: OperatorIntent, pay_url_base: string): Record<string, JsonValue> {
  return {
    // The same shape before the checkout is open: its address is null then.
    ...presentIntent(intent as IntentView, pay_url_base),
    expired_at: intent.expired_at,
    username: intent.username,
    gateway: intent.gateway,
    idempotency_key: intent.idempotency_key,
    request_id: intent.request_id,
  };
}
