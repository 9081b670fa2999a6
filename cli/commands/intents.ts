// Payment intents of all merchants: listed, shown and cancelled.

import type { Client } from '@temporalio/client';
import { findIntentToRun } from '../../db/payment-intents/intents';
import { listTimeline } from '../../db/payment-intents/intent-views';
import {
  listOperatorIntents,
  listSessions,
  listUnappliedNotifications,
  type OperatorIntent,
} from '../../db/payment-intents/operator-intents';
import { listOperatorRefunds } from '../../db/refunds/operator-refunds';
import type { GatewayFault } from '../../domain/gateway-error';
import { intentWorkflowId, isUuid, NIL_UUID } from '../../domain/ids';
import { parseInstant } from '../../domain/instant';
import {
  INTENT_STATUSES,
  presentTimelineEntry,
  type StoredIntentStatus,
} from '../../domain/intent';
import { Decimal, renderJson } from '../../domain/json';
import { formatAmount } from '../../domain/money';
import type { IntentResponse } from '../../temporal/payment-intents';
import { cancelIntent } from '../../use-cases/payment-intents/close';
import { addAuditRowOf } from '../audit-entry';
import { command, group, run } from '../command';
import {
  count,
  currencyOption,
  environmentFilter,
  limitOption,
  readAmount,
  userFilter,
  wordOption,
} from '../options';
import { listedPage } from '../page';
import { secretFromStdin, secretInPlain } from '../secret-input';
import type { CommandContext, CommandResult } from '../context';
import { CommandError } from '../error';
import {
  amountText,
  describeIntent,
  describeSessions,
  describeTimeline,
  describeUnapplied,
  describeWorkflow,
  presentForOperator,
} from '../intent-text';
import { INTENT_ARGUMENT, requireIntent, requireUser } from '../lookups';
import { accepted, merchantApi, requireKey } from '../merchant-api';
import { presentForOperator as presentRefund, refundTable } from '../refund-text';
import { table } from '../table';
import { isOutOfTime, readWorkflowState, withTemporal } from '../temporal';
import { workflowMessagesOf } from '../workflow-messages';

const STATUSES: readonly StoredIntentStatus[] = ['creating', 'abandoned', ...INTENT_STATUSES];
/** The gateway's own deadline (at most 8 s) and the round trip through the workflow are shorter. */
const CANCEL_WITHIN_MS = 15_000;
const MAX_REFUNDS = 1_000;

/** Reads the `next_cursor` of a list, or any instant. */
function readCursor(text: string): { created_at: string; id: string } {
  const [instant = '', id = NIL_UUID, ...rest] = text.split('/');
  const created_at = parseInstant(instant);
  if (created_at === undefined || !isUuid(id) || rest.length > 0) {
    throw new CommandError(
      'usage',
      '--cursor must be the cursor that the last list returned, or an ISO 8601 instant',
    );
  }
  return { created_at, id };
}

/** The API accepts at most 30 days. */
const MAX_EXPIRES_IN = 2_592_000;

/** Asks on the given connection, or on a new one. */
export async function requestCancel(
  context: CommandContext,
  intent: OperatorIntent,
  client?: Client,
): Promise<IntentResponse> {
  const { cancelIntent: send } = await import('../../temporal/payment-intents.js');
  const workflow_messages = workflowMessagesOf(context);
  const { db } = context;
  const { task_queue } = context.config;
  const findIntent = (id: string) => findIntentToRun(db, id);
  const sendOn = async (connected: Client): Promise<IntentResponse> => {
    const { environment, username, reference } = intent;
    const subject = `payment_intent/${intent.id}`;
    await addAuditRowOf(context, 'intents.cancel', subject, { username, environment, reference });
    const dependencies = { client: connected, task_queue, findIntent, workflow_messages };
    return send(dependencies, intent, Date.now() + CANCEL_WITHIN_MS);
  };
  try {
    return await (client ? sendOn(client) : withTemporal(context, sendOn));
  } catch (error) {
    if (isOutOfTime(error)) return undefined;
    throw error;
  }
}

const FAULTS: Readonly<Record<GatewayFault, string>> = {
  refused: 'refused to close its checkout',
  unreachable: 'could not be reached to close its checkout',
  timeout: 'did not close its checkout in time',
};

export function stillOpen(response: IntentResponse): CommandError {
  if (response === 'not_running') {
    return new CommandError(
      'workflow_not_found',
      'No workflow of this intent is running: it has just come to its end. Check with intents show',
    );
  }
  if (response === undefined) {
    return new CommandError(
      'no_answer',
      `No worker responded within ${CANCEL_WITHIN_MS / 1000} s. The intent may still be cancelled: check with intents show`,
    );
  }
  const { fault } = response;
  return fault === undefined
    ? new CommandError('still_open', 'It is still open: a payment may be in progress')
    : new CommandError(`gateway_${fault}`, `It is still open: the gateway ${FAULTS[fault]}`);
}

function canceled({ id, reference, status, canceled_at }: OperatorIntent): CommandResult {
  return {
    json: { id, reference, status, canceled_at },
    text: `Cancelled ${reference} at ${canceled_at}.`,
  };
}

export const intents = group([
  command('create', 'Make a payment link by the API, with a key of the merchant')
    .requiredOption('--amount <amount>', 'such as 25.00')
    .addOption(currencyOption)
    .option('--description <description>', 'what customers see')
    .option('--customer-email <email>', 'the customer')
    .option('--return-url <url>', 'where customers go after they paid')
    .option('--cancel-url <url>', 'where customers go who give up')
    .option('--expires-in <seconds>', 'until it expires', count('expires-in', MAX_EXPIRES_IN))
    .addOption(secretFromStdin('key', 'the key'))
    .addOption(secretInPlain('key'))
    .action(
      run(async (context, options) => {
        const { currency } = options;
        const body = renderJson({
          amount: new Decimal(formatAmount(readAmount(options.amount, currency))),
          currency,
          description: options.description,
          customer_email: options.customerEmail,
          return_url: options.returnUrl,
          cancel_url: options.cancelUrl,
          expires_in: options.expiresIn,
        });
        const { demo } = context.system;
        const key = await requireKey(context, options, demo);
        const { PREFIX } = await import('../../http/prefix.js');
        const api = merchantApi(demo?.base_url ?? context.config.public_url + PREFIX, key);
        const { ok: _, ...intent } = accepted(await api.call('POST', '/payment-intents', body));
        const { reference, pay_url, expires_at } = intent;
        return { json: intent, text: `${reference}: ${pay_url}\nValid until ${expires_at}.` };
      }),
    ),
  command('list', 'List payment intents, newest first, including those whose checkout never opened')
    .addOption(userFilter)
    .addOption(environmentFilter)
    .addOption(wordOption('--status <status>', 'in this state only', STATUSES))
    .addOption(limitOption)
    .option('--cursor <cursor>', 'the next page', readCursor)
    .action(
      run(async ({ db, system }, options) => {
        const username = options.user;
        const user_id = username === undefined ? undefined : (await requireUser(db, username)).id;
        const { environment, status, cursor: before, limit } = options;
        const rows = await listOperatorIntents(db, {
          user_id,
          environment,
          status,
          before,
          pay_url_base: system.pay_url_base,
          limit: limit + 1,
        });
        const cursorOf = ({ created_at, id }: OperatorIntent) => `${created_at}/${id}`;
        const { rows: page, next_cursor, more } = listedPage(rows, limit, cursorOf);
        const lines = page.map((intent) => [
          intent.created_at,
          intent.status,
          amountText(intent.amount_minor, intent.currency),
          intent.environment,
          intent.username,
          intent.short_code,
          intent.reference,
        ]);
        const header = [
          'CREATED',
          'STATUS',
          'AMOUNT',
          'ENVIRONMENT',
          'MERCHANT',
          'CODE',
          'REFERENCE',
        ];
        return {
          json: { intents: page.map(presentForOperator), next_cursor },
          text: table([header, ...lines]) + more,
        };
      }),
    ),
  command('show', 'Show a payment intent, its sessions, its timeline and its workflow')
    .argument(INTENT_ARGUMENT, 'of the payment link')
    .action(
      run(async (context, name) => {
        const { db } = context;
        const intent = await requireIntent(context, name);
        const [sessions, timeline, refunds, unapplied, workflow] = [
          await listSessions(db, intent.id),
          await listTimeline(db, intent.id),
          await listOperatorRefunds(db, { intent_id: intent.id }, MAX_REFUNDS),
          await listUnappliedNotifications(db, intent),
          await readWorkflowState(context, intentWorkflowId(intent.environment, intent.id)),
        ];
        return {
          json: {
            intent: presentForOperator(intent),
            sessions: sessions.map((session) => ({ ...session })),
            timeline: timeline.map(presentTimelineEntry),
            refunds: refunds.map(presentRefund),
            unapplied_notifications: unapplied.map((notification) => ({ ...notification })),
            workflow: { ...workflow },
          },
          text: [
            describeIntent(intent),
            describeSessions(sessions),
            describeTimeline(timeline),
            ...(refunds.length === 0 ? [] : [refundTable(refunds)]),
            ...(unapplied.length === 0 ? [] : [describeUnapplied(unapplied)]),
            describeWorkflow(workflow),
          ].join('\n\n'),
        };
      }),
    ),
  command('cancel', 'Cancel an open payment intent; its checkout is closed at the gateway first')
    .argument(INTENT_ARGUMENT, 'of the payment link')
    .action(
      run(async (context, name) => {
        const intent = await requireIntent(context, name);
        const cancellation = await cancelIntent(
          {
            requestCancel: () => requestCancel(context, intent),
            readStatus: async () => (await requireIntent(context, intent.id)).status,
          },
          intent.status,
        );
        if (cancellation.ok) return canceled(await requireIntent(context, intent.id));
        if (cancellation.error === 'still_open') throw stillOpen(cancellation.response);
        throw new CommandError(
          'intent_not_cancelable',
          `This payment intent is ${cancellation.status} and cannot be cancelled`,
        );
      }),
    ),
]);
