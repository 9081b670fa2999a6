// Disputes of payments.

import { DISPUTE_STATUSES } from '../../domain/dispute';
import {
  amount,
  currency,
  environment,
  nullable,
  optionalFields,
  page,
  paging,
  period,
  resource,
  timestamp,
  uuid,
} from '../schemas';

const status = {
  title: 'DisputeStatus',
  type: 'string',
  enum: DISPUTE_STATUSES,
  description:
    "open: the customer's bank has not decided. One that is lost may still be won, by an appeal.",
} as const;

export const listDisputesQuery = optionalFields({
  ...paging,
  status,
  currency: { ...currency, description: 'Disputes in this currency only.' },
  payment_intent_id: { ...uuid, description: 'Disputes of this payment link only.' },
  ...period,
});

export const dispute = resource('Dispute', {
  id: uuid,
  reference: {
    type: 'string',
    pattern: '^DSP-',
    maxLength: 64,
    description: 'Its rows in GET /transactions have it too.',
  },
  payment_intent_id: uuid,
  amount: { ...amount, description: 'What the customer claims: the payment, or a part of it.' },
  currency,
  fee: { ...amount, description: 'What the gateway charged for it; 0 unless it was lost.' },
  status,
  reason: {
    type: 'string',
    maxLength: 200,
    description: "The gateway's word for what the customer says, such as `fraudulent`.",
  },
  evidence_due_by: {
    ...nullable(timestamp),
    description: 'Until then the bank takes evidence; null when it takes none.',
  },
  owed_amount: {
    ...amount,
    description: 'What the wallet lacked so far: it is taken from what arrives next.',
  },
  environment,
  created_at: timestamp,
  closed_at: nullable(timestamp),
});

export const disputesResponse = page('disputes', dispute);
