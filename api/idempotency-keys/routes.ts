// What became of a request, by its idempotency key.

import { route } from '../route';
import { getIdempotencyKey } from './handlers';
import { keyQuery, keyResponse } from './schema';

export const idempotencyKeyRoutes = [
  route({
    method: 'GET',
    path: '/idempotency-keys/{key}',
    path_parameters: { key: 'The Idempotency-Key of the request, percent-encoded.' },
    tag: 'Service',
    summary: 'What became of a request whose response was lost',
    description:
      'Asks without repeating the request. 404 says that no request with the key has had an effect, and that none that came before this one still can: it takes five seconds, until the last of them would be over. A request that comes later is a new one.',
    rate: 'read',
    query: keyQuery,
    response: keyResponse,
    errors: ['idempotency_key_not_found'],
    handler: getIdempotencyKey,
  }),
];
