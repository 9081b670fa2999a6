// Written by npm run clients from api/openapi.json.

export const AMOUNT_NAMES: ReadonlySet<string> = new Set([
  'amount',
  'amount_received',
  'balance',
  'balance_after',
  'closing',
  'EUR',
  'fee',
  'net_amount',
  'opening',
  'owed_amount',
  'paid_amount',
  'refunded_amount',
  'remaining',
  'returned_amount',
  'reversed_amount',
  'suggestions',
  'tax',
  'USD',
  'used',
  'volume',
  'XOF',
]);

/** An amount here and a count there. */
export const MIXED_NAMES: ReadonlySet<string> = new Set(['maximum', 'minimum', 'total']);
