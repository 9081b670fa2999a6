import {
  IDEMPOTENCY_KEY_PATTERN,
  idempotencyToken,
  plainReference,
  TRANSFER_REFERENCE_PATTERN,
  transferWorkflowId,
} from '../../domain/ids';
import { sha256Hex } from '../../secrets/hash';

describe('idempotencyToken', () => {
  it.each(['a', 'order-42', 'A.b_c-9', 'x'.repeat(128)])('keeps the safe token %s', (safe) => {
    expect(idempotencyToken(safe, sha256Hex)).toBe(safe);
  });

  it.each(['a b', 'a/b', '~a', 'a:b', '../x', '%2F', 'x'.repeat(129)])('hashes %s', (unsafe) => {
    expect(idempotencyToken(unsafe, sha256Hex)).toBe(`~${sha256Hex(unsafe)}`);
  });

  it.each(['awa@example.com', '+221771234567', '221771234567', '0612345678'])(
    'B12 hashes what may be personal: %s',
    (personal) => {
      expect(idempotencyToken(personal, sha256Hex)).toBe(`~${sha256Hex(personal)}`);
    },
  );
});

describe('plainReference', () => {
  it.each([
    ['trf-9f2c41d7a3e8b605q7zm', 'TRF-9F2C41D7A3E8B605Q7ZM'],
    [' Pyt-9F2C41D7A3E8B6O5IL7Z ', 'PYT-9F2C41D7A3E8B605117Z'],
    ['TRX-9F2C41D7A3E8B605Q7ZM', 'TRX-9F2C41D7A3E8B605Q7ZM'],
    ['trf-9f2c', 'trf-9f2c'],
    ['trf-9f2c41d7a3e8b605q7zu', 'trf-9f2c41d7a3e8b605q7zu'],
    ['order-42', 'order-42'],
  ])('of %j is %s', (typed, reference) => {
    expect(plainReference(typed)).toBe(reference);
  });
});

describe('transferWorkflowId', () => {
  it('names the environment, the sender and the key', () => {
    const sender = '0b0e3f6e-6f0c-4f7b-8a55-0d0f3d6f7a11';
    expect(transferWorkflowId('live', sender, 'order-42')).toBe(`transfer/live/${sender}/order-42`);
    expect(transferWorkflowId('sandbox', sender, 'k')).toBe(`transfer/sandbox/${sender}/k`);
  });
});

describe('IDEMPOTENCY_KEY_PATTERN', () => {
  it.each(['a', ' ', '~', 'x'.repeat(255)])('takes printable ASCII: %j', (text) => {
    expect(IDEMPOTENCY_KEY_PATTERN.test(text)).toBe(true);
  });

  it.each(['', 'x'.repeat(256), 'tab\t', 'new\nline', 'end\n', 'é', '\u007f', '\0'])(
    'refuses %j',
    (text) => {
      expect(IDEMPOTENCY_KEY_PATTERN.test(text)).toBe(false);
    },
  );
});

describe('the patterns', () => {
  it.each([
    'TRF-',
    'TRF-0123456789ABCDEFGHJ',
    'TRF-0123456789ABCDEFGHIL',
    'trf-0123456789ABCDEFGHJK',
  ])('refuse the reference %s', (text) => {
    expect(text).not.toMatch(new RegExp(TRANSFER_REFERENCE_PATTERN));
  });
});
