// Finds what an option names, of any merchant, or refuses the command.

import type { Db } from '../db/connect';
import { findOperatorIntent, type OperatorIntent } from '../db/payment-intents/operator-intents';
import { findOperatorRefund, type OperatorRefund } from '../db/refunds/operator-refunds';
import {
  findOperatorEndpoint,
  findOperatorEvent,
  type OperatorEndpoint,
  type OperatorEvent,
} from '../db/webhooks/operator-webhooks';
import { findUserByName, type UserRow } from '../db/accounts/users';
import { isUuid, plainReference } from '../domain/ids';
import type { CommandContext } from './context';
import { CommandError } from './error';
import { normalUsername } from '../domain/username';

export async function requireUser(db: Db, username: string): Promise<UserRow> {
  const user = await findUserByName(db, normalUsername(username));
  if (!user) throw userNotFound(username);
  return user;
}

export function userNotFound(username: string): CommandError {
  return new CommandError('user_not_found', `There is no user ${username}`);
}

/** How usages write the argument of `requireIntent`. */
export const INTENT_ARGUMENT = '<id-or-code-or-reference>';

export async function requireIntent(
  { db, system }: Pick<CommandContext, 'db' | 'system'>,
  name: string,
): Promise<OperatorIntent> {
  const intent = await findOperatorIntent(db, plainReference(name), system.pay_url_base);
  if (!intent) {
    throw new CommandError('payment_intent_not_found', `There is no payment intent ${name}`);
  }
  return intent;
}

export async function requireRefund(db: Db, name: string): Promise<OperatorRefund> {
  const refund = await findOperatorRefund(db, plainReference(name));
  if (!refund) throw new CommandError('refund_not_found', `There is no refund ${name}`);
  return refund;
}

export async function requireEndpoint(db: Db, id: string): Promise<OperatorEndpoint> {
  const endpoint = isUuid(id) ? await findOperatorEndpoint(db, id) : undefined;
  if (!endpoint) throw endpointNotFound(id);
  return endpoint;
}

export function endpointNotFound(id: string): CommandError {
  return new CommandError('webhook_endpoint_not_found', `There is no webhook endpoint ${id}`);
}

export async function requireEvent(db: Db, id: string): Promise<OperatorEvent> {
  const event = isUuid(id) ? await findOperatorEvent(db, id) : undefined;
  if (!event) throw new CommandError('event_not_found', `There is no event ${id}`);
  return event;
}
