import type { ReversalRequest } from '../../domain/reversal';
import type { TransferRequest } from '../../domain/transfer';
import { sha256Hex } from '../../secrets/hash';
import { makeSealingKey } from '../../secrets/keyring';
import { createWorkflowMessages } from '../../secrets/workflow-messages';

const KEY = makeSealingKey();
const messages = createWorkflowMessages([KEY]);

const request: TransferRequest = {
  reference: 'TRF-0123456789ABCDEFGHJK',
  environment: 'live',
  sender_id: '7d1f2b1c-0000-4000-8000-000000000000',
  sender_username: 'awa',
  key: 'order of awa@example.com',
  fingerprint: { amount: 'aa', currency: 'bb', to_username: 'cc' },
  request_id: 'req-1',
  accept_before: '2026-01-01T00:00:05.000Z',
  to_username: 'moussa',
  currency: 'XOF',
  amount_minor: '500000',
};

const travelled = <T>(given: T): T => JSON.parse(JSON.stringify(given)) as T;

describe('the hash of an idempotency key', () => {
  it('is the same on every process with the key, and another with another key', () => {
    const key = 'awa@example.com';
    const hash = messages.hashIdempotencyKey(key);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    const [renewed, strange] = [
      [KEY, makeSealingKey()],
      [makeSealingKey(), KEY],
    ].map((keys) => createWorkflowMessages(keys).hashIdempotencyKey(key));
    expect(renewed).toBe(hash);
    expect(strange).not.toBe(hash);
    expect(messages.hashIdempotencyKey('awb@example.com')).not.toBe(hash);
  });

  it('cannot be found by trying all phone numbers or addresses without the key', () => {
    for (const personal of ['awa@example.com', '221771234567']) {
      expect(messages.hashIdempotencyKey(personal)).not.toBe(sha256Hex(personal));
    }
  });
});

describe('a signed transfer with a description and metadata', () => {
  const described = { ...request, description: 'rent of awa', metadata: '{"order":"A-17"}' };

  it('opens to the request, and shows neither', () => {
    const signed = travelled(messages.signTransfer(described));
    expect(messages.openTransfer(signed)).toEqual(described);
    expect(JSON.stringify(signed)).not.toMatch(/rent|A-17/);
    const only = { ...request, description: '' };
    expect(messages.openTransfer(travelled(messages.signTransfer(only)))).toEqual(only);
  });

  it('does not open with the words of another', () => {
    const { sealed } = messages.signTransfer(described);
    const other = messages.signTransfer({ ...described, description: 'other' });
    expect(messages.openTransfer({ ...other, sealed })).toBeUndefined();
  });
});

describe('a signed transfer', () => {
  it('opens to the request, on any process with the keys', () => {
    const signed = travelled(messages.signTransfer(request));
    expect(createWorkflowMessages([KEY]).openTransfer(signed)).toEqual(request);
    expect(createWorkflowMessages([makeSealingKey(), KEY]).openTransfer(signed)).toEqual(request);
  });

  it('does not show the idempotency key', () => {
    const text = JSON.stringify(messages.signTransfer(request));
    expect(text).toContain('moussa');
    for (const form of ['utf8', 'base64', 'base64url', 'hex'] as const) {
      expect(text).not.toContain(Buffer.from(request.key).toString(form));
    }
  });

  it('does not open when any field is another, and not with the key of another transfer', () => {
    const signed = messages.signTransfer(request);
    const other = messages.signTransfer({ ...request, key: 'another', amount_minor: '1' });
    for (const name of Object.keys(signed) as (keyof typeof signed)[]) {
      expect(messages.openTransfer({ ...signed, [name]: 'other' })).toBeUndefined();
      const { [name]: _, ...rest } = signed;
      expect(messages.openTransfer(rest)).toBeUndefined();
    }
    for (const name of ['sealed', 'signature'] as const) {
      expect(messages.openTransfer({ ...signed, [name]: other[name] })).toBeUndefined();
    }
    expect(messages.openTransfer({ ...signed, environment: 'sandbox' })).toBeUndefined();
    expect(messages.openTransfer({ ...signed, key: request.key })).toBeUndefined();
  });

  it.each([
    ['a request that nobody has signed', request],
    ['text', 'transfer'],
    ['null', null],
    ['nothing', undefined],
    ['a list', [request]],
    ['an empty object', {}],
  ])('is not %s', (_what, given) => {
    expect(messages.openTransfer(given)).toBeUndefined();
  });
});

describe('a signed reversal', () => {
  const reversal: ReversalRequest = {
    reference: 'RVL-0123456789ABCDEFGHJK',
    environment: 'live',
    user_id: '7d1f2b1c-0000-4000-8000-000000000000',
    username: 'moussa',
    transfer_reference: 'TRF-0123456789ABCDEFGHJK',
    currency: 'XOF',
    amount_minor: '500000',
    reason: 'paid twice by awa@example.com',
    key: 'order of awa@example.com',
    fingerprint: { amount: 'aa', reason: 'bb', transfer: 'cc' },
    request_id: 'req-1',
    accept_before: '2026-01-01T00:00:05.000Z',
  };

  it('opens to the request, on any process with the keys', () => {
    for (const one of [reversal, { ...reversal, amount_minor: null, reason: null }]) {
      const signed = travelled(messages.signReversal(one));
      expect(createWorkflowMessages([KEY]).openReversal(signed)).toEqual(one);
      expect(createWorkflowMessages([makeSealingKey(), KEY]).openReversal(signed)).toEqual(one);
    }
  });

  it('shows neither the idempotency key nor the reason', () => {
    const text = JSON.stringify(messages.signReversal(reversal));
    expect(text).toContain('moussa');
    for (const secret of [reversal.key, reversal.reason!]) {
      for (const form of ['utf8', 'base64', 'base64url', 'hex'] as const) {
        expect(text).not.toContain(Buffer.from(secret).toString(form));
      }
    }
  });

  it('does not open when any field is another, and not with the key of another reversal', () => {
    const signed = messages.signReversal(reversal);
    const other = messages.signReversal({ ...reversal, key: 'another', amount_minor: '1' });
    for (const name of Object.keys(signed) as (keyof typeof signed)[]) {
      expect(messages.openReversal({ ...signed, [name]: 'other' })).toBeUndefined();
      const { [name]: _, ...rest } = signed;
      expect(messages.openReversal(rest)).toBeUndefined();
    }
    for (const name of ['sealed', 'signature'] as const) {
      expect(messages.openReversal({ ...signed, [name]: other[name] })).toBeUndefined();
    }
    expect(messages.openReversal({ ...signed, amount_minor: null })).toBeUndefined();
  });

  it('is no transfer, nor the other way round, and nothing else either', () => {
    expect(messages.openTransfer(messages.signReversal(reversal))).toBeUndefined();
    const anything = [messages.signTransfer(request), reversal, undefined, null, 'x', [], {}];
    for (const given of anything) expect(messages.openReversal(given)).toBeUndefined();
    const elsewhere = createWorkflowMessages([makeSealingKey()]);
    expect(messages.openReversal(elsewhere.signReversal(reversal))).toBeUndefined();
  });
});

describe('a signed cancellation', () => {
  const id = request.sender_id;

  it('is for its intent, and for no other', () => {
    const order = travelled(messages.signCancellation(id));
    expect(messages.isCancellation(order, id)).toBe(true);
    expect(messages.isCancellation(order, id.replace('7', '8'))).toBe(false);
    const moved = { ...order, intent_id: id.replace('7', '8') };
    expect(messages.isCancellation(moved, moved.intent_id)).toBe(false);
  });

  it('ends after some minutes, which cannot be made more', () => {
    const before = Date.now();
    const order = messages.signCancellation(id);
    expect(order.valid_until).toBeGreaterThanOrEqual(before + 15 * 60_000);
    const longer = { ...order, valid_until: order.valid_until + 1 };
    expect(messages.isCancellation(longer, id)).toBe(false);
    jest.useFakeTimers({ now: order.valid_until, doNotFake: ['setTimeout'] });
    expect(messages.isCancellation(order, id)).toBe(true);
    jest.setSystemTime(order.valid_until + 1);
    expect(messages.isCancellation(order, id)).toBe(false);
    jest.useRealTimers();
  });
});
