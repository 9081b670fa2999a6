// An event that is sent again: to everybody who got it, or to one endpoint, also one that never did.

import { addDelivery, deliveriesOfEvent, queueAgain } from '../db/webhook-deliveries';
import { findOperatorEvent, type OperatorEvent } from '../db/operator-webhooks';
import { UUID_PATTERN } from '../domain/ids';
import { CommandError, type Command, type CommandContext } from './command';
import { refusal, requireEndpoint, wakeEndpoints, wakeText } from './webhook-endpoint';

/** More than an account may have endpoints, deleted ones included for a long time. */
const MAX_DELIVERIES = 1_000;

export const webhooksResend: Command = {
  usage: 'webhooks resend --event ID [--endpoint ID]',
  summary:
    'Send an event again, to every endpoint that has it or to one, which need not have it yet',
  options: ['event', 'endpoint'],
  async run(context) {
    const { options } = context;
    const event = await requireEvent(context, options.required('event'));
    const endpoint = options.optional('endpoint');
    const { queued, wake } =
      endpoint === undefined
        ? await resendToAll(context, event)
        : await resendToOne(context, event, endpoint);
    const woken = await wakeEndpoints(context, wake);
    return {
      json: { event_id: event.id, queued, woken },
      text: `Queued again: ${queued}. events show ${event.id} says what becomes of it.${wakeText(woken)}`,
    };
  },
};

const UUID = new RegExp(UUID_PATTERN);

export async function requireEvent(
  { db }: Pick<CommandContext, 'db'>,
  id: string,
): Promise<OperatorEvent> {
  const event = UUID.test(id) ? await findOperatorEvent(db, id) : undefined;
  if (!event) throw new CommandError('event_not_found', `There is no event ${id}`);
  return event;
}

interface Resent {
  readonly queued: number;
  readonly wake: readonly string[];
}

async function resendToAll({ db }: CommandContext, event: OperatorEvent): Promise<Resent> {
  const deliveries = await deliveriesOfEvent(db, event.id, MAX_DELIVERIES);
  const resent = await queueAgain(
    db,
    deliveries.map(({ id }) => id),
  );
  if (resent.queued === 0) {
    throw new CommandError(
      'nothing_to_resend',
      'No endpoint that is enabled has this event. --endpoint names one that should have it',
    );
  }
  return resent;
}

async function resendToOne(
  context: CommandContext,
  event: OperatorEvent,
  name: string,
): Promise<Resent> {
  const { db } = context;
  const endpoint = await requireEndpoint(context, name);
  const { id, status, user_id, environment } = endpoint;
  // An event is told to nobody but the merchant whose it is.
  if (user_id !== event.user_id || environment !== event.environment) {
    throw new CommandError(
      'wrong_account',
      `This event is of ${event.username} (${event.environment}), the endpoint of ${endpoint.username} (${environment})`,
    );
  }
  if (status !== 'enabled') {
    throw refusal({ ok: false, error: status === 'deleted' ? 'not_found' : 'disabled' }, id);
  }
  const deliveries = await deliveriesOfEvent(db, event.id, MAX_DELIVERIES);
  const known = deliveries.find(({ endpoint_id }) => endpoint_id === id);
  if (known) return queueAgain(db, [known.id]);
  return { queued: 1, wake: await addDelivery(db, event.id, id) };
}
