// The kit passes our own adapter of the simulated operators, and each of its checks fails an adapter that breaks
// what it asks.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import * as pawapay from '../../dev/adapter-kit/benches/pawapay';
import { adapter as good, bench } from '../../dev/adapter-kit/benches/sandbox';
import type { AdapterBench } from '../../dev/adapter-kit/bench';
import { playRecordings, type Recording } from '../../dev/adapter-kit/recordings';
import { CHECKS, checkAdapter, type Finding } from '../../dev/adapter-kit/run';
import { GatewayError } from '../../domain/gateway-error';
import type { Minor } from '../../domain/money';
import type { PayoutFailure, PayoutState } from '../../domain/payout';
import type { AdapterModule, AdapterOptions } from '../../gateway/adapter-module';
import type {
  PayoutNotificationReading,
  PayoutOrder,
  PayoutProvider,
} from '../../gateway/payout-port';
import type { Gateway, PhonePayments } from '../../gateway/port';
import { closeAfterFile } from '../support/cleanup';
import { waitFor } from '../support/wait';

/** The methods of a port, which need no `this`. */
type Methods<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...given: infer Given) => infer Result
    ? (...given: Given) => Result
    : Port[Name];
};

interface Broken {
  readonly adapter?: AdapterModule;
  readonly bench?: AdapterBench;
}

type Provider = Methods<PayoutProvider>;

/** The good adapter, but for some methods of its payouts. */
function payouts(
  change: (provider: Provider, options: AdapterOptions) => Partial<PayoutProvider>,
): Broken {
  const createPayouts = (options: AdapterOptions): PayoutProvider => {
    const provider = good.createPayouts!(options)!;
    return { ...provider, ...change(provider, options) };
  };
  return { adapter: { ...good, createPayouts } };
}

function gateway(change: (gateway: Methods<Gateway>) => Partial<Gateway>): Broken {
  const createGateway = (options: AdapterOptions): Gateway => {
    const one = good.createGateway!(options)!;
    return { ...one, ...change(one) };
  };
  return { adapter: { ...good, createGateway } };
}

function phones(change: (phones: Methods<PhonePayments>) => Partial<PhonePayments>): Broken {
  return gateway((one) => ({ phones: { ...one.phones!, ...change(one.phones!) } }));
}

/** Lets `change` read notifications. */
function reads(
  change: (
    reading: PayoutNotificationReading,
    raw: Buffer,
    headers: IncomingHttpHeaders,
  ) => PayoutNotificationReading,
): Broken {
  return payouts(({ readNotification }) => ({
    readNotification: (raw, headers) => change(readNotification(raw, headers), raw, headers),
  }));
}

/** Lets `change` say what was found. */
function found(
  { find }: Provider,
  change: (state: PayoutState, id: string) => PayoutState,
): PayoutProvider['find'] {
  return async (id) => {
    const state = await find(id);
    return state === 'never_seen' ? state : change(state, id);
  };
}

/** Lets `change` answer for an order that `send` threw for. */
function afterSend(
  change: (error: GatewayError, id: string, provider: Provider) => Promise<PayoutState>,
): Broken {
  return payouts(({ send }, options) => {
    // The deadline of a hurried order is too short for a look on a busy machine.
    const patient = good.createPayouts!({ ...options, timeout_ms: 5_000 })!;
    return {
      send: (order) => send(order).catch((error: GatewayError) => change(error, order.id, patient)),
    };
  });
}

/** Whether the provider has an order, which on a busy machine is under way for longer than a hurried call. */
const isSeen = ({ find }: Provider, id: string): Promise<boolean> =>
  waitFor(async () => (await find(id)) !== 'never_seen', 3_000).catch((error: unknown) => {
    if (error instanceof GatewayError) throw error;
    return false;
  });

/** Takes what some error says for a sign that nothing was done. */
function believesNothingDone(words: string): Broken {
  return afterSend(async (error) => {
    throw error.message.includes(words) ? new GatewayError('refused', error.message) : error;
  });
}

/** Takes what some error says for a payout that has failed. */
function believesFailed(words: string): Broken {
  return afterSend(async (error) => {
    if (error.message.includes(words)) return FAILED;
    throw error;
  });
}

/** Lets `again` answer an order that was sent before. */
function repeats(again: (order: PayoutOrder, provider: Provider) => Promise<PayoutState>): Broken {
  const sent = new Set<string>();
  return payouts((provider) => ({
    send(order) {
      const key = `${order.id} ${order.amount}`;
      const isRepeated = sent.has(key);
      sent.add(key);
      return isRepeated ? again(order, provider) : provider.send(order);
    },
  }));
}

/** Takes what some error says for a refusal of the refund. */
function believesRefused(words: string): Broken {
  return gateway(({ refund }) => ({
    refund: (request) =>
      refund(request).catch((error: GatewayError) => {
        throw error.message.includes(words) ? new GatewayError('refused', error.message) : error;
      }),
  }));
}

const failure: PayoutFailure = { code: 'unspecified', message: 'It failed.', provider_code: null };
const FAILED: PayoutState = { status: 'failed', provider_payment_id: 'po', failure };
const IRRELEVANT = { ok: false, fault: 'irrelevant' } as const;

/** Ids of the adapter's own, one for each of ours. */
function otherIds(): (id: string) => string {
  const others = new Map<string, string>();
  return (id) => others.get(id) ?? others.set(id, crypto.randomUUID()).get(id)!;
}

const BROKEN: Readonly<Record<string, readonly [() => Broken, RegExp]>> = {
  'money.decimals': [
    () =>
      payouts((provider) => ({
        send: ({ amount, ...order }) =>
          provider.send({
            ...order,
            amount: (amount === 500_000n ? amount * 100n : amount) as Minor,
          }),
        find: found(provider, (state) =>
          state.paid === 50_000_000n ? { ...state, paid: 500_000n } : state,
        ),
      })),
    /"amount":"5000".*"amount":"500000"/,
  ],
  'money.exact': [
    () =>
      payouts(({ send }) => ({
        send: ({ amount, ...order }) => {
          const isLarge = amount > 100_000_000n && amount <= 200_000_000n;
          const rounded = amount - (amount % 10_000_000n);
          return send({ ...order, amount: (isLarge ? rounded : amount) as Minor });
        },
      })),
    /"amount":"1999999"/,
  ],
  'money.bounds': [
    () =>
      phones(({ charge }) => ({
        charge: ({ amount, ...order }) =>
          charge({ ...order, amount: (amount - (amount % 100n)) as Minor }),
      })),
    /500050 minor units of XOF.*no request.*"requests":1/,
  ],
  'money.currency': [
    () => payouts(({ send }) => ({ send: (order) => send({ ...order, currency: 'XOF' }) })),
    /minor units of EUR.*a refusal/,
  ],
  'money.paid': [
    () =>
      payouts((provider) => {
        const amounts = new Map<string, bigint>();
        return {
          send: (order) => provider.send(order).finally(() => amounts.set(order.id, order.amount)),
          find: found(provider, (state, id) =>
            state.paid === undefined ? state : { ...state, paid: amounts.get(id)! },
          ),
        };
      }),
    /says 6000 where 5000 was ordered.*600000.*500000/,
  ],
  'money.refunds': [
    () =>
      gateway(({ refund }) => ({
        refund: (order) => refund({ ...order, amount: 500_000n as Minor }),
      })),
    /refund/,
  ],
  'identity.key': [
    () => {
      const other = otherIds();
      return payouts(({ send, find }) => ({
        send: (order) => send({ ...order, id: other(order.id) }),
        find: (id) => find(other(id)),
      }));
    },
    /its id in the request/,
  ],
  'identity.twice': [
    () => repeats((order, { send }) => send({ ...order, id: crypto.randomUUID() })),
    /twice a payout.*one payment/,
  ],
  'identity.other_amount': [
    () =>
      afterSend(async (error, id, { find }) => {
        if (!error.message.includes('409')) throw error;
        return (await find(id)) as PayoutState;
      }),
    /500000, then a payout .* of 510000.*an error/,
  ],
  'identity.length': [
    () =>
      payouts(({ send, find }) => {
        // 35 characters are kept, and the first id that has them.
        const firsts = new Map<string, string>();
        const short = (id: string): string => {
          const begin = id.slice(0, 35);
          return firsts.get(begin) ?? firsts.set(begin, id).get(begin)!;
        };
        return {
          send: (order) => send({ ...order, id: short(order.id) }),
          find: (id) => find(short(id)),
        };
      }),
    /1 and .*2.*two payments/,
  ],
  'identity.environments': [
    () =>
      payouts((_, options) => {
        const settings = bench.settings('http://127.0.0.1:1');
        const sandbox = good.createPayouts!({ ...options, environment: 'sandbox', settings })!;
        return { readNotification: (raw, headers) => sandbox.readNotification(raw, headers) };
      }),
    /a callback of this environment to the other/,
  ],
  'identity.provider': [
    () =>
      payouts((provider) => ({
        find: found(provider, (state, id) =>
          state.status === 'succeeded' ? { ...state, provider_payment_id: `tx-${id}` } : state,
        ),
      })),
    /one id/,
  ],
  'identity.given_once': [
    () => {
      const given = new Map<string, string>();
      const short = (id: string): string =>
        given.get(id) ?? given.set(id, `T${given.size % 3}`).get(id)!;
      return payouts((provider) => ({
        send: async (order) => ({
          ...(await provider.send(order)),
          provider_payment_id: short(order.id),
        }),
        find: found(provider, (state, id) => ({ ...state, provider_payment_id: short(id) })),
      }));
    },
    /20 payouts at once.*an id of its own.*given_again.*T0/,
  ],
  'outcome.lost_before': [
    () =>
      afterSend(async (error, id, provider) => {
        const isThere = !error.message.includes('within') || (await isSeen(provider, id));
        throw isThere ? error : new GatewayError('refused', error.message);
      }),
    /never forwarded.*unknown.*not_done/,
  ],
  'outcome.lost_after': [
    () =>
      afterSend(async (error, id, provider) => {
        const isLost = error.message.includes('within') && (await isSeen(provider, id));
        throw isLost ? new GatewayError('refused', error.message) : error;
      }),
    /though forwarded.*unknown.*not_done/,
  ],
  'outcome.reset': [() => believesNothingDone('/payouts failed'), /reset.*unknown.*not_done/],
  'outcome.500': [() => believesNothingDone('500'), /500.*unknown.*not_done/],
  'outcome.502': [
    () =>
      afterSend(async (error) => {
        throw error.message.includes('502') ? new SyntaxError('Unexpected token <') : error;
      }),
    /502.*unknown.*SyntaxError/,
  ],
  'outcome.unreadable': [
    () => believesFailed('not valid'),
    /half a JSON object.*unknown.*"failed"/,
  ],
  'outcome.not_connected': [
    () =>
      afterSend(async ({ fault, message }) => {
        throw new GatewayError(fault, message, { outcome: 'unknown' });
      }),
    /nothing listens.*not_done.*unknown/,
  ],
  'outcome.401': [() => believesFailed('401'), /401.*not_done or unknown.*"failed"/],
  'outcome.429': [() => believesFailed('429'), /429.*not_done or unknown.*"failed"/],
  'outcome.never_seen': [
    () =>
      payouts(({ find }) => ({
        find: (id) =>
          find(id).catch((error: GatewayError) => {
            if (error.message.includes('404')) return 'never_seen';
            throw error;
          }),
      })),
    /a 404 page of HTML.*an error of the port.*never_seen/,
  ],
  'outcome.acknowledged': [
    () =>
      payouts(({ find }) => {
        const seen = new Set<string>();
        return {
          async find(id) {
            const state = await find(id);
            const isFirst = !seen.has(id);
            seen.add(id);
            return isFirst ? 'never_seen' : state;
          },
        };
      }),
    /the provider has as po_.*its state.*never_seen/,
  ],
  'outcome.repeat': [() => repeats(async () => FAILED), /again after it was accepted.*"failed"/],
  'outcome.truth': [
    () =>
      payouts(({ send, find }) => {
        const failed = new Set<string>();
        return {
          send: (order) =>
            send(order).catch((error: unknown) => {
              failed.add(order.id);
              throw error;
            }),
          find: async (id) => (failed.has(id) ? 'never_seen' : find(id)),
        };
      }),
    /before the connection broke.*`paid`.*never_seen/,
  ],
  'outcome.refusal': [
    () =>
      payouts(({ send }) => ({
        async send(order) {
          const state = await send(order);
          if (state.status === 'failed') throw new GatewayError('refused', 'refused');
          return state;
        },
      })),
    /000001.*`failed` with a code.*refused/,
  ],
  'outcome.callback': [
    () =>
      payouts(({ send, find, readNotification }) => {
        const sent = new Map<string, PayoutState>();
        const announced = new Set<string>();
        return {
          async send(order) {
            const state = await send(order);
            sent.set(order.id, state);
            return state;
          },
          find: async (id) => (announced.delete(id) ? sent.get(id)! : find(id)),
          readNotification(raw, headers) {
            const reading = readNotification(raw, headers);
            if (reading.ok) announced.add(reading.payout_id);
            return reading;
          },
        };
      }),
    /after its callback.*`paid`.*under_way/,
  ],
  'outcome.refunds': [() => believesRefused('429'), /again, answered with 429.*not_done.*refused/],
  'callbacks.bytes': [
    () =>
      payouts(({ readNotification }) => ({
        readNotification: (raw, headers) =>
          readNotification(Buffer.from(raw.toString().trim()), headers),
      })),
    /the fault `signature`/,
  ],
  'callbacks.key': [
    () => payouts(() => ({ mayBeSigned: () => true })),
    /without a signature.*mayBeSigned false/,
  ],
  'callbacks.rotated': [
    () =>
      payouts((_, options) => {
        const SANDBOX_SECRETS = options.settings['SANDBOX_SECRETS']!.split(',')[0]!;
        const settings = { ...options.settings, SANDBOX_SECRETS };
        const current = good.createPayouts!({ ...options, settings })!;
        return { readNotification: (raw, headers) => current.readNotification(raw, headers) };
      }),
    /the previous secret/,
  ],
  'callbacks.replay': [
    () => {
      const seen = new Set<string>();
      return reads((reading, raw) => {
        const isSeen = seen.has(raw.toString());
        if (reading.ok) seen.add(raw.toString());
        return isSeen ? IRRELEVANT : reading;
      });
    },
    /the same callback three times/,
  ],
  'callbacks.early': [
    () =>
      payouts(({ send, readNotification }) => {
        const under_way = new Set<string>();
        return {
          send: (order) => {
            under_way.add(order.id);
            return send(order).finally(() => under_way.delete(order.id));
          },
          readNotification(raw, headers) {
            const reading = readNotification(raw, headers);
            return reading.ok && under_way.has(reading.payout_id) ? IRRELEVANT : reading;
          },
        };
      }),
    /while the order waits for its answer/,
  ],
  'callbacks.method': [
    () => ({
      ...reads((reading, _, headers) =>
        headers['x-signed-method'] === 'PUT' ? { ok: false, fault: 'signature' } : reading,
      ),
      bench: {
        ...bench,
        callbacks: {
          ...bench.callbacks!,
          sign: (raw, secret, of) => ({
            ...bench.callbacks!.sign(raw, secret, of),
            'X-Signed-Method': of.method,
          }),
        },
      },
    }),
    /a callback by PUT/,
  ],
  'callbacks.new_fields': [
    () =>
      reads((reading, raw) =>
        raw.includes('kit_new_field') ? { ok: false, fault: 'malformed' } : reading,
      ),
    /kit_new_field.*malformed/,
  ],
  'callbacks.malformed': [
    () =>
      reads((reading, raw) => {
        const isOdd = !reading.ok && reading.fault === 'malformed';
        const { payout_id } = isOdd ? (JSON.parse(raw.toString()) as { payout_id: string }) : {};
        return payout_id === undefined ? reading : { ok: true, payout_id };
      }),
    /"payout_id":"".*`malformed`/,
  ],
  'callbacks.new_status': [
    () =>
      payouts(({ find }) => ({
        find: (id) =>
          find(id).catch((error: GatewayError) => {
            if (String(error.cause).includes('must be one of')) return FAILED;
            throw error;
          }),
      })),
    /KIT_UNHEARD_OF.*an error, or under way.*"failed"/,
  ],
  'lists.pages': [
    () =>
      payouts(({ list }) => ({
        async list(window, cursor) {
          const page = await list(window, cursor);
          return cursor === undefined ? page : { ...page, items: page.items.slice(1) };
        },
      })),
    /two more after the first page.*each of them once.*"lost":\["po_/,
  ],
  'lists.windows': [
    () =>
      payouts(({ list }) => ({
        list: ({ from, to }, cursor) =>
          list({ from, to: new Date(Date.parse(to) + 1).toISOString() }, cursor),
      })),
    /windows that meet at/,
  ],
  'hygiene.addresses': [
    () =>
      payouts(({ find }, { settings }) => ({
        async find(id) {
          await request(`${settings['URL']!}/payouts/of?phone=%2B221770000100`);
          return find(id);
        },
      })),
    /GET \/payouts\/of\?phone.*a phone/,
  ],
  'hygiene.errors': [
    () =>
      afterSend(async (error) => {
        const { fault, message, outcome } = error;
        throw new GatewayError(fault, `${message} for +221770000100`, { outcome });
      }),
    /a phone in: POST \/payouts returned 500/,
  ],
  'hygiene.deadline': [
    () => ({
      adapter: {
        ...good,
        createPayouts: (options) => good.createPayouts!({ ...options, timeout_ms: 60_000 }),
      },
    }),
    /byte by byte.*has not settled/,
  ],
  'hygiene.hosts': [
    () =>
      payouts(({ find }) => ({
        async find(id) {
          await request('http://127.0.0.2:1/').catch(() => undefined);
          return find(id);
        },
      })),
    /only.*127\.0\.0\.2:1/,
  ],
  'hygiene.requests': [
    () => {
      const { adapter } = payouts(({ send }) => ({
        send: (order) => send(order).catch(() => send(order)),
      }));
      return { adapter: adapter! };
    },
    /answered with 500.*one request.*2/,
  ],
};

const failed = (findings: readonly Finding[]) => findings.filter(({ result }) => result !== 'ok');

it('passes the adapter of the simulated operators, in all', async () => {
  expect(failed(await checkAdapter(good, bench))).toEqual([]);
});

it('tells the causes of an error that a good order led to', async () => {
  const { adapter } = payouts(() => ({
    send: () =>
      Promise.reject(
        new GatewayError('unreachable', 'POST /pay failed', { cause: new Error('socket hang up') }),
      ),
  }));
  const [finding] = await checkAdapter(adapter!, bench, { only: 'identity.provider' });
  expect(finding).toMatchObject({ got: 'GatewayError: POST /pay failed <- socket hang up' });
});

it('tells why nobody listens, though the cause has no message', async () => {
  const settings = () => bench.settings('http://localhost:1');
  const [finding] = await checkAdapter(good, { ...bench, settings }, { only: 'identity.provider' });
  expect(finding).toMatchObject({ got: expect.stringContaining('ECONNREFUSED') as string });
});

it('has a broken adapter for each of its checks', () => {
  expect(Object.keys(BROKEN)).toEqual(CHECKS.map(({ id }) => id));
});

const FURTHER: readonly (readonly [string, () => Broken, RegExp])[] = [
  [
    'money.bounds',
    () =>
      phones(({ charge }) => ({
        charge: (order) =>
          charge({ ...order, amount: order.amount < 10_000n ? (10_000n as Minor) : order.amount }),
      })),
    / of 9900 minor units.*amount_out_of_bounds/,
  ],
  [
    'identity.given_once',
    () =>
      gateway(({ refund, findRefund }) => {
        let made = '';
        return {
          async refund(request) {
            const state = await refund(request);
            made = state.refund_id;
            return { ...state, refund_id: 'RF' };
          },
          findRefund: () => findRefund(made),
        };
      }),
    /refunds of 4 payments.*an id of its own.*RF/,
  ],
  [
    'outcome.repeat',
    () => repeats(() => Promise.reject(new GatewayError('refused', 'The float is empty'))),
    /again after it was accepted.*unknown.*The float is empty/,
  ],
  ['outcome.refunds', () => believesRefused('401'), /again, answered with 401.*not_done.*refused/],
  ['outcome.refunds', () => believesRefused('within'), /though forwarded.*unknown.*not_done/],
  [
    'outcome.refunds',
    () =>
      gateway(({ refund }) => ({
        refund({ idempotency_key, ...request }) {
          const key = request.may_exist ? crypto.randomUUID() : idempotency_key;
          return refund({ ...request, idempotency_key: key });
        },
      })),
    /then again the one refund, made .*refunded before/,
  ],
];

const ROWS = Object.entries(BROKEN).map(([id, [broken, words]]) => [id, broken, words] as const);

it.each([...ROWS, ...FURTHER])('%s fails an adapter that breaks it', async (only, make, words) => {
  const broken = make();
  const findings = await checkAdapter(broken.adapter ?? good, broken.bench ?? bench, { only });
  const [found] = failed(findings) as Extract<Finding, { readonly result: 'failed' }>[];
  const { sent, expected, got } = found!;
  expect(`${sent} ${expected} ${got}`).toMatch(words);
});

it('passes the adapter of pawaPay, in all that applies to it', async () => {
  const found = failed(await checkAdapter(pawapay.adapter, pawapay.bench));
  expect(found.map(({ id, result }) => `${id} ${result}`)).toEqual([
    'callbacks.method skipped',
    'lists.pages skipped',
    'lists.windows skipped',
  ]);
});

it('skips what does not apply, and says why', async () => {
  const no_refunds = { ...bench, refunds: false };
  const [found] = await checkAdapter(good, no_refunds, { only: 'outcome.refunds' });
  const reason = 'the provider makes no refunds';
  expect(found).toMatchObject({ result: 'skipped', reason });
});

it('does not pass an adapter of which nothing can be checked', async () => {
  const createGateway = (options: AdapterOptions): Gateway => {
    const { phones: _, ...page } = good.createGateway!(options)!;
    return page;
  };
  const { charge: _, payout: __, ...empty } = bench;
  const nothing = /Nothing of sandbox was checked.*payments by phone.*payouts/;
  await expect(checkAdapter({ name: 'sandbox', createGateway }, bench)).rejects.toThrow(nothing);
  await expect(checkAdapter(good, empty)).rejects.toThrow(nothing);
});

const MAIN = join(__dirname, '..', '..', 'dist', 'dev', 'adapter-kit', 'main.js');

it('names the adapters that there are, for a name that is none', () => {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'simulated'], { encoding: 'utf8' });
  expect(stderr).toMatch(/adapters.simulated.adapter\.js\. There are: pawapay, sandbox/);
  expect(status).toBe(1);
});

it('ends with the status 1 where nothing can be checked', () => {
  const folder = mkdtempSync(join(tmpdir(), 'adapter-kit-'));
  closeAfterFile(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'adapter.js');
  writeFileSync(file, `exports.default = { name: 'page', createGateway: () => ({}) };`);
  const start = `async () => ({ url: 'http://127.0.0.1:1', stop: async () => {} })`;
  writeFileSync(
    join(folder, 'bench.js'),
    `exports.default = { start: ${start}, settings: () => ({}) };`,
  );
  const { status, stderr } = spawnSync(process.execPath, [MAIN, `module:${file}`], {
    encoding: 'utf8',
  });
  expect(stderr).toMatch(/Nothing of page was checked/);
  expect(status).toBe(1);
});

it('plays recordings in place of a simulator', async () => {
  const state = {
    payout_id: '{{id}}',
    provider_payment_id: 'po_{{id}}',
    status: 'succeeded',
    currency: 'XOF',
    paid: '{{amount}}',
    returned: '0',
    failure: null,
  };
  const error = (code: string) => ({ error: { code, message: 'No.' } });
  const sent = { payout_id: '{{id}}', amount: '{{amount}}', currency: 'XOF' };
  const post = { method: 'POST', path: '/payouts', body: sent };
  const get = { method: 'GET', path: '/payouts/{{id}}' };
  const recordings: Recording[] = [
    { request: post, response: { status: 200, body: { ...state, status: 'sent', paid: null } } },
    { request: post, response: { status: 200, body: state } },
    { request: post, response: { status: 409, body: error('conflict') }, when: 'conflict' },
    { request: get, response: { status: 200, body: { ...state, status: 'sent', paid: null } } },
    { request: get, response: { status: 200, body: state } },
    { request: get, response: { status: 404, body: error('payout_not_seen') }, when: 'unseen' },
  ];
  const folder = mkdtempSync(join(tmpdir(), 'recordings-'));
  closeAfterFile(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'recordings.json');
  writeFileSync(file, JSON.stringify(recordings));
  const { charge: _, ...payouts_only } = bench;
  const played = { ...payouts_only, start: () => playRecordings(file) };
  const only_payouts: AdapterModule = {
    name: good.name,
    createPayouts: (options) => good.createPayouts!(options),
  };
  const checks = ['never_seen', 'acknowledged', 'repeat', 'truth'].map((one) => `outcome.${one}`);
  for (const only of ['identity.', 'money.exact', ...checks]) {
    expect(failed(await checkAdapter(only_payouts, played, { only }))).toEqual([]);
  }
});

it('makes a folder that compiles, for a name and in a folder that the author gives', () => {
  const root = join(__dirname, '..', '..');
  const run = (...given: readonly string[]) =>
    execFileSync(process.execPath, [join(root, 'dev', 'adapter-kit', 'new.mjs'), ...given], {
      cwd: root,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  const folder = `.data/adapter-kit-${process.pid}`;
  closeAfterFile(() => rmSync(join(root, folder), { recursive: true, force: true }));
  expect(run('kola_pay', folder)).toContain('npm run adapter:check');
  const settings = { extends: '../../tsconfig.json', include: ['./*.ts'] };
  writeFileSync(join(root, folder, 'tsconfig.json'), JSON.stringify(settings));
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const args = ['--noEmit', '--rootDir', '../..', '-p', 'tsconfig.json'];
  execFileSync(tsc, args, { cwd: join(root, folder), stdio: 'pipe' });
  expect(() => run('kola_pay', folder)).toThrow('is there already');
  expect(() => run('Kola Pay')).toThrow('Usage');
  expect(() => run('kola_pay', '/nowhere')).toThrow('The build compiles');
});
