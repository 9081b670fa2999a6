// Payment links: listed, shown and cancelled, and the timeline of each.

import { listIntents, listTimeline } from '../../db/intent-views';
import { presentIntent, presentTimelineEntry, type IntentView } from '../../domain/intent';
import { ApiError } from '../api-error';
import type { ApiDependencies, ApiRequest, ApiResponse, Handler } from '../context';
import { success } from '../success';
import { readPage } from '../paging';
import { cancelLink, findLink } from './cancel';
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

async function findNamed(
  { db }: ApiDependencies,
  { caller, params }: ApiRequest,
): Promise<IntentView> {
  const view = await findLink(db, caller, params['id_or_code'] ?? '');
  if (!view) throw new ApiError('payment_intent_not_found');
  return view;
}

export const cancelPaymentIntent: Handler = async (dependencies, request) => {
  const view = await findNamed(dependencies, request);
  return show(dependencies, await cancelLink(dependencies, request.caller, view));
};

export const getPaymentIntentTimeline: Handler = async (dependencies, request) => {
  const { id } = await findNamed(dependencies, request);
  const entries = await listTimeline(dependencies.db, id);
  const timeline = entries.map(presentTimelineEntry);
  return success({ timeline });
};
