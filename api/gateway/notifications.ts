// Receives the notifications of payment gateways (specification, section 6). The signature is
// checked over the raw bytes before anything is parsed, and a valid notification is stored before
// it is acted on.

import { noteAttemptNotice } from '../../db/payment-attempts/payment-attempts';
import { noteDisputeNotice } from '../../db/disputes/disputes';
import { storeNotification } from '../../db/suspense/notifications';
import { notePaymentRefundNotice } from '../../db/refunds/refunds';
import { notePayoutNotice } from '../../db/payouts/payouts';
import { noteRefundNotice } from '../../db/suspense/suspense';
import type { PaymentNotification, RefundNotice } from '../../domain/payment';
import type { PayoutNotificationReading, PayoutProvider } from '../../gateway/payout-port';
import type { Gateway, NotificationReading } from '../../gateway/port';
import { Refusal } from '../../domain/refusal';
import type { ApiDependencies } from '../context';
import type { HttpContext, HttpMiddleware } from '../../http/context';
import { countStranger } from '../../http/middleware/strangers';
import { readBody, refuseLargeBody } from '../../http/read-body';
import { within } from '../../temporal/calls';

/**
 * How long the response waits for the delivery to the workflow. The notification is stored by then,
 * and a gateway that gets no response in time sends it again for nothing.
 */
const DELIVER_WITHIN_MS = 2_000;

const JSON_TYPE = 'application/json; charset=utf-8';

export function gatewayNotifications(dependencies: ApiDependencies): HttpMiddleware {
  const senders = [dependencies.gateways, dependencies.payout_providers].flatMap((configured) =>
    Object.values(configured).flat(),
  );
  return async (ctx) => {
    const { headers } = ctx.req;
    refuseLargeBody(ctx.req);
    // Without the form of a signature the body is not read.
    if (!senders.some((sender) => sender.mayBeSigned(headers))) {
      throw refuseUnsigned(dependencies, ctx, { ok: false, fault: 'signature' });
    }
    // Read and verified even over the limit: a good notification is never dropped.
    const raw = await readBody(ctx.req);
    const { sender, reading } = read(senders, raw, headers);
    if (reading.ok) {
      vouchFor(ctx);
      const { request_id } = ctx.state;
      if ('payout_id' in reading) {
        await askAbout('payout', dependencies, sender!, reading.payout_id, request_id);
      } else if ('attempt_id' in reading) {
        await askAbout('payment-attempt', dependencies, sender!, reading.attempt_id, request_id);
      } else if (reading.dispute) {
        // A job asks the gateway within a second.
        await noteDisputeNotice(dependencies.db, sender!.name, reading.dispute);
      } else if (reading.refund) {
        await askAboutRefund(dependencies, sender!, reading.refund, request_id);
      } else {
        await keep(dependencies, sender!, reading.notification, raw, request_id);
      }
    } else if (reading.fault === 'malformed' || reading.fault === 'irrelevant') {
      vouchFor(ctx);
      logFault(dependencies, ctx, reading);
      if (reading.fault === 'malformed') throw malformed(reading);
    } else {
      throw refuseUnsigned(dependencies, ctx, reading);
    }
    ctx.status = 200;
    ctx.type = JSON_TYPE;
    ctx.body = '{"ok":true}';
  };
}

type Sender = Pick<Gateway | PayoutProvider, 'name' | 'environment'>;
type Reading = NotificationReading | PayoutNotificationReading;
type Fault = Extract<Reading, { readonly ok: false }>;

/** The secret tells the sender and the environment: the first one whose signature is valid, and who understands it. */
function read(
  senders: readonly (Gateway | PayoutProvider)[],
  raw: Buffer,
  headers: Parameters<Gateway['readNotification']>[1],
): { readonly sender?: Sender; readonly reading: Reading } {
  const faults: Fault[] = [];
  for (const sender of senders) {
    const reading = sender.readNotification(raw, headers);
    if (reading.ok) return { sender, reading };
    faults.push(reading);
  }
  // The signature was valid, so this fault is the one to report.
  const signed = faults.find(({ fault }) => fault === 'malformed' || fault === 'irrelevant');
  return { reading: signed ?? { ok: false, fault: 'signature' } };
}

/** Its signature is valid, so a gateway of ours sent it. */
function vouchFor({ state }: HttpContext): void {
  state.is_vouched_for = true;
  state.is_counted = true;
}

function logFault(
  { log }: ApiDependencies,
  { state }: HttpContext,
  { fault, detail }: Fault,
): void {
  log({ part: 'gateway', request_id: state.request_id, ip: state.ip, fault, detail });
}

function malformed({ detail }: Fault): Refusal {
  return new Refusal('invalid_request', {
    message: `The notification is not valid${detail === undefined ? '' : `: ${detail}`}.`,
  });
}

/**
 * @throws Refusal rate_limited, without a line for operators: the first ones of a minute say it all
 */
function refuseUnsigned(dependencies: ApiDependencies, ctx: HttpContext, fault: Fault): Refusal {
  // A body of unknown length would have to be read to its end before the next request.
  if (ctx.req.headers['transfer-encoding'] !== undefined) ctx.set('Connection', 'close');
  countStranger(dependencies.strangers, ctx);
  logFault(dependencies, ctx, fault);
  return new Refusal('unauthorized', { message: 'The signature is missing or wrong.' });
}

async function keep(
  { db, deliverNotification, log }: ApiDependencies,
  gateway: Sender,
  notification: PaymentNotification,
  raw: Buffer,
  request_id: string,
): Promise<void> {
  const stored = await storeNotification(db, gateway.name, notification, raw);
  if (stored.outcome !== null) return;
  const { environment } = notification;
  const delivering = deliverNotification({ ...stored, gateway: gateway.name, environment });
  // It is stored: the sweeper delivers it when Temporal is back.
  const delivered = delivering.catch((error: unknown) =>
    log({ part: 'gateway', request_id, notification: stored.id, error: String(error) }),
  );
  await within(DELIVER_WITHIN_MS, delivered);
}

/**
 * A notice is not applied: notices come in any order, so the gateway is asked. That it must be
 * asked is in the database before the response; when Temporal is away, the sweeper wakes the
 * workflow.
 */
async function askAboutRefund(
  { db, pursue, log }: ApiDependencies,
  gateway: Sender,
  notice: RefundNotice,
  request_id: string,
): Promise<void> {
  const items = await noteRefundNotice(db, gateway.name, notice);
  const ids = await notePaymentRefundNotice(db, gateway.name, notice);
  if (items.length + ids.length === 0) {
    const { refund_id, provider_payment_id } = notice;
    const detail = `refund ${refund_id} of ${provider_payment_id} was ordered by nobody here`;
    log({ part: 'gateway', request_id, detail });
  }
  const wake = async (): Promise<void> => {
    await Promise.all([pursue('suspense-refund', items), pursue('refund', ids)]);
  };
  const woken = wake().catch((error: unknown) =>
    log({ part: 'gateway', request_id, refund: notice.refund_id, error: String(error) }),
  );
  await within(DELIVER_WITHIN_MS, woken);
}

/** The payout or attempt that a provider has notified of. */
async function askAbout(
  kind: 'payout' | 'payment-attempt',
  { db, pursue, log }: ApiDependencies,
  sender: Sender,
  id: string,
  request_id: string,
): Promise<void> {
  const note = kind === 'payout' ? notePayoutNotice : noteAttemptNotice;
  if (!(await note(db, sender, id))) {
    log({ part: 'gateway', request_id, detail: `${kind} ${id} is none of ours` });
    return;
  }
  const woken = pursue(kind, [id]).catch((error: unknown) =>
    log({ part: 'gateway', request_id, [kind]: id, error: String(error) }),
  );
  await within(DELIVER_WITHIN_MS, woken);
}
