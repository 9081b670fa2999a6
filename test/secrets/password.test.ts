import { hash } from '@node-rs/argon2';
import { networkOf } from '../../http/network';
import {
  DECOY_HASH,
  hashPassword,
  isCurrentHash,
  PasswordsBusyError,
  verifyPassword,
  type Caller,
} from '../../secrets/password';

describe('hashPassword', () => {
  it('salts: one password gives two hashes, both verified', async () => {
    const [first, second] = await Promise.all([hashPassword('tomato'), hashPassword('tomato')]);
    expect(first).not.toBe(second);
    expect(first).not.toContain('tomato');
    expect(await verifyPassword('tomato', first)).toBe(true);
    expect(await verifyPassword('tomato', second)).toBe(true);
    expect(await verifyPassword('Tomato', first)).toBe(false);
    expect(await verifyPassword('', first)).toBe(false);
  });

  it("is Argon2id with OWASP's cost", async () => {
    const stored = await hashPassword('tomato');
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(isCurrentHash(stored)).toBe(true);
  });
});

describe('verifyPassword', () => {
  it('takes a password however the machine spells its accents and spaces', async () => {
    const stored = await hashPassword('Cr\u00e8me br\u00fbl\u00e9e');
    for (const typed of ['Cre\u0300me bru\u0302le\u0301e', 'Cr\u00e8me\u00a0br\u00fbl\u00e9e']) {
      expect(await verifyPassword(typed, stored)).toBe(true);
    }
    expect(await verifyPassword('cr\u00e8me br\u00fbl\u00e9e', stored)).toBe(false);
    const other = await hashPassword('Cre\u0300me\u00a0bru\u0302le\u0301e');
    expect(await verifyPassword('Cr\u00e8me br\u00fbl\u00e9e', other)).toBe(true);
  });

  it('takes hashes of another cost, which are not current', async () => {
    const stored = await hash('tomato', { memoryCost: 8_192, timeCost: 1, parallelism: 1 });
    expect(await verifyPassword('tomato', stored)).toBe(true);
    expect(await verifyPassword('potato', stored)).toBe(false);
    expect(isCurrentHash(stored)).toBe(false);
  });

  it.each([
    '',
    'none',
    'md5$1$1$1$a$b',
    '$$$$$',
    '$argon2id$',
    '$argon2id$v=19$m=19456,t=2,p=1$AAAA$',
    DECOY_HASH,
  ])('verifies no password against %j', async (stored) => {
    expect(await verifyPassword('tomato', stored)).toBe(false);
  });
});

describe('many passwords at once', () => {
  const at = (address: string): Caller => ({ network: networkOf(address), is_known: false });
  const flood = (callers: readonly Caller[]) =>
    Promise.allSettled(callers.map((caller) => hashPassword('tomato', caller)));
  const many = (addressOf: (number: number) => string, is_known = false): Caller[] =>
    Array.from({ length: 1_000 }, (_, number) => ({ ...at(addressOf(number)), is_known }));
  const ofAnyNetworks = (number: number) => `10.${number >> 8}.${number & 0xff}.1`;
  const inOne24 = (number: number) => `192.0.2.${number & 0xff}`;
  const inOne48 = (number: number) => `2001:db8:1:${number.toString(16)}::1`;

  it.each([
    ['strangers of many networks', many(ofAnyNetworks), 20],
    ['known browsers of many networks', many(ofAnyNetworks, true), 20],
    ['all of them', [...many(ofAnyNetworks), ...many(ofAnyNetworks, true)], 40],
    ['one IPv4 address', many(() => '192.0.2.1'), 4],
    ['the addresses of one /24', many(inOne24), 8],
    ['one /64', many((number) => `2001:db8:1:2::${number.toString(16)}`), 4],
    ['the /64s of one /48', many(inOne48), 8],
  ])('of %s: the queue takes so many and refuses the others', async (_, callers, taken) => {
    const results = await flood(callers);
    const refused = results.filter((one) => one.status === 'rejected');
    expect(results.length - refused.length).toBe(taken);
    for (const { reason } of refused) expect(reason).toBeInstanceOf(PasswordsBusyError);
  });

  const stranger = at('192.0.2.1');
  const known = { ...stranger, is_known: true };

  it.each<[string, Caller[], Caller]>([
    ['one caller to a neighbour', Array(100).fill(stranger), at('192.0.2.2')],
    ['a /48 to other networks', many(inOne48), at('2001:db8:2::1')],
    ['a /24 to other networks', many(inOne24), at('192.0.3.1')],
    ['strangers to a known browser', many(ofAnyNetworks), known],
    ['strangers to a known browser of their network', Array(100).fill(stranger), known],
    ['known browsers to a stranger', many(ofAnyNetworks, true), stranger],
  ])('leave a place to others: %s', async (_, hostile, other) => {
    const flooding = flood(hostile);
    await expect(hashPassword('tomato', other)).resolves.toContain('$argon2id$');
    await flooding;
  });

  it('are taken again afterwards', async () => {
    await flood(many(ofAnyNetworks));
    await expect(hashPassword('tomato', stranger)).resolves.toContain('$argon2id$');
  });
});
