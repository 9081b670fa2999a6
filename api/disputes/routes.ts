// Disputes of payments: listed and shown. The gateway opens and ends them.

import { findDispute, listDisputes as readDisputes } from '../../db/disputes/disputes';
import { Refusal } from '../../domain/refusal';
import { readPage } from '../paging';
import { readId } from '../path-id';
import { routesOf } from '../route';
import { shown, shownList, success } from '../success';
import { dispute, disputesResponse, listDisputesQuery } from './schema';

const on = routesOf('Disputes');

export const disputeRoutes = [
  on.get('/disputes', {
    summary: 'Disputes, newest first',
    description:
      'Pass `next_cursor` as `cursor` to get the next page. All filters together narrow the list.',
    query: listDisputesQuery,
    response: disputesResponse,
    handler: async function listDisputes({ db }, request) {
      const { rows, ...end } = await readPage(request, (query) => readDisputes(db, query));
      return success({ disputes: shownList(rows), ...end });
    },
  }),
  on.get('/disputes/{id}', {
    path_parameters: { id: 'The id of the dispute.' },
    summary: 'One dispute',
    description:
      "Its amount leaves your wallet when the customer's bank claims it. `won` brings it back, and what is owed lapses; `lost` takes `fee`, too.",
    response: dispute,
    errors: ['dispute_not_found'],
    handler: async function getDispute({ db }, request) {
      const id = readId(request, 'dispute_not_found');
      const view = await findDispute(db, request.caller, { id });
      if (!view) throw new Refusal('dispute_not_found');
      return shown(view);
    },
  }),
];
