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

const other = { ...request, reference: 'TRF-1123456789ABCDEFGHJK', key: 'another' };
const described = { ...request, description: 'rent of awa', metadata: '{"order":"A-17"}' };
const all = [
  request,
  other,
  { ...described, limited_key: 'pk_1' },
  { ...request, description: '' },
];

describe('sealed transfers', () => {
  it('open to the requests, on any process with the keys', () => {
    const message = travelled(messages.sealTransfers(all));
    expect(createWorkflowMessages([KEY]).openTransfers(message)).toEqual(all);
    expect(createWorkflowMessages([makeSealingKey(), KEY]).openTransfers(message)).toEqual(all);
  });

  it('show who pays whom, and neither idempotency key nor description nor metadata', () => {
    const text = JSON.stringify(messages.sealTransfers([described]));
    expect(text).toContain('moussa');
    for (const secret of [request.key, 'rent', 'A-17']) {
      for (const form of ['utf8', 'base64', 'base64url', 'hex'] as const) {
        expect(text).not.toContain(Buffer.from(secret).toString(form));
      }
    }
  });

  it('do not open when any field of any of them is another', () => {
    const message = messages.sealTransfers(all);
    for (const [i, shown] of message.transfers.entries()) {
      const { reference, ...rest } = shown;
      const changed = [
        rest,
        { ...rest, reference },
        { ...shown, key: request.key },
        ...Object.keys(shown).map((name) => ({ ...shown, [name]: 'other' })),
      ];
      for (const one of changed) {
        const transfers = message.transfers.with(i, one as typeof shown);
        expect(messages.openTransfers({ ...message, transfers })).toBeUndefined();
      }
    }
  });

  it('open neither apart nor together with others, nor in another order', () => {
    const { transfers, sealed } = messages.sealTransfers([request, other]);
    const own = messages.sealTransfers([other]);
    for (const message of [
      { transfers },
      { sealed },
      { transfers, sealed: own.sealed },
      { transfers: own.transfers, sealed },
      { transfers: transfers.toReversed(), sealed },
      { transfers: transfers.slice(1), sealed },
      { transfers: [...transfers, ...own.transfers], sealed },
      { transfers, sealed: messages.sealTransfers([request, request]).sealed },
      { transfers, sealed, more: true },
    ]) {
      expect(messages.openTransfers(message)).toBeUndefined();
    }
  });

  it('do not open with any bit of the seal changed', () => {
    const message = messages.sealTransfers([request]);
    const bytes = Buffer.from(message.sealed, 'base64');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      const forged = { ...message, sealed: changed.toString('base64') };
      expect(messages.openTransfers(forged)).toBeUndefined();
    }
  });

  it.each([
    ['a request that was not sealed', request],
    ['text', 'transfer'],
    ['null', null],
    ['nothing', undefined],
    ['a list', [request]],
    ['an empty object', {}],
    ['an empty list', { transfers: [], sealed: '' }],
    ['a seal that is no text', { transfers: [], sealed: { length: 1 } }],
    // Its text would end the process.
    [
      'too deep',
      { sealed: 'x', transfers: JSON.parse('['.repeat(2e5) + ']'.repeat(2e5)) as unknown },
    ],
    ['of a stranger', createWorkflowMessages([makeSealingKey()]).sealTransfers([request])],
  ])('are not %s', (_what, given) => {
    expect(messages.openTransfers(given)).toBeUndefined();
  });
});

describe('a sealed reversal', () => {
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
      const message = travelled(messages.sealReversal(one));
      expect(createWorkflowMessages([KEY]).openReversal(message)).toEqual(one);
      expect(createWorkflowMessages([makeSealingKey(), KEY]).openReversal(message)).toEqual(one);
    }
  });

  it('shows neither the idempotency key nor the reason', () => {
    const text = JSON.stringify(messages.sealReversal(reversal));
    expect(text).toContain('moussa');
    for (const secret of [reversal.key, reversal.reason!]) {
      for (const form of ['utf8', 'base64', 'base64url', 'hex'] as const) {
        expect(text).not.toContain(Buffer.from(secret).toString(form));
      }
    }
  });

  it('does not open when any field is another, and not with the seal of another', () => {
    const message = messages.sealReversal(reversal);
    for (const name of Object.keys(message) as (keyof typeof message)[]) {
      expect(messages.openReversal({ ...message, [name]: 'other' })).toBeUndefined();
      const { [name]: _, ...rest } = message;
      expect(messages.openReversal(rest)).toBeUndefined();
    }
    const { sealed } = messages.sealReversal({ ...reversal, key: 'another', amount_minor: '1' });
    expect(messages.openReversal({ ...message, sealed })).toBeUndefined();
    expect(messages.openReversal({ ...message, amount_minor: null })).toBeUndefined();
  });

  it('is no transfer, nor the other way round, and nothing else either', () => {
    expect(messages.openTransfers(messages.sealReversal(reversal))).toBeUndefined();
    const anything = [messages.sealTransfers([request]), reversal, undefined, null, 'x', [], {}];
    for (const given of anything) expect(messages.openReversal(given)).toBeUndefined();
    const elsewhere = createWorkflowMessages([makeSealingKey()]);
    expect(messages.openReversal(elsewhere.sealReversal(reversal))).toBeUndefined();
  });
});

describe('a sealed cancellation', () => {
  const id = request.sender_id;

  it('is for its intent, and for no other', () => {
    const order = travelled(messages.sealCancellation(id));
    expect(messages.isCancellation(order, id)).toBe(true);
    expect(messages.isCancellation(order, id.replace('7', '8'))).toBe(false);
    const moved = { ...order, intent_id: id.replace('7', '8') };
    expect(messages.isCancellation(moved, moved.intent_id)).toBe(false);
  });

  it('ends after some minutes, which cannot be made more', () => {
    const before = Date.now();
    const order = messages.sealCancellation(id);
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
