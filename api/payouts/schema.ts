// Payouts: money that leaves a wallet for a phone or a bank account.

import { LINE_PATTERN } from '../../domain/line';
import { PHONE_PATTERN } from '../../domain/phone';
import {
  LONGEST_REASON,
  NAME_CHECKS,
  NAME_MATCHES,
  PAYOUT_FAILURES,
  PAYOUT_STAGES,
  PAYOUT_STATUSES,
  RAIL_STATES,
} from '../../domain/payout';
import { createIntentBody, timelineResponse } from '../payment-intents/schema';
import {
  amount,
  currency,
  environment,
  hold,
  nullable,
  nullableText,
  optionalFields,
  page,
  paging,
  part,
  period,
  requestAmount,
  resource,
  taxAmount,
  timestamp,
  uuid,
} from '../schemas';

export { timelineResponse };

const { metadata } = createIntentBody.properties;

const line = (maxLength: number) =>
  ({
    type: 'string',
    minLength: 1,
    maxLength,
    pattern: LINE_PATTERN,
  }) as const;

export const destinationFields = {
  title: 'PayoutDestinationFields',
  description: 'A phone with an account at a mobile money operator, or a bank account.',
  oneOf: [
    {
      title: 'PhoneDestination',
      type: 'object',
      additionalProperties: false,
      required: ['type', 'phone'],
      properties: {
        type: { type: 'string', const: 'mobile_money' },
        phone: {
          type: 'string',
          maxLength: 64,
          pattern: PHONE_PATTERN,
          description:
            'With the country code, such as +221 77 123 45 67; an old number of Benin (+229 and eight digits) becomes the one with 01.',
        },
        operator: {
          ...line(64),
          description: 'Such as orange_sn; found from the phone when left out.',
        },
      },
    },
    {
      title: 'BankDestination',
      type: 'object',
      additionalProperties: false,
      required: ['type', 'account', 'name'],
      properties: {
        type: { type: 'string', const: 'bank' },
        account: {
          type: 'string',
          minLength: 4,
          maxLength: 80,
          description: 'An IBAN or the number of the account.',
        },
        name: { ...line(140), description: 'The holder of the account.' },
        bank_code: line(64),
      },
    },
  ],
} as const;

export const recipientName = {
  ...line(140),
  description:
    'The recipient’s name, to be compared with the one that the operator has. Of a bank account it is the holder’s, and may be left out.',
} as const;

export const createPayoutBody = {
  type: 'object',
  additionalProperties: false,
  required: ['currency', 'amount', 'destination'],
  properties: {
    currency,
    amount: {
      ...requestAmount,
      description: `What the recipient gets; the fee comes on top. ${requestAmount.description}`,
    },
    destination: destinationFields,
    name: recipientName,
    name_check: {
      title: 'NameCheck',
      type: 'string',
      enum: NAME_CHECKS,
      default: 'warn',
      description:
        'warn: the result is shown. require: nothing is sent unless the name matches. off: the name is not compared.',
    },
    confirm: {
      type: 'boolean',
      default: true,
      description:
        'False: the payout waits in requires_confirmation with the name that was found, until you confirm it.',
    },
    when_closed: {
      type: 'string',
      enum: ['queue', 'refuse'],
      default: 'queue',
      description: 'What happens when the operator takes no payouts now.',
    },
    expires_in: {
      type: 'integer',
      minimum: 300,
      maximum: 604_800,
      description:
        'Seconds that the payout may wait for the operator; then it is canceled, and the money is back. A day when left out.',
    },
    description: {
      ...line(140),
      description: 'The recipient sees it if the operator can show it.',
    },
    metadata,
  },
} as const;

export const rejectPayoutBody = optionalFields({
  reason: { ...line(LONGEST_REASON), description: 'Shown in the timeline.' },
});

export const checkDestinationBody = {
  type: 'object',
  additionalProperties: false,
  required: ['currency', 'destination'],
  properties: {
    currency,
    destination: destinationFields,
    amount: requestAmount,
    name: recipientName,
  },
} as const;

const status = {
  title: 'PayoutStatus',
  type: 'string',
  enum: PAYOUT_STATUSES,
  description:
    'succeeded never becomes failed: money that comes back later makes it returned, and before that returned_amount grows.',
} as const;

export const listPayoutsQuery = optionalFields({
  ...paging,
  status,
  currency: { ...currency, description: 'Payouts in this currency only.' },
  reference: { type: 'string', maxLength: 64, description: 'The payout with this reference.' },
  batch_id: { ...uuid, description: 'Payouts of this batch only.' },
  ...period,
});

const nameMatch = {
  title: 'NameMatch',
  type: 'string',
  enum: NAME_MATCHES,
  description:
    'Accents, capitals, apostrophes, hyphens and the order of the parts do not count. close: a part is missing, or one or two letters differ in a name that is long enough. unavailable: the operator does not tell, or too many names that are not the recipient’s were tried: in a day five for a destination, and 300 that fit none at all.',
} as const;

const shownNameFound = {
  ...nullableText,
  description: 'Masked (A*** D***) unless it matches.',
} as const;

export const shownDestination = part('PayoutDestination', {
  type: { type: 'string', enum: ['mobile_money', 'bank'] },
  phone: nullableText,
  operator: nullableText,
  account: { ...nullableText, description: 'The last four characters.' },
  bank_code: nullableText,
  name: nullableText,
  name_found: shownNameFound,
  name_match: nullable(nameMatch),
});

export const approval = nullable({
  ...part('PayoutApproval', {
    needed: { type: 'integer', minimum: 1, maximum: 2 },
    given: {
      type: 'array',
      maxItems: 2,
      items: part('GivenApproval', { by: { type: 'string', maxLength: 254 }, at: timestamp }),
    },
  }),
  description: 'Set when other people have to approve it.',
});

export const payout = resource('Payout', {
  id: uuid,
  reference: {
    type: 'string',
    pattern: '^PYT-',
    maxLength: 64,
    description: 'Its rows in GET /transactions have it too.',
  },
  status,
  stage: nullable({
    title: 'PayoutStage',
    type: 'string',
    enum: PAYOUT_STAGES,
    description:
      'While it is pending. queued: the operator was not asked yet, or has it waiting; it can be canceled. unknown: it was asked and has not answered; it is asked what became of it until it does.',
  }),
  conclusive: {
    type: 'boolean',
    description: 'True in succeeded, failed, canceled and returned: nothing is under way.',
  },
  currency,
  amount: { ...amount, description: 'What the recipient gets.' },
  fee: amount,
  tax: taxAmount,
  total: { ...amount, description: 'amount + fee: what leaves the wallet.' },
  destination: shownDestination,
  provider: part('PayoutProvider', {
    name: { type: 'string', maxLength: 64 },
    payment_id: nullableText,
  }),
  failure: nullable(
    part('PayoutFailure', {
      code: { type: 'string', enum: PAYOUT_FAILURES },
      message: { type: 'string', maxLength: 1000 },
      provider_code: { ...nullableText, description: 'The provider’s own code for it.' },
    }),
  ),
  returned_amount: { ...amount, description: 'What came back after it had succeeded.' },
  approval,
  hold: nullable(hold),
  batch_id: nullable(uuid),
  description: nullableText,
  metadata: { ...metadata, title: 'Metadata', description: 'What was given on creation.' },
  environment,
  created_at: timestamp,
  updated_at: timestamp,
  sent_at: nullable(timestamp),
  completed_at: nullable(timestamp),
  expires_at: nullable({
    ...timestamp,
    description: 'When its wait ends and the money is back; null once the operator was asked.',
  }),
});

export const payoutsResponse = page('payouts', payout);

export const destinationCheck = resource('DestinationCheck', {
  payable: {
    type: 'boolean',
    description: 'False when the operator says that it would not be paid.',
  },
  operator: nullableText,
  country: nullableText,
  name_found: shownNameFound,
  name_match: nullable(nameMatch),
  bounds: part('PayoutBounds', { minimum: amount, maximum: amount }),
  fee: nullable({ ...amount, description: 'The fee for the amount; null without an amount.' }),
  tax: nullable({ ...taxAmount, description: `${taxAmount.description} Null without an amount.` }),
  state: {
    title: 'OperatorState',
    type: 'string',
    enum: RAIL_STATES,
    description: 'closed: payouts wait until it opens.',
  },
});
