// GET /fees and the invoices of fees.

import { FEE_KINDS } from '../../db/ledger/fees';
import { LINE_PATTERN } from '../../domain/line';
import { AMOUNT_PATTERN } from '../../domain/money';
import {
  amount,
  currency,
  environment,
  nullable,
  nullableText,
  optionalFields,
  page,
  paging,
  part,
  resource,
  response,
  taxAmount,
  timestamp,
  username,
} from '../schemas';

const kind = { title: 'FeeKind', type: 'string', enum: FEE_KINDS } as const;
const method = {
  type: 'string',
  pattern: '^[A-Za-z0-9_.-]{1,64}$',
  description:
    'The word of an operator, such as `orange_sn`, or `card` or `bank`; not for transfers.',
  examples: ['orange_sn'],
} as const;

export const previewFeeQuery = {
  ...optionalFields({
    kind: { ...kind, description: 'The movement that is to be charged.' },
    currency: { ...currency, description: 'The currency of the amount.' },
    amount: {
      type: 'string',
      pattern: AMOUNT_PATTERN,
      maxLength: 64,
      description: 'The amount of the order.',
      examples: ['5000.00'],
    },
    method,
    to_username: {
      ...username,
      pattern: LINE_PATTERN,
      description: 'The recipient of a transfer, whose own fee comes first.',
      examples: ['moussa'],
    },
  }),
  required: ['kind', 'currency', 'amount'],
} as const;

export const feePreview = response('FeePreview', {
  kind,
  currency,
  amount,
  method: nullable(method),
  fee: amount,
  tax: taxAmount,
  total: { ...amount, description: 'The amount that leaves the payer.' },
  net_amount: { ...amount, description: 'The amount that arrives.' },
  bearer: { title: 'PreviewBearer', type: 'string', enum: ['recipient', 'payer', 'merchant'] },
});

export const listFeeInvoicesQuery = optionalFields(paging);

export const feeInvoice = resource('FeeInvoice', {
  number: {
    type: 'string',
    maxLength: 64,
    description: 'It belongs to one series for each environment and year, without a gap.',
    examples: ['FEE-2026-000001'],
  },
  environment,
  currency,
  period_from: timestamp,
  period_to: timestamp,
  issued_at: timestamp,
  issuer: { type: 'string', maxLength: 255 },
  account: part('InvoicedAccount', {
    username: { type: 'string', maxLength: 64 },
    display_name: nullableText,
    country: { type: 'string', maxLength: 2 },
  }),
  lines: {
    type: 'array',
    maxItems: 1000,
    items: part('FeeInvoiceLine', {
      kind,
      method: nullableText,
      count: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      volume: {
        ...amount,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The sum of the amounts.',
      },
      fee: { ...amount, maximum: Number.MAX_SAFE_INTEGER },
      tax: { ...taxAmount, maximum: Number.MAX_SAFE_INTEGER },
    }),
  },
  fee: { ...amount, maximum: Number.MAX_SAFE_INTEGER },
  tax: { ...taxAmount, maximum: Number.MAX_SAFE_INTEGER },
  total: {
    ...amount,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Settled: all of it was taken when it arose.',
  },
});

export const feeInvoicesResponse = page('fee_invoices', feeInvoice);
