import * as fc from 'fast-check';
import { isGatewaySignature, signGatewayBody } from '../../secrets/gateway-signature';

const secret = fc.string({ minLength: 1 });
const bytes = fc.uint8Array().map((array) => Buffer.from(array));

describe('signGatewayBody', () => {
  it('is the lowercase hex HMAC-SHA256 of the body', () => {
    // RFC 4231, test case 2.
    expect(signGatewayBody('what do ya want for nothing?', 'Jefe')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  it('refuses an empty secret, with which anybody could sign', () => {
    expect(() => signGatewayBody('{}', '')).toThrow('must not be empty');
  });
});

describe('isGatewaySignature', () => {
  it('accepts the signature by any of the secrets', () => {
    fc.assert(
      fc.property(bytes, fc.uniqueArray(secret, { minLength: 1, maxLength: 3 }), (raw, secrets) => {
        for (const one of secrets) {
          expect(isGatewaySignature(raw, signGatewayBody(raw, one), secrets)).toBe(true);
        }
      }),
    );
  });

  it('refuses the signature by another secret, and any signature without secrets', () => {
    fc.assert(
      fc.property(bytes, fc.uniqueArray(secret, { minLength: 2, maxLength: 4 }), (raw, secrets) => {
        const [other = '', ...known] = secrets;
        // HMAC pads a key with zeros, so these two are the same key.
        fc.pre(!known.some((one) => one.replace(/\0+$/, '') === other.replace(/\0+$/, '')));
        expect(isGatewaySignature(raw, signGatewayBody(raw, other), known)).toBe(false);
        expect(isGatewaySignature(raw, signGatewayBody(raw, other), [])).toBe(false);
      }),
    );
  });

  it('refuses a body with one changed byte', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        secret,
        (array, at, change, key) => {
          const signature = signGatewayBody(Buffer.from(array), key);
          const changed = Buffer.from(array);
          const index = at % changed.length;
          changed[index] = changed[index]! ^ change;
          expect(isGatewaySignature(changed, signature, [key])).toBe(false);
        },
      ),
    );
  });

  const raw = Buffer.from('{}');
  const good = signGatewayBody(raw, 'key');

  it.each<[string, unknown]>([
    ['missing', undefined],
    ['null', null],
    ['empty', ''],
    ['short by one', good.slice(1)],
    ['of an odd length', good.slice(0, 63)],
    ['long by two', `${good}00`],
    ['upper-case', good.toUpperCase()],
    ['followed by junk', `${good}zz`],
    ['followed by a line feed', `${good}\n`],
    ['led by a space', ` ${good}`],
    ['prefixed', `sha256=${good}`],
    ['good at its beginning, then no hex', `${good.slice(0, 62)}zz`],
    ['two values, joined', `${good}, ${good}`],
    ['two values', [good, good]],
    ['one value in a list', [good]],
    ['bytes', Buffer.from(good, 'hex')],
    ['a number', 5],
  ])('refuses a header that is %s', (_name, header) => {
    expect(isGatewaySignature(raw, header, ['key'])).toBe(false);
  });

  it.each(Array.from({ length: 64 }, (_, place) => place))(
    'refuses the signature with another digit at place %i',
    (place) => {
      const digits = '0123456789abcdef'.split('').filter((digit) => digit !== good[place]);
      const near = digits.map((digit) => good.slice(0, place) + digit + good.slice(place + 1));
      expect(near.filter((header) => isGatewaySignature(raw, header, ['key']))).toEqual([]);
    },
  );
});
