// GET /wallets (specification, section 4).

import { amount, currency, environment, resource, response, uuid } from '../schemas';

export const walletsResponse = response({
  environment,
  wallets: {
    type: 'array',
    maxItems: 3,
    items: resource({ id: uuid, currency, balance: amount }),
  },
});
