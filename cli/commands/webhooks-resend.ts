// `webhooks resend`: sends an event again, to all endpoints that have it or to any one endpoint.

import {
  addDelivery,
  deliveriesOfEvent,
  resendDeliveries,
} from '../../db/webhooks/webhook-deliveries';
import type { OperatorEvent } from '../../db/webhooks/operator-webhooks';
import { changeWithAudit, type AuditEntry } from '../../db/operators/audit';
import { auditOf, ownerOf } from '../audit-entry';
import { command, run } from '../command';
import type { CommandContext } from '../context';
import { CommandError } from '../error';
import { requireEndpoint, requireEvent } from '../lookups';
import { refusal } from '../webhook-refusals';

/** A user has fewer endpoints, even with many deleted ones. */
const MAX_DELIVERIES = 1_000;

export const webhooksResend = command(
  'resend',
  'Send an event again, to every endpoint that has it or to one, even if it never had it',
)
  .requiredOption('--event <id>', 'the event')
  .option('--endpoint <id>', 'to this endpoint only')
  .action(
    run(async (context, options) => {
      const event = await requireEvent(context.db, options.event);
      const { endpoint } = options;
      const queued =
        endpoint === undefined
          ? await resendToAll(context, event)
          : await resendToOne(context, event, endpoint);
      return {
        json: { event_id: event.id, queued },
        text: `Queued again: ${queued}. To see its deliveries: events show ${event.id}`,
      };
    }),
  );

async function resendToAll(context: CommandContext, event: OperatorEvent): Promise<number> {
  const { db } = context;
  const deliveries = await deliveriesOfEvent(db, event.id, MAX_DELIVERIES);
  const queued = await changeWithAudit(
    db,
    resendEntry(context, event, null),
    (tx) =>
      resendDeliveries(
        tx,
        deliveries.map(({ id }) => id),
      ),
    (count) => count > 0,
  );
  if (queued === 0) {
    throw new CommandError(
      'nothing_to_resend',
      'No enabled endpoint has this event. To send it to another one, give --endpoint ID',
    );
  }
  return queued;
}

function resendEntry(
  context: CommandContext,
  event: OperatorEvent,
  endpoint: string | null,
): AuditEntry {
  const details = { ...ownerOf(event), endpoint };
  return { ...auditOf(context, 'webhooks.resend', details), subject: `event/${event.id}` };
}

async function resendToOne(
  context: CommandContext,
  event: OperatorEvent,
  endpoint_id: string,
): Promise<number> {
  const { db } = context;
  const endpoint = await requireEndpoint(db, endpoint_id);
  const { id, status, user_id, environment } = endpoint;
  // An event may only go to its own merchant.
  if (user_id !== event.user_id || environment !== event.environment) {
    throw new CommandError(
      'wrong_account',
      `This event belongs to ${event.username} (${event.environment}), the endpoint to ${endpoint.username} (${environment})`,
    );
  }
  if (status !== 'enabled') {
    throw refusal({ ok: false, error: status === 'deleted' ? 'not_found' : 'disabled' }, id);
  }
  const deliveries = await deliveriesOfEvent(db, event.id, MAX_DELIVERIES);
  const known = deliveries.find((delivery) => delivery.endpoint_id === id);
  return changeWithAudit(db, resendEntry(context, event, id), async (tx) => {
    if (known) return resendDeliveries(tx, [known.id]);
    await addDelivery(tx, event.id, id);
    return 1;
  });
}
