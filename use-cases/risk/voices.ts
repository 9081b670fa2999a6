// Others than the rules are asked about an order before it is posted, without a lock and without a connection to the
// database. The posting says when that is due, so that an order about which none is asked takes no statement more, and
// a voice is heard from the first posting after it was set.

import type { NewPayout } from '../../db/payouts/payouts';
import type { AskedOrder, Heard } from '../../domain/risk';

/** Returns undefined when it has no say in such orders. */
export type Voice = (order: AskedOrder) => Promise<Heard | undefined>;

export interface Voices {
  /**
   * Posts an order with what the voices say of it. `post` returns `unasked` when it was called without and has written
   * nothing, because they are to be asked first.
   */
  hear<Posted>(
    order: AskedOrder,
    post: (heard?: Heard) => Promise<Posted | 'unasked'>,
  ): Promise<Posted>;
  /** Asks all at once. */
  ask(order: AskedOrder): Promise<Heard>;
}

export function createVoices(voices: readonly Voice[]): Voices {
  // A posting has said so of the like: the next are asked about at once, and are posted once.
  const due = new Set<string>();
  const kindOf = ({ type, environment }: AskedOrder): string => `${type}/${environment}`;
  const ask = async (order: AskedOrder): Promise<Heard> => {
    const heard = await askVoices(voices, order);
    if (heard === undefined) due.delete(kindOf(order));
    else due.add(kindOf(order));
    return heard ?? { reasons: [], asked: {} };
  };
  return {
    ask,
    async hear(order, post) {
      const posted = due.has(kindOf(order)) ? await post(await ask(order)) : await post();
      const last = posted === 'unasked' ? await post(await ask(order)) : posted;
      if (last === 'unasked') throw new Error(`the posting of ${order.id} takes no answer`);
      return last;
    },
  };
}

/** Returns undefined when none has a say. */
export async function askVoices(
  voices: readonly Voice[],
  order: AskedOrder,
): Promise<Heard | undefined> {
  const said = await Promise.all(voices.map((voice) => voice(order)));
  const heard = said.filter((one) => one !== undefined);
  if (heard.length === 0) return undefined;
  return {
    reasons: heard.flatMap(({ reasons }) => reasons),
    asked: Object.assign({}, ...heard.map(({ asked }) => asked)) as Heard['asked'],
  };
}

/** A payout, as others are asked about it. */
export function askedPayout({
  reference,
  phone,
  operator,
  account,
  bank_code,
  ...payout
}: Omit<NewPayout, 'fingerprint'>): AskedOrder {
  const { environment, user_id, currency, amount_minor, ip = null, batch_id } = payout;
  const name = payout.name ?? payout.holder;
  return {
    id: reference,
    type: 'payout',
    environment,
    user_id,
    currency,
    amount_minor,
    recipient: phone === null ? { account: account!, bank_code, name } : { phone, operator, name },
    ip,
    batch_id,
  };
}
