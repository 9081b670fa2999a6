// The bench of Example: its simulator, what is ordered of it, and how its callbacks are signed.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AdapterBench, Examples } from '../bench';

const SECRETS = { current: 'current-1', previous: 'previous-1', live: 'live-1', wrong: 'wrong-1' };
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
  async start() {
    // The simulator keeps orders by their id, and answers as the provider does.
    const server = createServer((_request, response) => {
      response.writeHead(501, { 'Content-Type': 'application/json' }).end('{}');
    });
    server.listen({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    const stop = async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
    };
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
  },
  settings: (url, environment) => ({
    URL: url,
    API_TOKEN: TOKENS[environment],
    CALLBACK_SECRETS:
      environment === 'live' ? SECRETS.live : `${SECRETS.current},${SECRETS.previous}`,
  }),
  secrets: [...Object.values(SECRETS), ...Object.values(TOKENS)],
  charge: examples,
  payout: examples,
};
export default bench;
