import { isFinal } from '../../domain/transfer';

describe('isFinal', () => {
  it.each(['completed', 'simulated', 'insufficient_funds', 'recipient_not_found'] as const)(
    'keeps %s under the key',
    (outcome) => {
      expect(isFinal(outcome)).toBe(true);
    },
  );

  it.each(['lapsed', 'account_frozen', 'self_transfer', 'limit_exceeded', 'not_posted'] as const)(
    'forgets %s',
    (outcome) => {
      expect(isFinal(outcome)).toBe(false);
    },
  );
});
