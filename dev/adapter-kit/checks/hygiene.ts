// An adapter's traces in logs, and its behaviour towards the network.

import { demand, each, nameOf, orderUnder, tryTo, type Check } from '../check';
import { HURRIED_MS, NeverSettled, RECIPIENT, type Stand } from '../stand';

export const HYGIENE: readonly Check[] = [
  {
    id: 'hygiene.addresses',
    name: 'no address holds a key, a phone or a name',
    protects_from: 'Addresses are written into the logs of every proxy on the way.',
    advice: 'Send such things in headers and bodies; look orders up by our id.',
    async run(stand) {
      await exercise(stand);
      for (const { method, path } of stand.proxy.exchanges) {
        const found = secretIn(stand, decodeURIComponent(path));
        demand(found === undefined, `${method} ${path}`, 'an address without it', found);
      }
    },
  },
  {
    id: 'hygiene.errors',
    name: 'no error holds a key, a phone or a name',
    protects_from: 'Errors are logged, and shown in Temporal’s history to whoever may read that.',
    advice: 'Name the method, the path and the status; never the request or its headers.',
    async run(stand) {
      await exercise(stand);
      for (const words of stand.errors) {
        const found = secretIn(stand, words);
        demand(
          found === undefined,
          'orders that met faults',
          'errors without it',
          found && `${found} in: ${words}`,
        );
      }
    },
  },
  {
    id: 'hygiene.deadline',
    name: 'a call ends at its deadline, even while bytes arrive',
    protects_from: 'A provider that answers byte by byte would hold a worker’s place for hours.',
    advice:
      'Set one deadline for the whole call, body included: `AbortSignal.timeout(timeout_ms)`.',
    run: each(async (side, stand) => {
      const order = stand.order(side);
      const { result } = await orderUnder(stand, side, order, { fault: 'drip' }, side.hurried);
      const isRight = result.status === 'error' && !(result.error instanceof NeverSettled);
      demand(
        isRight,
        `${nameOf(side, order)}, answered byte by byte`,
        `an error soon after ${HURRIED_MS} ms`,
        result,
      );
    }),
  },
  {
    id: 'hygiene.hosts',
    name: 'the adapter talks to the host of its settings and to no other',
    protects_from:
      'An address in the code sends sandbox orders to the live host, and customers’ data to others.',
    advice: 'Take every address from the settings, and follow no redirect.',
    async run(stand) {
      await exercise(stand);
      const others = [...stand.hosts].filter((host) => host !== `127.0.0.1:${stand.proxy.port}`);
      demand(others.length === 0, 'orders and looks', `127.0.0.1:${stand.proxy.port} only`, others);
    },
  },
  {
    id: 'hygiene.requests',
    name: 'an order is one request, and is never repeated by the adapter',
    protects_from:
      'The service decides by the promises whether an order may be repeated; a phone is rung once.',
    advice: 'Switch off the repeats of your HTTP client.',
    run: each(async (side, stand) => {
      const most = stand.bench.requests_for_an_order ?? 1;
      await side.ask(stand.order(side));
      const before = stand.proxy.exchanges.length;
      const order = stand.order(side);
      await side.ask(order);
      const made = stand.proxy.exchanges.length - before;
      demand(made <= most, `${nameOf(side, order)}: its requests`, `at most ${most}`, made);
      const failed = await orderUnder(stand, side, stand.order(side), { fault: '500' });
      demand(failed.requests === 1, 'an order, answered with 500', 'one request', failed.requests);
    }),
  },
];

/** An order that is paid, one that meets a fault, and looks: what is left over is looked at. */
async function exercise(stand: Stand): Promise<void> {
  for (const side of stand.sides) {
    const order = stand.order(side);
    await tryTo(() => side.ask(order));
    await tryTo(() => stand.settle(side, order));
    await orderUnder(stand, side, stand.order(side), { fault: '500' });
    await stand.proxy.during({ fault: '502' }, () => side.find(order.id).catch(() => undefined));
  }
}

/** Names the kind of secret in the text; undefined when there is none. */
function secretIn({ bench, sides }: Stand, text: string): string | undefined {
  if (bench.secrets.some((secret) => text.includes(secret))) return 'a secret';
  const phones = sides.map(({ examples }) => examples.pays.phone.slice(1));
  if (phones.some((phone) => text.includes(phone))) return 'a phone';
  return text.includes(RECIPIENT) ? 'a name' : undefined;
}
