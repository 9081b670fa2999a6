import { bodyCheck, itemCheck } from '../../api/middleware/validate';
import { createIntentBody } from '../../api/payment-intents/schema';
import { createPayoutBody } from '../../api/payouts/schema';
import type { ObjectSchema } from '../../api/route';
import { paging, optionalFields } from '../../api/schemas';
import { Refusal } from '../../domain/refusal';

/** The validator's words about a body. */
function said(schema: ObjectSchema, body: unknown): string {
  try {
    bodyCheck(schema)(body);
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
  return 'nothing';
}

const LIST = optionalFields({ limit: paging.limit, cursor: paging.cursor });
const MANY = optionalFields({ types: { type: 'array', minItems: 1, maxItems: 1_000 } });

it.each([
  [LIST, { limit: 500 }, 'limit must be at most 100.'],
  [LIST, { limit: 0 }, 'limit must be at least 1.'],
  [LIST, { limit: 'many' }, 'limit must be a whole number.'],
  [LIST, { cursor: '' }, 'cursor must not be empty.'],
  [LIST, { cursor: 'x'.repeat(41) }, 'cursor must have at most 40 characters.'],
  [LIST, { colour: 1 }, 'colour is not a known field.'],
  [LIST, [], 'The request must be an object.'],
  [MANY, { types: [] }, 'types must not be empty.'],
  [MANY, { types: Array(1_001) }, 'types must have at most 1,000 items.'],
  [
    createIntentBody,
    { amount: 1, currency: 'XOF', desc: 'Shoes' },
    'desc is not a known field. Did you mean description?',
  ],
  [createIntentBody, { amount: 0, currency: 'XOF' }, 'amount must be more than 0.'],
] as const)('says what is wrong in words (%#)', (schema, body, message) => {
  expect(said(schema, body)).toBe(message);
});

describe('of a choice between forms', () => {
  const payout = (destination: unknown) => ({ currency: 'XOF', amount: 5000, destination });
  it.each<[unknown, readonly string[]]>([
    [
      { type: 'mobile_money', phone: '77 12' },
      ['destination/phone must be an international phone number, such as +221771234567'],
    ],
    [{ type: 'mobile_money' }, ['destination/phone is required']],
    [{ type: 'bank', name: 'Awa' }, ['destination/account is required']],
    [
      { type: 'bank', phone: '+221771234567' },
      [
        'destination/account is required',
        'destination/name is required',
        'destination/phone is not a known field',
      ],
    ],
    [{ type: 'cash' }, ['destination/type must be one of mobile_money, bank']],
    [{ phone: '+221771234567' }, ['destination/type is required']],
    ['+221771234567', ['destination must be an object']],
    [null, ['destination must be an object']],
    [[], ['destination must be an object']],
  ])('only the one that type names is meant: %j', (destination, faults) => {
    let details: readonly { param: string; message: string }[] = [];
    try {
      bodyCheck(createPayoutBody)(payout(destination));
    } catch (error) {
      details = (error as Refusal).about.details as unknown as typeof details;
    }
    expect(details.map(({ param, message }) => `${param} ${message}`)).toEqual(faults);
    const item = itemCheck(createPayoutBody)(payout(destination), 'payouts/0');
    expect(`${item?.param} ${item?.message}`).toBe(`payouts/0/${faults[0]}`);
  });
});
