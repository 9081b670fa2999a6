// The faults that a test key can order, and the values that mean something in the sandbox.

import { MAX_FAULTS } from '../../db/sandbox/faults';
import {
  FAULT_FORMS,
  LONGEST_FAULT,
  MAX_FAULT_TIMES,
  WEBHOOK_FAULT_FORMS,
} from '../../domain/fault';
import { amount, currency, part, requestAmount, response, uuid } from '../schemas';

const operation = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  description: 'The method and the path as this document has them.',
  examples: ['POST /transfers'],
} as const;
const fault = {
  type: 'string',
  minLength: 1,
  maxLength: LONGEST_FAULT,
  description: `As in the header Sandbox-Fault: ${FAULT_FORMS}.`,
  examples: ['slow=250'],
} as const;
const times = { type: 'integer', minimum: 1, maximum: MAX_FAULT_TIMES } as const;

export const orderFaultBody = {
  type: 'object',
  required: ['operation', 'fault'],
  additionalProperties: false,
  properties: {
    operation,
    fault,
    times: { ...times, default: 1, description: 'How many requests it is for.' },
  },
} as const;

const faultFields = {
  id: uuid,
  operation,
  fault,
  times,
  left: { ...times, description: 'How many requests it is still for.' },
} as const;

export const orderedFaultResponse = response('OrderedSandboxFault', faultFields);

export const faultsResponse = response('SandboxFaultList', {
  faults: { type: 'array', maxItems: MAX_FAULTS, items: part('SandboxFault', faultFields) },
});

export const droppedFaultsResponse = response('DroppedSandboxFaults', {
  deleted: { type: 'integer', minimum: 0, maximum: MAX_FAULTS },
});

const webhookFault = {
  type: 'string',
  minLength: 1,
  maxLength: LONGEST_FAULT,
  description: `${WEBHOOK_FAULT_FORMS}.`,
  examples: ['late=86400'],
} as const;

export const orderWebhookFaultBody = {
  type: 'object',
  required: ['fault'],
  additionalProperties: false,
  properties: {
    fault: webhookFault,
    times: { ...times, default: 1, description: 'How many attempts it is for.' },
  },
} as const;

const webhookFaultFields = {
  id: uuid,
  fault: webhookFault,
  times,
  left: { ...times, description: 'How many attempts it is still for.' },
} as const;

export const orderedWebhookFaultResponse = response('OrderedWebhookFault', webhookFaultFields);

export const webhookFaultsResponse = response('WebhookFaultList', {
  faults: { type: 'array', maxItems: MAX_FAULTS, items: part('WebhookFault', webhookFaultFields) },
});

export const fundBody = {
  type: 'object',
  required: ['currency', 'amount'],
  additionalProperties: false,
  properties: { currency, amount: requestAmount },
} as const;

const meaning = { type: 'string', maxLength: 300 } as const;

const testPhone = part('TestPhone', {
  digits: { type: 'string', pattern: '^[0-9]{3}$', maxLength: 3 },
  outcome: { type: 'string', maxLength: 40 },
  meaning,
});

export const testValuesResponse = response('TestValues', {
  phones: {
    type: 'array',
    maxItems: 100,
    description:
      'When money is sent to it, by the last three digits of a phone or a bank account; any other is paid.',
    items: testPhone,
  },
  paying_phones: {
    type: 'array',
    maxItems: 100,
    description:
      'When a customer pays with it, by the last three digits of the phone; any other pays.',
    items: testPhone,
  },
  buttons: {
    type: 'array',
    maxItems: 100,
    description: 'Of the checkout of the simulated gateway.',
    items: part('TestButton', { action: { type: 'string', maxLength: 40 }, meaning }),
  },
  refunds: {
    type: 'array',
    maxItems: 100,
    description:
      'Of the checkout’s field `refunds`: how refunds of the payment go. Without one of these they work at once.',
    items: part('TestRefunds', { refunds: { type: 'string', maxLength: 40 }, meaning }),
  },
  delay_ms: part('TestDelay', {
    default: { type: 'integer', minimum: 0, description: 'Milliseconds that slow things take.' },
    maximum: { type: 'integer', minimum: 0 },
  }),
  faults: {
    type: 'string',
    maxLength: 500,
    description: 'The values of the header Sandbox-Fault.',
  },
  fund: part('FundLimits', {
    maximum: { ...amount, description: 'Of one call.' },
    a_day: { type: 'integer', minimum: 1, description: 'Calls in 24 hours.' },
  }),
});
