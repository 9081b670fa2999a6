// GET /statements and GET /statements/{currency}/{month}.

import { CURRENCIES } from '../../domain/currency';
import {
  amount,
  currency,
  direction,
  optionalFields,
  page,
  paging,
  part,
  response,
  timestamp,
} from '../schemas';
import { transaction } from '../transactions/schema';

const month = {
  type: 'string',
  pattern: '^\\d{4}-(0[1-9]|1[0-2])$',
  maxLength: 7,
  description: 'A year and a month, of UTC.',
  examples: ['2026-11'],
} as const;
const is_closed = {
  type: 'boolean',
  description: 'Nothing enters the month any more: the statement stays as it is, byte for byte.',
} as const;
const opening = { ...amount, description: 'What the wallet held when the month began.' } as const;
const closing = {
  ...amount,
  description: 'What it held when the month ended; of the running month, now.',
} as const;

const { ok: _ok, status: _status, ...line } = transaction.properties;

const cursor = {
  type: 'string',
  maxLength: 11,
  pattern: `^\\d{4}-\\d\\d/(${CURRENCIES.join('|')})$`,
  examples: ['2026-11/EUR'],
} as const;

export const listStatementsQuery = optionalFields({
  limit: paging.limit,
  cursor: {
    ...cursor,
    description: 'As next_cursor gives it; the statements after it are listed.',
  },
});

export const statementsResponse = page(
  'statements',
  part('StatementRow', { currency, month, opening, closing, is_closed }),
  { ...cursor, type: ['string', 'null'] },
);

const count = { type: 'integer', minimum: 0 } as const;
/** A sum has no bound: each of the transactions in it has one. */
const sum = { type: 'number', minimum: 0, examples: [5000.0] } as const;

export const statementResponse = response('Statement', {
  currency,
  month,
  is_closed,
  opening,
  generated_at: {
    ...timestamp,
    description: 'When it was read; of a closed month, the end of the month.',
  },
  transactions: {
    type: 'array',
    items: part('StatementLine', line),
    description:
      'What moved the wallet, oldest first, without a status: that of a payout may change after its month. The wallet gains the net amount of what comes in, and loses the amount of what goes out.',
  },
  closing,
  totals: {
    type: 'array',
    maxItems: 20,
    items: part('StatementTotal', {
      type: transaction.properties['type']!,
      direction,
      count,
      amount: sum,
      fee: sum,
      tax: { ...sum, description: 'The part of the fees that is tax.' },
    }),
    description: 'The transactions by type and direction.',
  },
});
