// One payment link of an account, and cancelling it.

import type { Caller } from '../../db/keys/api-keys';
import { getIntent } from '../../db/payment-intents/intents';
import {
  findIntent,
  type IntentName,
  type IntentView,
} from '../../db/payment-intents/intent-views';
import { isShortCode, isUuid } from '../../domain/ids';
import { cancelIntent } from './close';
import { Refusal } from '../../domain/refusal';
import type { OrderDependencies } from '../requests/dependencies';
import { orUnknown, unavailable } from '../requests/failures';
import { gatewayFailure, OPEN_WITHIN_MS } from './open';

/** Finds a link by id or short code; undefined: not one of this account and environment. */
export async function findLink(
  dependencies: LinkDependencies,
  owner: LinkOwner,
  name: string,
): Promise<IntentView | undefined> {
  if (isUuid(name)) return find(dependencies, owner, { id: name });
  if (isShortCode(name)) return find(dependencies, owner, { short_code: name });
  return undefined;
}

export type LinkDependencies = Pick<OrderDependencies, 'db'> & {
  readonly config: Pick<OrderDependencies['config'], 'pay_url_base'>;
};
type LinkOwner = Pick<Caller, 'user_id' | 'environment'>;

function find(
  { db, config: { pay_url_base } }: LinkDependencies,
  { user_id, environment }: LinkOwner,
  name: IntentName,
): Promise<IntentView | undefined> {
  return findIntent(db, { user_id, environment, pay_url_base }, name);
}

const ASKED_BY_PHONE =
  'A customer is being asked on a phone to pay this payment intent: it cannot be cancelled until that has ended.';
const MAY_BE_CANCELED = 'The payment intent may yet be cancelled. Repeat the request.';

/** Cancels a link and returns it as it is then. @throws Refusal */
export async function cancelLink(
  dependencies: LinkDependencies & Pick<OrderDependencies, 'intent_workflows'>,
  owner: LinkOwner,
  view: IntentView,
): Promise<IntentView> {
  const { db, intent_workflows } = dependencies;
  const canceled = await cancelIntent(
    {
      requestCancel: () =>
        intent_workflows.cancel(view, Date.now() + OPEN_WITHIN_MS).catch(() => {
          // Temporal is out of reach. The update may have arrived all the same.
          throw unavailable(MAY_BE_CANCELED);
        }),
      readStatus: async () => {
        const { status } = await orUnknown(MAY_BE_CANCELED, () => getIntent(db, view.id));
        return status;
      },
    },
    view.status,
  );
  if (canceled.ok) {
    if (view.status === 'canceled') return view;
    const after = await orUnknown(MAY_BE_CANCELED, () =>
      find(dependencies, owner, { id: view.id }),
    );
    if (!after) throw new Refusal('payment_intent_not_found');
    return after;
  }
  if (canceled.error === 'not_cancelable') {
    throw new Refusal('intent_not_cancelable', {
      message: `This payment intent is ${canceled.status} and cannot be cancelled.`,
    });
  }
  const { response } = canceled;
  if (typeof response !== 'object') throw new Refusal('gateway_timeout');
  if (response.fault) throw gatewayFailure(response.fault);
  throw new Refusal('intent_not_cancelable', { message: ASKED_BY_PHONE });
}
