// `gateway notify`: sends a notification as the simulator would, to try how the service handles it.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { OperatorIntent } from '../../db/payment-intents/operator-intents';
import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { renderJson, type JsonValue } from '../../domain/json';
import { amountJson, formatAmount } from '../../domain/money';
import { GATEWAY_SIGNATURE_HEADER, signGatewayBody } from '../../secrets/gateway-signature';
import { addAuditRowOf } from '../audit-entry';
import { command, group, run } from '../command';
import { otherCurrency, readAmount, readReceiver, wordOption } from '../options';
import type { CommandContext } from '../context';
import { CommandError, fetchFailure } from '../error';
import { INTENT_ARGUMENT, requireIntent } from '../lookups';
import { printable } from '../terminal';

const TYPES = ['payment.succeeded', 'payment.failed', 'payment.pending'] as const;
const SIMULATOR = 'sandbox';
const RESPONSE_WITHIN_MS = 15_000;
/** No response of this endpoint is nearly as long. */
const MAX_RESPONSE = 64 * 1024;

type NotificationType = (typeof TYPES)[number];

interface SentNotification {
  readonly url: string;
  readonly notification: Readonly<Record<string, JsonValue | undefined>>;
  readonly status: number;
  readonly answer: string;
}

/** The notification has the intent's amount and new ids, unless `fields` replace them. */
async function sendNotification(
  context: CommandContext,
  intent: OperatorIntent,
  { type, url: given_url }: { readonly type: NotificationType; readonly url?: string },
  fields: Readonly<Record<string, JsonValue | undefined>>,
): Promise<SentNotification> {
  const secret = simulatorSecret(context, intent);
  const { event_id = `evt_${randomUUID()}`, provider_payment_id, ...rest } = fields;
  const notification = {
    event_id,
    type,
    intent_id: intent.id,
    reference: intent.reference,
    amount: amountJson(intent.amount_minor),
    currency: intent.currency,
    environment: intent.environment,
    provider_payment_id: provider_payment_id ?? `pay_${randomUUID()}`,
    ...rest,
    occurred_at: new Date().toISOString(),
  };
  const url = given_url ?? notificationUrl(context);
  const { environment, username, reference } = intent;
  const details = { username, environment, reference, type, event_id };
  await addAuditRowOf(context, 'gateway.notify', `payment_intent/${intent.id}`, details);
  return { url, notification, ...(await send(url, renderJson(notification), secret)) };
}

interface GivenMoney {
  readonly amount?: string;
  readonly currency?: Currency;
}

/** The default is the intent's own amount. */
function readMoney(
  { amount, currency: given }: GivenMoney,
  intent: OperatorIntent,
): { readonly amount: JsonValue; readonly currency: string } {
  const currency = given ?? intent.currency;
  const amount_minor = readAmount(amount ?? formatAmount(intent.amount_minor), currency);
  return { amount: amountJson(amount_minor), currency };
}

interface GivenFailure {
  readonly type: NotificationType;
  readonly code?: string;
  readonly message?: string;
  readonly notFinal?: true;
}

function readFailure({ type, code, message, notFinal }: GivenFailure): Record<string, JsonValue> {
  if (type !== 'payment.failed') {
    if (code === undefined && message === undefined && !notFinal) return {};
    throw new CommandError('usage', '--not-final, --code and --message need --type payment.failed');
  }
  if ((code === undefined) !== (message === undefined)) {
    throw new CommandError('usage', '--code and --message must be given together');
  }
  return {
    final: !notFinal,
    ...(code === undefined ? {} : { failure: { code, message: message! } }),
  };
}

/**
 * Returns the secret of the intent's environment. @throws CommandError when another gateway takes
 * its payments
 */
function simulatorSecret(context: CommandContext, intent: OperatorIntent): string {
  const { gateway, environment } = intent;
  const secret = gateway === SIMULATOR ? findSecret(context, environment) : undefined;
  if (secret === undefined) {
    throw new CommandError(
      'not_simulator',
      gateway === SIMULATOR
        ? `The gateway of ${environment} is not the simulator here, so there is no secret to sign with`
        : `The gateway of this intent is ${gateway}, not the simulator`,
    );
  }
  return secret;
}

function findSecret(
  { config, system }: CommandContext,
  environment: Environment,
): string | undefined {
  const { simulator, stripe, pawapay } = config.gateway;
  if (environment === 'live' && (stripe ?? pawapay)) return undefined;
  if (simulator) return simulator.secrets[environment][0];
  if (!system.demo?.gateway) return undefined;
  if (environment === 'sandbox') return system.demo.gateway.secret ?? undefined;
  // `npm start` creates its simulator's secrets and keeps them in this file.
  const file = join(config.data_directory, 'gateway-secrets.json');
  if (!existsSync(file)) return undefined;
  const secrets = JSON.parse(readFileSync(file, 'utf8')) as Partial<Record<Environment, string>>;
  return secrets[environment];
}

/** Returns the address to which the simulator sends its notifications. */
function notificationUrl({ config, system }: CommandContext): string {
  const { notification_url } = system.demo?.gateway ?? config.gateway.simulator_process;
  return notification_url;
}

async function send(
  url: string,
  body: string,
  secret: string,
): Promise<{ readonly status: number; readonly answer: string }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        [GATEWAY_SIGNATURE_HEADER]: signGatewayBody(body, secret),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(RESPONSE_WITHIN_MS),
    });
    return { status: response.status, answer: (await response.text()).slice(0, MAX_RESPONSE) };
  } catch (error) {
    throw new CommandError('no_answer', `No response from ${url}: ${fetchFailure(error)}`);
  }
}

/** Returns the parsed JSON, or the text itself when it is none. */
function readAnswer(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // Any server may respond at --url, and the operator wants to see what it sent.
    return text;
  }
}

export const gateway = group([
  command(
    'notify',
    "Send a notification, signed with the simulator's secret, and print the response",
  )
    .requiredOption(`--intent ${INTENT_ARGUMENT}`, 'the payment link')
    .addOption(wordOption('--type <type>', 'what happened', TYPES).makeOptionMandatory())
    .option('--amount <amount>', 'instead of what was asked for')
    .addOption(otherCurrency)
    .option('--payment-id <id>', "the gateway's id of the payment")
    .option('--event-id <id>', "the gateway's id of the event")
    .option('--not-final', 'the customer may try again')
    .option('--code <code>', "the gateway's code of the failure")
    .option('--message <message>', "the gateway's words for the failure")
    .option('--url <url>', 'where to send it, instead of to the service', readReceiver('url'))
    .action(
      run(async (context, options) => {
        const intent = await requireIntent(context, options.intent);
        const { url, notification, status, answer } = await sendNotification(
          context,
          intent,
          options,
          {
            event_id: options.eventId,
            ...readMoney(options, intent),
            provider_payment_id: options.paymentId,
            ...readFailure(options),
          },
        );
        return {
          json: { status, answer: readAnswer(answer), url, notification },
          text: `${status} ${printable(answer)}`.trimEnd(),
          exit_status: status === 200 ? 0 : 1,
        };
      }),
    ),
]);
