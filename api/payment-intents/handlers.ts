// Payment links: listed, shown and cancelled, and the timeline of each.

import { getIntent } from '../../db/intents';
import { findIntent, listIntents, listTimeline } from '../../db/intent-views';
import { isUuid, SHORT_CODE_PATTERN } from '../../domain/ids';
import { presentIntent, presentTimelineEntry, type IntentView } from '../../domain/intent';
import { ApiError } from '../api-error';
import type { ApiDependencies, ApiRequest, ApiResponse, Handler } from '../context';
import { success } from '../success';
import { orUnknown, unavailable } from '../failures';
import { readPage } from '../paging';
import { cancelIntent } from '../../use-cases/payment-intents';
import { gatewayFailure, OPEN_WITHIN_MS } from './open';
import type { ListIntentsQuery } from './schema';

export const listPaymentIntents: Handler<ListIntentsQuery> = async ({ db, config }, request) => {
  const { rows, ...end } = await readPage(request, (query) => listIntents(db, query));
  const payment_intents = rows.map((row) => presentIntent(row, config.pay_url_base));
  return success({ payment_intents, ...end });
};

export const getPaymentIntent: Handler = async (dependencies, request) => {
  return show(dependencies, await findNamed(dependencies, request));
};

function show({ config }: ApiDependencies, view: IntentView): ApiResponse {
  return success({ ...presentIntent(view, config.pay_url_base) });
}

const SHORT_CODE = new RegExp(SHORT_CODE_PATTERN);

async function findNamed(
  { db }: ApiDependencies,
  { caller, params }: ApiRequest,
): Promise<IntentView> {
  const name = params['id_or_code'] ?? '';
  const { user_id, environment } = caller;
  const find = (by: Parameters<typeof findIntent>[3]) => findIntent(db, user_id, environment, by);
  const view = isUuid(name)
    ? await find({ id: name })
    : SHORT_CODE.test(name)
      ? await find({ short_code: name })
      : undefined;
  if (!view) throw new ApiError('payment_intent_not_found');
  return view;
}

const MAY_BE_CANCELED = 'The payment intent may yet be cancelled. Repeat the request.';

export const cancelPaymentIntent: Handler = async (dependencies, request) => {
  const { intent_workflows, db } = dependencies;
  const view = await findNamed(dependencies, request);
  const canceled = await cancelIntent(
    {
      requestCancel: () =>
        intent_workflows.cancel(view, Date.now() + OPEN_WITHIN_MS).catch(() => {
          // Out of reach. The update may have arrived all the same.
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
    const { status } = view;
    const found = () => findNamed(dependencies, request);
    return show(
      dependencies,
      status === 'canceled' ? view : await orUnknown(MAY_BE_CANCELED, found),
    );
  }
  if (canceled.error === 'not_cancelable') {
    throw new ApiError('intent_not_cancelable', {
      message: `This payment intent is ${canceled.status} and cannot be cancelled.`,
    });
  }
  const { response } = canceled;
  if (typeof response === 'object' && response.fault) throw gatewayFailure(response.fault);
  throw new ApiError('gateway_timeout');
};

export const getPaymentIntentTimeline: Handler = async (dependencies, request) => {
  const { id } = await findNamed(dependencies, request);
  const entries = await listTimeline(dependencies.db, id);
  const timeline = entries.map(presentTimelineEntry);
  return success({ timeline });
};
