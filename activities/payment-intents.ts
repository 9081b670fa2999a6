// The side effects of a payment intent: its checkout at the gateway, and its row. Each activity
// may run again at any time. Only an unreachable database makes one throw, and an intent that there
// is not.

import { asyncLocalStorage } from '@temporalio/activity';
import { isAskedByPhone } from '../db/payment-attempts/payment-attempts';
import {
  abandonIntent,
  cancelIntent,
  getIntent,
  openIntent,
  renewCheckout,
  restartIntent,
} from '../db/payment-intents/intents';
import type { GatewayFault } from '../domain/gateway-error';
import {
  isTerminal,
  type CheckoutOutcome,
  type IntentStep,
  type SealedCancellation,
} from '../domain/intent';
import { createLimit } from '../domain/limit';
import type { WorkflowMessages } from '../secrets/workflow-messages';
import type { Metrics } from '../telemetry/metrics';
import { closeSession, openSession, type CheckoutDependencies } from './checkouts';
import { withHeartbeats } from './heartbeats';
import { refuseMessage, type RefusalLog } from './refused-messages';
import { forRows } from './rows';

export interface IntentActivityDependencies extends CheckoutDependencies, RefusalLog {
  readonly workflow_messages: Pick<WorkflowMessages, 'isCancellation'>;
  readonly metrics: Pick<Metrics, 'countIntentEnd'>;
  /** Hands results to requests of this process, so that they need not ask Temporal. */
  readonly pending_checkouts: { publish(intent_id: string, outcome: CheckoutOutcome): void };
}

/**
 * An intent that expires before its checkout is open begins again. When it does so again and again,
 * its gateway takes longer than the intent is to last.
 */
const MAX_LIVES = 4;

/**
 * A workflow's task holds a slot that transfers need too, and a busy process has 40. So a gateway
 * that hangs may hold so many of them: the rest is done by regular activities, whose slots are
 * their own. The other environment's gateway has as many.
 */
const CALLS_IN_TASKS = 16;

export function createIntentActivities(dependencies: IntentActivityDependencies) {
  const in_tasks = createLimit({ each: CALLS_IN_TASKS });
  const { db, pay_url_base, pending_checkouts } = dependencies;
  const tellFault = (id: string, fault: GatewayFault): IntentStep => {
    pending_checkouts.publish(id, { fault });
    return { status: 'creating', fault };
  };
  const activities = forRows(dependencies, 'intent', {
    /**
     * Opens the checkout in a workflow's own task when few others wait for the gateway in theirs;
     * `is_postponed` otherwise.
     */
    async openCheckout(id: string): Promise<IntentStep> {
      for (let life = 1; life <= MAX_LIVES; life += 1) {
        const intent = await getIntent(db, id);
        if (intent.status !== 'creating') return { status: intent.status };
        if (intent.remaining_ms <= 0) {
          await restartIntent(db, id);
          continue;
        }
        const open = () => openSession(dependencies, intent, 1);
        // The call may take as long as it takes: a slow gateway would otherwise be asked a second
        // time meanwhile.
        const opened = isInWorkflowTask()
          ? await in_tasks.tryRun(open, intent.environment)
          : await open();
        if (opened === null) {
          pending_checkouts.publish(id, 'elsewhere');
          return { status: 'creating', is_postponed: true };
        }
        if ('fault' in opened) return tellFault(id, opened.fault);
        const body = await openIntent(db, intent, opened.result, pay_url_base);
        // Only the attempt that opens it publishes the response; any other finds in the row what has
        // happened.
        if (body === null) continue;
        pending_checkouts.publish(id, { status: 201, body, fingerprint: intent.fingerprint });
        return { status: 'open' };
      }
      return tellFault(id, 'timeout');
    },

    async abandonIntent(id: string): Promise<IntentStep> {
      return { status: await abandonIntent(db, id) };
    },

    /** Finds an end that the workflow did not make: an expiry, a notification that the sweep has applied. */
    async readIntent(id: string): Promise<IntentStep> {
      return { status: (await getIntent(db, id)).status };
    },

    /**
     * Cancels only what the merchant or an operator ordered: nothing in the row would say that they
     * did.
     */
    async cancelIntent(id: string, order?: SealedCancellation): Promise<IntentStep> {
      const intent = await getIntent(db, id);
      if (intent.status !== 'open') return { status: intent.status };
      if (!dependencies.workflow_messages.isCancellation(order, id)) {
        refuseMessage(dependencies, { message: 'cancel', intent_id: id });
        return { status: intent.status };
      }
      // A link that stays open keeps its checkout.
      if (await isAskedByPhone(db, id)) return { status: intent.status };
      const closed = await closeSession(dependencies, intent);
      if ('fault' in closed) return closed;
      if (closed.is_paying || isTerminal(closed.status)) return { status: closed.status };
      const status = await cancelIntent(db, id);
      if (status === 'canceled') dependencies.metrics.countIntentEnd(intent.environment, status);
      return { status };
    },

    /** A new session when the gateway's own has lapsed; the same one while it lives. */
    async renewCheckout(id: string): Promise<IntentStep> {
      const intent = await getIntent(db, id);
      const { status, has_lapsed, remaining_ms } = intent;
      // None is opened past the intent's own end, or a customer could still pay in it.
      if (status !== 'open' || !has_lapsed || remaining_ms <= 0) return { status };
      const closed = await closeSession(dependencies, intent);
      if ('fault' in closed) return closed;
      if (closed.status !== 'open') return { status: closed.status };
      const number = intent.session_number + 1;
      const opened = await openSession(dependencies, intent, number);
      if ('fault' in opened) return { status: intent.status, fault: opened.fault };
      return { status: await renewCheckout(db, id, number, opened.result) };
    },
  });
  return withHeartbeats(activities);
}

/** Whether the activity runs as a local one, inside of a workflow task. */
function isInWorkflowTask(): boolean {
  return asyncLocalStorage.getStore()?.info.isLocal === true;
}

export type IntentActivities = ReturnType<typeof createIntentActivities>;
