import { isFinal, renderTransferResponses, type TransferRequest } from '../../domain/transfer';

const REQUEST: TransferRequest = {
  reference: 'TRF-0123456789ABCDEFGHJK',
  environment: 'live',
  sender_id: '0b0e3f6e-6f0c-4f7b-8a55-0d0f3d6f7a11',
  sender_username: 'alice',
  key: 'order-42',
  fingerprint: { amount: 'a', currency: 'b', to_username: 'c' },
  request_id: 'req-1',
  accept_before: '2026-11-21T04:39:12.000Z',
  to_username: 'bob',
  currency: 'XOF',
  amount_minor: '500000',
};
const DOCS = 'https://pay.example.com/docs/errors';

describe('renderTransferResponses', () => {
  it('answers a transfer with its reference and the amount with two decimals', () => {
    expect(renderTransferResponses(REQUEST, DOCS).completed).toEqual({
      status: 200,
      body:
        '{"ok":true,"reference":"TRF-0123456789ABCDEFGHJK","status":"completed",' +
        '"environment":"live","to_username":"bob","currency":"XOF","amount":5000.00,' +
        '"simulated":false,"description":null,"metadata":{}}',
    });
  });

  it('says of a simulated transfer that it is one', () => {
    const { simulated } = renderTransferResponses({ ...REQUEST, environment: 'sandbox' }, DOCS);
    expect(JSON.parse(simulated.body)).toMatchObject({
      ok: true,
      status: 'simulated',
      environment: 'sandbox',
      simulated: true,
    });
  });

  it.each([
    ['insufficient_funds', 402, 'amount'],
    ['recipient_not_found', 404, 'to_username'],
  ] as const)('§7 %s is %i and names %s', (code, status, param) => {
    const response = renderTransferResponses(REQUEST, DOCS)[code];
    expect(response.status).toBe(status);
    expect(JSON.parse(response.body)).toMatchObject({
      ok: false,
      error: { code, param, request_id: 'req-1', doc_url: `${DOCS}#${code}`, retryable: false },
    });
  });

  it('is a function of its arguments alone', () => {
    expect(renderTransferResponses(REQUEST, DOCS)).toEqual(renderTransferResponses(REQUEST, DOCS));
  });
});

describe('isFinal', () => {
  it.each(['completed', 'simulated', 'insufficient_funds', 'recipient_not_found'] as const)(
    'keeps %s under the key',
    (outcome) => {
      expect(isFinal(outcome)).toBe(true);
    },
  );

  it.each([
    'lapsed',
    'account_frozen',
    'balance_limit',
    'self_transfer',
    'unknown_recipient_limit',
    'not_posted',
  ] as const)('forgets %s', (outcome) => {
    expect(isFinal(outcome)).toBe(false);
  });
});
