// GET /wallets (specification, section 4).

import { CURRENCIES } from '../../domain/currency';
import { amount, currency, environment, part, response, uuid } from '../schemas';

export const walletsResponse = response('WalletList', {
  environment,
  wallets: {
    type: 'array',
    maxItems: CURRENCIES.length,
    items: part('Wallet', { id: uuid, currency, balance: amount }),
  },
});
