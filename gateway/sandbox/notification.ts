// Reads a notification: verifies the signature over the received bytes, then parses; no amount
// becomes a float.

import type { Environment } from '../../domain/environment';
import type { DisputeNotice } from '../../domain/dispute';
import type { PaymentFailure, PaymentNotification, RefundNotice } from '../../domain/payment';
import { isGatewaySignature } from '../../secrets/gateway-signature';
import {
  amountField,
  booleanField,
  currencyField,
  FieldFault,
  instantField,
  isObject,
  optionalText,
  readFields,
  rowIdField,
  textField,
  type Fields,
} from '../fields';
import type { NotificationReading } from '../port';

export interface NotificationSource {
  readonly environment: Environment;
  readonly secrets: readonly string[];
}

/** Why a notification was not read, in the words of either port. */
export type Unread = Extract<NotificationReading, { readonly ok: false }>;

/** Notifications of refunds, disputes and phones have one type each: the gateway is asked what has become of one. */
const REFUND_UPDATED = 'refund.updated';
const DISPUTE_UPDATED = 'dispute.updated';
export const CHARGE_UPDATED = 'charge.updated';
const TYPES = ['payment.succeeded', 'payment.failed', 'payment.pending'] as const;

/** Ids of gateways are far shorter, and the limit fits an index. */
const MAX_ID = 200;

/**
 * Verifies a notification, then has it read. The secret decides the environment: a body that names another was
 * signed for another account.
 */
export function readSigned<Reading>(
  { environment, secrets }: NotificationSource,
  raw: Buffer,
  header: unknown,
  read: (type: string, fields: Fields) => Reading,
): Reading | Unread {
  if (header === undefined) return { ok: false, fault: 'not_ours' };
  if (!isGatewaySignature(raw, header, secrets)) return { ok: false, fault: 'signature' };
  try {
    const fields = readFields(raw);
    if (textField(fields.value, 'environment', MAX_ID) !== environment) {
      return { ok: false, fault: 'signature', detail: 'environment is not the one of the secret' };
    }
    return read(textField(fields.value, 'type', MAX_ID), fields);
  } catch (error) {
    if (!(error instanceof FieldFault)) throw error;
    return { ok: false, fault: 'malformed', detail: error.message };
  }
}

export function readNotification(
  source: NotificationSource,
  raw: Buffer,
  header: unknown,
): NotificationReading {
  return readSigned<NotificationReading>(source, raw, header, (type, fields) =>
    read(source.environment, type, fields),
  );
}

/** Unknown fields are ignored: gateways add some. */
function read(environment: Environment, word: string, fields: Fields): NotificationReading {
  const { value } = fields;
  if (word === REFUND_UPDATED) return { ok: true, refund: readNotice(environment, value) };
  if (word === DISPUTE_UPDATED) return { ok: true, dispute: readDispute(environment, value) };
  if (word === CHARGE_UPDATED) return { ok: true, attempt_id: rowIdField(value, 'charge_id') };
  const type = TYPES.find((one) => one === word);
  if (type === undefined) return irrelevant(word);
  const currency = currencyField(value);
  const final = booleanField(value, 'final', true);
  const notification: PaymentNotification = {
    event_id: textField(value, 'event_id', MAX_ID),
    environment,
    type,
    final: type === 'payment.failed' ? final : true,
    intent_id: optionalText(value, 'intent_id', MAX_ID),
    reference: optionalText(value, 'reference', MAX_ID),
    provider_payment_id: textField(value, 'provider_payment_id', MAX_ID),
    amount_minor: String(amountField(fields, currency)),
    currency,
    failure: type === 'payment.failed' ? failureField(value) : null,
    occurred_at: instantField(value, 'occurred_at'),
  };
  if (notification.intent_id === null && notification.reference === null) {
    throw new FieldFault('intent_id or reference is required');
  }
  return { ok: true, notification };
}

export function irrelevant(type: string): Unread {
  return { ok: false, fault: 'irrelevant', detail: `type ${type} is not known` };
}

function readNotice(environment: Environment, value: Fields['value']): RefundNotice {
  return {
    event_id: textField(value, 'event_id', MAX_ID),
    environment,
    provider_payment_id: textField(value, 'provider_payment_id', MAX_ID),
    refund_id: textField(value, 'refund_id', MAX_ID),
    reference: optionalText(value, 'reference', MAX_ID),
  };
}

function readDispute(environment: Environment, value: Fields['value']): DisputeNotice {
  return { environment, dispute_id: textField(value, 'dispute_id', MAX_ID) };
}

function failureField(value: Fields['value']): PaymentFailure | null {
  const failure = value['failure'] ?? null;
  if (failure === null) return null;
  if (!isObject(failure)) throw new FieldFault('failure must be an object');
  return {
    code: textField(failure, 'code', MAX_ID),
    message: textField(failure, 'message', 1_000),
  };
}
