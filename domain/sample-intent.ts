// The facts of a made-up intent, of a refund and a dispute of it, of a transfer and of a payout, for test events: the
// columns of their rows; one that is left out is null. The presenters of real ones render them (sample_json in SQL), so
// a receiver can be tested with them.

import type { Environment } from './environment';
import { nounOf, type EventNoun, type EventType } from './event';
import { payUrl, type IntentStatus } from './intent';

export interface SampleOptions {
  readonly type: EventType;
  readonly environment: Environment;
  /** The end, in milliseconds since 1970. */
  readonly now_ms: number;
  readonly pay_url_base: string;
}

export type SampleFacts = Readonly<Record<string, unknown>>;

const INTENT_ID = '00000000-0000-4000-8000-000000000000';
const SHORT_CODE = 'Samp1eCode';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Returns what a test event of this type is about: 5000 XOF, with ids that cannot be mistaken for
 * real ones.
 */
export function sampleFacts(options: SampleOptions): SampleFacts {
  const { type, environment, now_ms } = options;
  return {
    environment,
    currency: 'XOF',
    amount_minor: 500_000,
    fee_minor: 0,
    tax_minor: 0,
    created_at: instantOf(now_ms - MINUTE_MS),
    updated_at: instantOf(now_ms),
    ...SAMPLES[nounOf(type)](options),
  };
}

const SAMPLES: Readonly<Record<EventNoun, (options: SampleOptions) => SampleFacts>> = {
  payment: sampleIntent,
  refund: sampleRefund,
  dispute: sampleDispute,
  transfer: sampleTransfer,
  payout: samplePayout,
};

function sampleTransfer({ type, environment, now_ms }: SampleOptions): SampleFacts {
  const is_live = environment === 'live';
  const is_out = type === 'transfer.sent';
  return {
    reference: 'TRF-00000000000000000000',
    status: is_live ? 'completed' : 'simulated',
    simulated: !is_live,
    direction: is_out ? 'out' : 'in',
    fee_bearer: 'recipient',
    from_username: 'somebody',
    to_username: 'somebody-else',
    reversed_minor: 0,
    description: 'A test event: no money was sent',
    metadata: is_out ? {} : null,
    created_at: instantOf(now_ms),
  };
}

function samplePayout({ type, now_ms }: SampleOptions): SampleFacts {
  const status = SAMPLE_PAYOUTS[type] ?? type.replace('payout.', '');
  const at = instantOf(now_ms);
  return {
    id: '00000000-0000-4000-8000-000000000003',
    reference: 'PYT-00000000000000000000',
    status,
    stage: status === 'pending' ? 'sent' : null,
    destination_type: 'mobile_money',
    phone: '+221770000000',
    operator: 'orange_sn',
    name: 'Awa Diop',
    name_check: 'warn',
    name_found: 'Awa Diop',
    name_match: 'match',
    provider: 'sandbox',
    failure:
      status === 'failed'
        ? {
            code: 'recipient_not_found',
            message: 'The operator does not know this phone.',
            provider_code: null,
          }
        : null,
    returned_minor: status === 'returned' ? 500_000 : 0,
    approvals_needed: 0,
    description: 'A test event: no money was sent',
    metadata: {},
    sent_at: status === 'requires_confirmation' ? null : at,
    completed_at: ['pending', 'requires_confirmation'].includes(status) ? null : at,
    expires_at: instantOf(now_ms + 24 * HOUR_MS),
  };
}

const SAMPLE_PAYOUTS: Readonly<Partial<Record<EventType, string>>> = {
  'payout.requires_action': 'requires_confirmation',
  'payout.sent': 'pending',
};

function sampleRefund({ type }: SampleOptions): SampleFacts {
  return {
    id: '00000000-0000-4000-8000-000000000002',
    reference: 'RFD-00000000000000000000',
    intent_id: INTENT_ID,
    status: type === 'refund.failed' ? 'failed' : 'succeeded',
    reason: 'A test event: no money is given back',
    metadata: {},
    failure:
      type === 'refund.failed'
        ? { code: 'refund_failed', message: 'The account that was paid from is closed.' }
        : null,
  };
}

function sampleDispute({ type, now_ms }: SampleOptions): SampleFacts {
  const status = type === 'dispute.opened' ? 'open' : type.replace('dispute.', '');
  return {
    id: '00000000-0000-4000-8000-000000000003',
    reference: 'DSP-00000000000000000000',
    intent_id: INTENT_ID,
    status,
    fee_minor: status === 'lost' ? 10_000 : 0,
    owed_minor: 0,
    reason: 'product_not_received',
    evidence_due_by: instantOf(now_ms + 7 * 24 * HOUR_MS),
    closed_at: status === 'open' ? null : instantOf(now_ms),
  };
}

function sampleIntent({ type, now_ms, pay_url_base }: SampleOptions): SampleFacts {
  const status = type.replace('payment.', '') as IntentStatus;
  const ended_at = instantOf(now_ms);
  const created_ms = now_ms - (status === 'expired' ? 24 * HOUR_MS : MINUTE_MS);
  const endOf = (final: IntentStatus): string | null => (status === final ? ended_at : null);
  return {
    id: INTENT_ID,
    short_code: SHORT_CODE,
    reference: 'TRX-00000000000000000000',
    status,
    refunded_minor: 0,
    country: 'SN',
    description: 'A test event: nothing was paid',
    metadata: {},
    received_minor: status === 'succeeded' ? 500_000 : null,
    checkout_url: payUrl(pay_url_base, SHORT_CODE),
    last_payment_error:
      status === 'failed' ? { code: 'declined', message: 'The payment was declined.' } : null,
    transaction_id: status === 'succeeded' ? '00000000-0000-4000-8000-000000000001' : null,
    created_at: instantOf(created_ms),
    expires_at: instantOf(created_ms + 24 * HOUR_MS),
    succeeded_at: endOf('succeeded'),
    failed_at: endOf('failed'),
    expired_at: endOf('expired'),
  };
}

/** Writes an instant with six digits of a second, as all of the API are. */
export function instantOf(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
