import { scryptSync } from 'node:crypto';
import {
  DECOY_HASH,
  hashPassword,
  isCurrentHash,
  PasswordsBusyError,
  verifyPassword,
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
  it('still takes the hashes of earlier versions, which are not current', async () => {
    const salt = Buffer.from('0123456789abcdef');
    const digest = scryptSync('tomato', salt, 32, { N: 2 ** 10, r: 8, p: 1 });
    const stored = `scrypt$10$8$1$${salt.toString('base64')}$${digest.toString('base64')}`;
    expect(await verifyPassword('tomato', stored)).toBe(true);
    expect(await verifyPassword('potato', stored)).toBe(false);
    expect(isCurrentHash(stored)).toBe(false);
  });

  it.each([
    ...['', 'none', 'scrypt', 'scrypt$17$8$1$', 'scrypt$17$8$1$c2FsdA==', 'md5$1$1$1$a$b', '$$$$$'],
    ...[
      'scrypt$17$8$1$c2FsdA==$',
      '$argon2id$',
      '$argon2id$v=19$m=19456,t=2,p=1$AAAA$',
      DECOY_HASH,
    ],
  ])('verifies no password against %j', async (stored) => {
    expect(await verifyPassword('tomato', stored)).toBe(false);
  });
});

describe('many passwords at once', () => {
  it('are hashed one after the other, refused when too many wait, and taken again afterwards', async () => {
    const callers = Array.from({ length: 100 }, (_, number) => `caller ${number}`);
    const results = await Promise.allSettled(callers.map((one) => hashPassword('tomato', one)));
    const refused = results.filter(({ status }) => status === 'rejected');
    // One runs and forty wait.
    expect(refused).toHaveLength(59);
    for (const one of refused) {
      expect((one as PromiseRejectedResult).reason).toBeInstanceOf(PasswordsBusyError);
    }
    expect(await verifyPassword('tomato', await hashPassword('tomato'))).toBe(true);
  });

  it('of one caller leave the queue to the others', async () => {
    const flood = Promise.allSettled(
      Array.from({ length: 100 }, () => hashPassword('tomato', 'a hostile caller')),
    );
    expect(await hashPassword('tomato', 'somebody else')).toContain('$argon2id$');
    const results = await flood;
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  });
});
