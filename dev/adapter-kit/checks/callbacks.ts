// Callbacks: whom an adapter believes, and what it makes of a notification.

import type { IncomingHttpHeaders } from 'node:http';
import type { CallbackRequest } from '../bench';
import { demand, each, shown, Skip, tryTo, type Check } from '../check';
import type { Side, Stand } from '../stand';
import { waitFor } from '../wait';

export const CALLBACKS: readonly Check[] = [
  {
    id: 'callbacks.bytes',
    name: 'a callback with one byte changed or added is refused',
    protects_from:
      'A signature over a body that was parsed and written again covers something else than what came.',
    advice: 'Verify the signature over `raw`, before anything is parsed.',
    run: signed(async (side, stand) => {
      const { raw, headers } = made(stand, side);
      const middle = raw.length >> 1;
      const flipped = Buffer.from(raw).fill(raw[middle]! ^ 1, middle, middle + 1);
      for (const other of [
        flipped,
        Buffer.concat([raw, Buffer.from('\n')]),
        Buffer.from([0xff, 0]),
      ]) {
        const reading = side.read(other, headers);
        demand(
          reading === 'signature',
          `a signed callback as ${shown(other.toString())}`,
          'the fault `signature`',
          reading,
        );
      }
    }),
  },
  {
    id: 'callbacks.key',
    name: 'a callback with a wrong signature, or with none, is refused',
    protects_from: 'Anybody could announce payments.',
    advice: 'Compare in constant time, with each of the secrets that are configured.',
    run: signed(async (side, stand) => {
      const { raw, headers } = made(stand, side, { secret: stand.bench.callbacks!.secrets.wrong });
      const reading = side.read(raw, headers);
      demand(
        reading === 'signature',
        'a callback signed with a wrong secret',
        'the fault `signature`',
        reading,
      );
      const bare = { 'content-type': 'application/json' };
      const unsigned = [side.mayBeSigned(bare), side.read(raw, bare)];
      demand(
        !unsigned[0] && unsigned[1] === 'not_ours',
        'a callback without a signature',
        'mayBeSigned false, and the fault `not_ours`',
        unsigned,
      );
    }),
  },
  {
    id: 'callbacks.rotated',
    name: 'the secret before the current one is still accepted',
    protects_from: 'During a rotation the provider signs with the old secret for a while.',
    advice: 'Take a list of secrets in the settings.',
    run: signed(async (side, stand) => {
      const { current, previous } = stand.bench.callbacks!.secrets;
      for (const [name, secret] of [
        ['current', current],
        ['previous', previous],
      ] as const) {
        const { id, raw, headers } = made(stand, side, { secret });
        const reading = side.mayBeSigned(headers)
          ? side.read(raw, headers)
          : 'mayBeSigned is false';
        demand(
          reading === id,
          `a callback signed with the ${name} secret`,
          `the id ${id}`,
          reading,
        );
      }
    }),
  },
  {
    id: 'callbacks.replay',
    name: 'a callback that comes again is read the same way',
    protects_from:
      'Providers send again what they have no answer to: a second one that is an error is sent for days.',
    advice: 'Keep nothing in memory about callbacks: the service books money once by itself.',
    run: signed(async (side, stand) => {
      const { id, raw, headers } = made(stand, side);
      const readings = [1, 2, 3].map(() => side.read(raw, headers));
      demand(
        readings.every((one) => one === id),
        'the same callback three times',
        `the id ${id} each time`,
        readings,
      );
    }),
  },
  {
    id: 'callbacks.early',
    name: 'a callback that is there before the answer of the order is read',
    protects_from:
      'Operators confirm faster than they answer; Hyperswitch lost such callbacks (#10340).',
    advice:
      'Read our id out of the callback; do not look it up among the orders that were answered.',
    run: signed(async (side, stand) => {
      const order = stand.order(side);
      let release = (): void => undefined;
      const hold = new Promise<void>((resolve) => (release = resolve));
      const on = await stand.isOrder(side);
      const before = stand.proxy.exchanges.length;
      await stand.proxy.during({ on, hold }, async () => {
        const asking = tryTo(() => side.ask(order));
        const isSent = () => stand.proxy.exchanges.slice(before).find(on);
        await waitFor(isSent, 2_000);
        const { raw, headers } = made(stand, side, { id: order.id });
        const reading = side.read(raw, headers);
        release();
        await asking;
        demand(
          reading === order.id,
          'a callback while the order waits for its answer',
          `the id ${order.id}`,
          reading,
        );
      });
    }),
  },
  {
    id: 'callbacks.method',
    name: 'a callback is read in each of the methods that the provider uses',
    protects_from: 'MTN sends with PUT what its documentation shows with POST.',
    advice: 'Do not take a method for granted where it is signed.',
    run: signed(async (side, stand) => {
      const { methods } = stand.bench.callbacks!;
      if (methods.length < 2) throw new Skip(`the bench names ${methods.join()} only`);
      for (const method of methods) {
        const { id, raw, headers } = made(stand, side, { method });
        const reading = side.read(raw, headers);
        demand(reading === id, `a callback by ${method}`, `the id ${id}`, reading);
      }
    }),
  },
  {
    id: 'callbacks.new_fields',
    name: 'fields that nobody has heard of are passed over',
    protects_from: 'Providers add fields without a word: all payments would stop on that day.',
    advice: 'Read the fields that you need, and look at no others.',
    run: each(async (side, stand) => {
      if (takes(stand, side)) {
        const { id, raw, headers } = made(stand, side, { change: withNewField });
        const reading = side.read(raw, headers);
        demand(reading === id, `the callback ${shown(raw.toString())}`, `the id ${id}`, reading);
      }
      const order = stand.order(side);
      await side.ask(order);
      const told = await stand.proxy.during({ change: withNewField }, () =>
        tryTo(() => stand.settle(side, order)),
      );
      demand(told.status === 'paid', 'an answer with a field `kit_new_field`', '`paid`', told);
    }),
  },
  {
    id: 'callbacks.malformed',
    name: 'a signed callback that has no id of ours is refused, and nothing is thrown',
    protects_from:
      'Another system has the same account and sends its own callbacks here: an error is sent again for days.',
    advice: 'Check the id with `isRowId`, and return `malformed`, or `irrelevant`.',
    run: signed(async (side, stand) => {
      const { id } = stand.order(side);
      const withId = (other: string) => (body: string) => body.replaceAll(id, other);
      const bodies = ['{', 'null', '[]', '"x"', '7'].map((text) => () => text);
      for (const change of [...['', 'x', id.toUpperCase(), `${id}0`].map(withId), ...bodies]) {
        const { raw, headers } = made(stand, side, { id, change });
        const sent = `the callback ${shown(raw.toString())}`;
        let reading: unknown;
        try {
          reading = side.read(raw, headers);
        } catch (error) {
          reading = error;
        }
        const isRefused = ['malformed', 'irrelevant'].includes(reading as string);
        demand(isRefused, sent, '`malformed`, or `irrelevant`', reading);
      }
    }),
  },
  {
    id: 'callbacks.new_status',
    name: 'a status that nobody has heard of is asked about, and not guessed',
    protects_from: 'A new word for “under review” that is read as a failure is paid for twice.',
    advice:
      'Throw for a status that you do not know, or call it waiting; never `failed`, never `paid`.',
    run: each(async (side, stand) => {
      const { word_for_paid: word } = side.examples;
      const change = (text: string): string => text.replaceAll(word, '"KIT_UNHEARD_OF"');
      const order = stand.order(side);
      await side.ask(order);
      await stand.settle(side, order);
      let answers = '';
      const told = await stand.proxy.during(
        { change: (answer) => change((answers += answer)) },
        () =>
          tryTo(async () => {
            const found = await side.find(order.id);
            return found === 'never_seen' ? Promise.reject(new Error(found)) : found;
          }),
      );
      demand(
        answers.includes(word),
        `a look for ${order.id}`,
        `${word} in the answer, as the bench says`,
        answers,
      );
      const isAsked = told.status === 'under_way' || told.status === 'error';
      const sent = `an answer that says "KIT_UNHEARD_OF" for ${word}`;
      demand(isAsked, sent, 'an error, or under way', told);
      if (!takes(stand, side)) return;
      const { id, raw, headers } = made(stand, side, { id: order.id, change });
      const reading = side.read(raw, headers);
      demand(
        [id, 'malformed'].includes(reading),
        `the callback ${shown(raw.toString())}`,
        `the id ${id}, or \`malformed\``,
        reading,
      );
    }),
  },
];

/** For the kinds of which the provider sends callbacks. */
function signed(run: (side: Side, stand: Stand) => Promise<void>): Check['run'] {
  return each(async (side, stand) => {
    if (!takes(stand, side)) throw new Skip(`the bench makes no callbacks of a ${side.kind}`);
    await run(side, stand);
  });
}

export function takes({ bench }: Stand, { kind }: Side): boolean {
  return bench.callbacks?.kinds.includes(kind) ?? false;
}

export interface Made {
  readonly id: string;
  readonly raw: Buffer;
  readonly headers: IncomingHttpHeaders;
}

/** A callback that is signed as the provider signs, with the current secret of the sandbox unless another is named. */
export function made(
  stand: Stand,
  side: Side,
  how: {
    readonly id?: string;
    readonly secret?: string;
    readonly method?: CallbackRequest['method'];
    readonly change?: (body: string) => string;
  } = {},
): Made {
  const { kind } = side;
  const callbacks = stand.bench.callbacks!;
  const { secrets, methods } = callbacks;
  const { id = stand.order(side).id, secret = secrets.current, method = methods[0]! } = how;
  const raw = Buffer.from((how.change ?? String)(callbacks.body({ kind, id })));
  const signature = Object.entries(callbacks.sign(raw, secret, { kind, method }));
  const headers = Object.fromEntries(signature.map(([name, value]) => [name.toLowerCase(), value]));
  return { id, raw, headers: { 'content-type': 'application/json', ...headers } };
}

function withNewField(text: string): string {
  return text.replace(/\{(?=\s*")/, '{"kit_new_field":[1],');
}
