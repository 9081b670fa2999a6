// The fixture of Example: its simulator, what is ordered of it, and how its callbacks are signed.

import type { AdapterBench, Examples } from '../bench';
import { serve } from '../serve';

const SECRETS = {
  current: 'current-1',
  previous: 'previous-1',
  other: 'other-1',
  wrong: 'wrong-1',
};
const TOKENS = { sandbox: 'token-of-sandbox', live: 'token-of-live' };

const examples: Examples = {
  pays: {
    phone: '+221770000100',
    operator: 'orange_sn',
    amount: 500_000n,
    currency: 'XOF',
    on_wire: '"amount":"5000"',
  },
  exact: [],
  other_currency: 'EUR',
  word_for_paid: '"PAID"',
};

const bench: AdapterBench = {
  // The simulator keeps orders by their id, and answers as the provider does.
  start: () => serve(() => ({ status: 501, body: {} })),
  settings: (url) => ({
    SANDBOX_URL: url,
    SANDBOX_API_TOKEN: TOKENS.sandbox,
    SANDBOX_CALLBACK_SECRETS: `${SECRETS.current},${SECRETS.previous}`,
    LIVE_URL: url,
    LIVE_API_TOKEN: TOKENS.live,
    LIVE_CALLBACK_SECRETS: SECRETS.other,
  }),
  secrets: [...Object.values(SECRETS), ...Object.values(TOKENS)],
  charge: examples,
  payout: examples,
};
export default bench;
