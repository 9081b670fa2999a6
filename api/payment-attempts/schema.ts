// Paying by phone: the operators, and a customer's attempts.

import { LINE_PATTERN } from '../../domain/line';
import { ATTEMPT_FAILURES, ATTEMPT_STATUSES, PAYMENT_STEPS } from '../../domain/payment-attempt';
import { RAIL_STATES } from '../../domain/payout';
import { createIntentBody } from '../payment-intents/schema';
import {
  amount,
  currency,
  nullable,
  nullableText,
  nullableTime,
  optionalFields,
  part,
  resource,
  response,
  timestamp,
  uuid,
} from '../schemas';

const { country, customer_phone } = createIntentBody.properties;

export const listMethodsQuery = optionalFields({
  currency: { ...currency, description: 'Operators that take this currency only.' },
  country: { ...country, description: 'Operators of this country only.' },
});

const operator = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  pattern: LINE_PATTERN,
} as const;

const step = {
  title: 'PaymentStep',
  type: 'string',
  enum: PAYMENT_STEPS,
  description:
    'What the customer does. prompt: confirms a question on the phone. dial: dials a code and confirms there. otp: makes a one-time code and types it. redirect: leaves for the operator’s page.',
} as const;

export const methodsResponse = response('PaymentMethods', {
  payment_methods: {
    type: 'array',
    items: part('PaymentMethod', {
      operator: { ...operator, description: 'Such as orange_ci.' },
      name: { type: 'string', maxLength: 140, description: 'As customers know it.' },
      country: { type: 'string', minLength: 2, maxLength: 2 },
      currency,
      prefixes: {
        type: 'array',
        items: { type: 'string', maxLength: 16 },
        description: 'How its numbers begin; empty when it has no numbers of its own.',
      },
      minimum: amount,
      maximum: amount,
      step,
      state: {
        title: 'PaymentMethodState',
        type: 'string',
        enum: RAIL_STATES,
        description: 'delayed: payments take longer than usual. closed: it takes none now.',
      },
    }),
  },
});

const otp = {
  type: 'string',
  pattern: '^[0-9]{4,8}$',
  maxLength: 8,
  description: 'The customer’s one-time code, where the step is otp.',
} as const;

export const createAttemptBody = {
  type: 'object',
  additionalProperties: false,
  required: ['operator', 'phone'],
  properties: {
    operator: { ...operator, description: 'An operator of GET /payment-methods.' },
    phone: {
      ...customer_phone,
      maxLength: 64,
      description:
        'The phone that pays, with the code of its country; an old number of Benin (+229 and eight digits) becomes the one with 01.',
    },
    otp: {
      ...otp,
      description:
        'The customer’s one-time code, where the step is otp. Without it the attempt waits for the code.',
    },
  },
} as const;

export const giveOtpBody = {
  type: 'object',
  additionalProperties: false,
  required: ['otp'],
  properties: { otp },
} as const;

const words = { type: 'array', items: { type: 'string', maxLength: 500 } } as const;

export const paymentAttempt = resource('PaymentAttempt', {
  id: uuid,
  payment_intent_id: uuid,
  status: {
    title: 'PaymentAttemptStatus',
    type: 'string',
    enum: ATTEMPT_STATUSES,
    description:
      'A failed attempt leaves the payment intent open. It may still become succeeded: a phone may pay after its time, and the money then goes where late money goes.',
  },
  operator: { type: 'string', maxLength: 64 },
  phone: { type: 'string', maxLength: 16 },
  next_step: nullable({
    ...part('NextStep', {
      kind: step,
      expires_at: { ...timestamp, description: 'Until when the operator waits.' },
      code: { ...nullableText, description: 'What to dial, for dial and otp.' },
      url: { ...nullableText, description: 'The operator’s page, for redirect.' },
      instructions: part('StepInstructions', { fr: words, en: words }),
    }),
    description:
      'What the customer has to do now; null once it has ended, and while the operator has not answered.',
  }),
  failure: nullable(
    part('AttemptFailure', {
      code: { type: 'string', enum: ATTEMPT_FAILURES },
      message: { type: 'string', maxLength: 1000 },
      provider_code: { ...nullableText, description: 'The provider’s own code for it.' },
    }),
  ),
  created_at: timestamp,
  expires_at: { ...timestamp, description: 'When a waiting attempt is given up.' },
  ended_at: nullableTime,
});

export const attemptsResponse = response('PaymentAttempts', {
  attempts: { type: 'array', maxItems: 100, items: paymentAttempt },
});
