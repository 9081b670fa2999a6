// Only those transfers of a group are decided rule by rule about which a rule may say something: what is left out is
// what all rules let pass. What much was read for is kept as room, and no more passes for it.

import { randomInt } from 'node:crypto';
import { createTestDatabase, setUp } from '../support/database';
import { buildTransferRequest, post } from '../support/postings';
import { decide, latestCase, removeRule, removeRules, setRule } from '../support/risk';
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

describe('room', () => {
  /** Set so long ago that room is kept for them. */
  const age = () =>
    database.owner.raw(`update risk_rules set set_at = set_at - interval '1 minute'
                         where set_at > clock_timestamp() - interval '1 minute'`);
  const rows = async (): Promise<number> =>
    (await database.owner.raw('select * from risk_room')).rows.length;
  const velocity = {
    name: 'velocity',
    kind: 'velocity',
    counted_by: 'account',
    window_seconds: 3_600,
    watches: ['transfer'],
  };
  let from: TestUser;
  let to: TestUser;
  const send = async (size: number, price = 100n): Promise<string[]> =>
    (
      await post(
        database.db,
        Array.from({ length: size }, () => buildTransferRequest({ from, to, amount: price })),
      )
    ).map(({ outcome }) => outcome);
  const passed = async (groups: readonly number[], price?: bigint): Promise<number> => {
    let number = 0;
    for (const size of groups) {
      number += (await send(size, price)).filter((outcome) => outcome === 'completed').length;
    }
    return number;
  };

  beforeEach(async () => {
    await removeRules(database.owner);
    const funds = { live: { XOF: 10_000_000n } };
    from = await buildUser(database.db, { funds });
    to = await buildUser(database.db);
  });

  it.each([
    ['a number', { most_count: 90 }, 90],
    ['a sum', { most_minor: 9_050 }, 90],
    ['the stricter of both', { most_count: 70, most_minor: 9_050 }, 70],
    ['the strictest of several', { most_count: 90, counted_by: 'recipient' }, 65],
  ])('lets pass what a rule with %s does, and no more', async (_what, rule, most) => {
    await setRule(database.operator, { ...velocity, ...rule });
    if (most === 65) {
      await setRule(database.operator, { ...velocity, ...rule, name: 'stricter', most_count: 65 });
    }
    await age();
    // Groups that fit, one that does not fit into what is left, and what comes after it.
    expect(await passed([20, 14, 1, 20, 1])).toBe(56);
    expect(await rows()).toBeGreaterThan(0);
    await database.db.raw('select drop_risk_origins()');
    expect(await rows()).toBe(0);
    expect(await passed([40, 1, 7, 1])).toBe(most - 56);
  });

  it('is counted anew when the rule is set again, and none is kept for one that was just set', async () => {
    await setRule(database.operator, { ...velocity, most_count: 200 });
    await age();
    await passed([20, 20, 1]);
    await removeRules(database.owner);
    await passed([50]);
    await setRule(database.operator, { ...velocity, most_count: 100 });
    const before = await rows();
    expect(await passed([5])).toBe(5);
    expect(await rows()).toBe(before);
    await age();
    expect(await passed([10])).toBe(4);
  });

  it.each([
    ['removed', () => removeRule(database.operator, 'beside')],
    [
      'replaced',
      () =>
        setRule(database.operator, {
          ...velocity,
          name: 'beside',
          counted_by: 'recipient',
          most_count: 9_000,
        }),
    ],
  ])(
    'was not taken while another rule counted alike: it is counted anew once that is %s',
    async (_, end) => {
      await setRule(database.operator, { ...velocity, most_count: 100 });
      await age();
      expect(await passed([40, 1])).toBe(41);
      await setRule(database.operator, { ...velocity, name: 'beside', most_count: 9_000 });
      await age();
      expect(await passed([40, 1])).toBe(41);
      await end();
      await age();
      expect(await passed([10, 10, 1])).toBe(18);
    },
  );

  it('is what is left now, also where little was read', async () => {
    await setRule(database.operator, { ...velocity, most_count: 60 });
    await age();
    expect(await passed([40, 1])).toBe(41);
    await database.owner.raw(
      `update transactions set created_at = created_at - interval '2 hours' where user_id = ?`,
      [from.id],
    );
    expect(await passed([25, 20])).toBe(45);
    expect(await passed(Array.from({ length: 19 }, () => 1))).toBe(15);
  });

  it('is taken by a transfer that is released: it counts with its recipient from then on', async () => {
    await setRule(database.operator, { ...velocity, counted_by: 'recipient', most_count: 60 });
    await setRule(database.operator, {
      name: 'large',
      above_minor: 100_000,
      watches: ['transfer'],
    });
    await age();
    expect(await send(1, 200_000n)).toEqual(['held']);
    const { reference } = await latestCase(database.db);
    await database.owner.raw(
      `update risk_cases set created_at = created_at - interval '2 hours' where reference = ?`,
      [reference],
    );
    expect(await passed([40, 1])).toBe(41);
    expect(await rows()).toBeGreaterThan(0);
    expect(await decide(database.operator, reference, 'release')).toBeNull();
    expect(await passed([10, 8, 1, 1])).toBe(18);
  });
});
