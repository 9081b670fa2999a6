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
  const name = params['id_or_code'] ?? '';
  const view = await findLink(db, caller, name);
  if (view) return view;
  throw new ApiError('payment_intent_not_found', await hintOf(db, caller, name));
}

const OTHER_KEYS = {
  live: {
    environment: 'sandbox',
    message: 'No such payment intent with a live key: it is in the sandbox. Use a test key.',
  },
  sandbox: {
    environment: 'live',
    message: 'No such payment intent with a test key: it is a live one. Use a live key.',
  },
} as const;

/** Only to its owner: nobody learns what others have. */
async function hintOf(
  db: ApiDependencies['db'],
  { user_id, environment }: ApiRequest['caller'],
  name: string,
): Promise<{ readonly message?: string }> {
  const other = OTHER_KEYS[environment];
  const found = await findLink(db, { user_id, environment: other.environment }, name);
  return found ? { message: other.message } : {};
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
