// GET /wallets (specification, section 4).

import { amount, currency, environment, part, response, uuid } from '../schemas';

export const walletsResponse = response('WalletList', {
  environment,
  wallets: {
    type: 'array',
    maxItems: 3,
    items: part('Wallet', { id: uuid, currency, balance: amount }),
  },
});
