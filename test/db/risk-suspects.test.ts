// Only those transfers of a group are decided rule by rule about which a rule may say something: what is left out is
// what all rules let pass.

import { randomInt } from 'node:crypto';
import { createTestDatabase, setUp } from '../support/database';
import { buildTransferRequest, post } from '../support/postings';
import { removeRules, setRule } from '../support/risk';
import { buildUser, type TestUser } from '../support/users';

const database = setUp(createTestDatabase);
const people = setUp(() =>
  Promise.all(
    Array.from({ length: 4 }, () =>
      buildUser(database.db, { funds: { live: { XOF: 100_000_000n, EUR: 100_000_000n } } }),
    ),
  ),
);
const one = <T>(of: readonly T[]): T => of[randomInt(of.length)]!;

const RULES = [
  () => ({ kind: 'amount', above_minor: one([10_000, 60_000, 90_000]) }),
  () => ({ kind: 'first_recipient', above_minor: one([30_000, 90_000]) }),
  () => ({
    kind: 'velocity',
    counted_by: one(['account', 'recipient', 'ip']),
    window_seconds: one([10, 3_600]),
    most_count: one([2, 5, 12]),
    most_minor: one([null, 400_000]),
  }),
  () => ({
    kind: 'structuring',
    counted_by: one(['account', 'recipient']),
    window_seconds: 3_600,
    most_count: one([1, 4]),
    threshold_minor: one([50_000, 100_000]),
    margin_percent: one([10, 60]),
  }),
];

const transfer = () => {
  const from = one(people);
  const to = one(people.filter(({ id }) => id !== from.id));
  const currency = one(['XOF', 'EUR'] as const);
  return {
    ...buildTransferRequest({ from, to, currency, amount: amount() }),
    ip: one(['::1', '::2']),
  };
};
const amount = (): bigint => BigInt(one([100, 30_000, 45_000, 75_000, 99_900]));

interface Looked {
  readonly suspects: readonly number[];
  readonly said: readonly number[];
}

/** The places that are suspect, and those of which some rule says something after all before it have passed. */
async function look(orders: readonly ReturnType<typeof transfer>[], users: readonly TestUser[]) {
  const idOf = new Map(users.map(({ username, id }) => [username, id]));
  const { rows } = await database.owner.raw(
    `with o as (
       select array_agg(row('transfer', x.environment, x.sender_id, x.recipient_id, x.to_username, x.ip, x.currency,
                            x.amount_minor, null)::risk_order order by x.place) as orders
         from jsonb_to_recordset(?::jsonb) as x (place int, environment text, sender_id uuid, recipient_id uuid,
              to_username text, ip text, currency text, amount_minor bigint))
     select risk_suspects(o.orders) as suspects,
            array(select n from generate_subscripts(o.orders, 1) n
                   where risk_reasons(o.orders[n], o.orders[1:n - 1]) <> '[]') as said
       from o`,
    [
      JSON.stringify(
        orders.map((order, place) => ({
          ...order,
          place,
          recipient_id: idOf.get(order.to_username),
        })),
      ),
    ],
  );
  return (rows as Looked[])[0]!;
}

it('has among its suspects all of which a rule says something, and few others', async () => {
  let [said, suspected, all] = [0, 0, 0];
  for (let round = 0; round < 40; round += 1) {
    await removeRules(database.owner);
    await setRule(database.operator, {
      name: 'by-address',
      kind: 'velocity',
      counted_by: 'ip',
      window_seconds: 10,
      most_count: 10_000,
      watches: ['transfer'],
    });
    await post(database.db, Array.from({ length: 3 }, transfer));
    for (let n = 0; n < 4; n += 1) {
      const rule = { currency: one(['XOF', 'EUR']), watches: ['transfer'], ...one(RULES)() };
      await setRule(database.operator, { name: `rule-${n}`, ...rule });
    }
    const orders = Array.from({ length: 20 }, transfer);
    const looked = await look(orders, people);
    expect(looked.said.filter((place) => !looked.suspects.includes(place))).toEqual([]);
    said += looked.said.length;
    suspected += looked.suspects.length;
    all += orders.length;
  }
  expect(said).toBeGreaterThan(50);
  expect(suspected).toBeLessThan((said + all) / 2);
});
