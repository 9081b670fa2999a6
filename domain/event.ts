// The events that tell a merchant how an intent or a refund (domain/refund.ts) ended, of a dispute, or of a
// transfer. They are rendered once, and signed and sent as these bytes.

/** A type begins with what it is about. The database knows these nouns, and not each type. */
export const EVENT_NOUNS = ['payment', 'refund', 'dispute', 'transfer', 'payout'] as const;
export type EventNoun = (typeof EVENT_NOUNS)[number];

export interface EventWords {
  readonly summary: string;
  readonly description: string;
}

/** Every type there is, and what the API's document says of it. */
export const EVENTS = {
  'payment.succeeded': {
    summary: 'A payment link was paid',
    description:
      'The money, less the fee, is in your wallet. Deliver what was bought when `data.id` is yours.',
  },
  'payment.failed': {
    summary: 'A payment failed for good',
    description: '`data.last_payment_error` says why. Nobody can pay the link any more.',
  },
  'payment.held': {
    summary: 'A payment is being checked',
    description:
      'The customer has paid, and the operator of the service looks at it: `data.hold` says until when. Deliver nothing before `payment.succeeded`. For endpoints that name this type.',
  },
  'payment.expired': {
    summary: 'A payment link expired unpaid',
    description: 'Nobody can pay it any more.',
  },
  'refund.succeeded': {
    summary: 'A refund was made',
    description:
      'The gateway has sent the money to the customer. For endpoints that name this type. A bank may send it back weeks later: `refund.failed` follows then.',
  },
  'refund.failed': {
    summary: 'A refund failed',
    description:
      '`data.failure` says why, and the money is in your wallet again. For endpoints that name this type.',
  },
  'dispute.opened': {
    summary: 'A payment is disputed',
    description:
      "The customer's bank takes the payment back, and its amount has left your wallet; what the wallet lacks is `data.owed_amount`. Send evidence until `data.evidence_due_by`. For endpoints that name this type.",
  },
  'dispute.won': {
    summary: 'A dispute was won',
    description:
      'What was taken for it is in your wallet again. For endpoints that name this type. It may follow `dispute.lost`, when an appeal is won.',
  },
  'dispute.lost': {
    summary: 'A dispute was lost',
    description:
      'The customer has the money, and `data.fee` is taken from your wallet, too. For endpoints that name this type.',
  },
  'transfer.received': {
    summary: 'A transfer came in',
    description:
      'The money, less the fee, is in your wallet; in the sandbox it is simulated. For endpoints that name this type. Delivered after the events of payments and refunds that are due.',
  },
  'transfer.sent': {
    summary: 'A transfer was carried out',
    description:
      'One of yours, single or in a batch; in the sandbox it is simulated. For endpoints that name this type. Delivered after the events of payments and refunds that are due.',
  },
  'transfer.held': {
    summary: 'A transfer is being checked',
    description:
      'One of yours waits for the operator of the service: `data.hold` says until when. `transfer.sent` or `transfer.refused` follows. For endpoints that name this type.',
  },
  'transfer.refused': {
    summary: 'A transfer that was held is refused',
    description: 'The money is in your wallet again. For endpoints that name this type.',
  },
  'payout.held': {
    summary: 'A payout is being checked',
    description:
      'It waits for the operator of the service: `data.hold` says until when. For endpoints that name this type.',
  },
  'payout.requires_action': {
    summary: 'A payout waits for a person',
    description:
      'For an approval or a confirmation: `data.status` says which. For endpoints that name this type.',
  },
  'payout.sent': {
    summary: 'A payout is on its way',
    description: 'The provider has it. For endpoints that name this type.',
  },
  'payout.succeeded': {
    summary: 'A payout was paid',
    description:
      'The recipient has the money. For endpoints that name this type. It may still come back: `payout.returned` follows then.',
  },
  'payout.failed': {
    summary: 'A payout failed',
    description:
      '`data.failure` says why, and the money and the fee are in your wallet again. For endpoints that name this type.',
  },
  'payout.returned': {
    summary: 'A payout came back',
    description:
      'The money, or a part of it, is in your wallet again: `data.returned_amount` says how much in all. The fee is kept. For endpoints that name this type.',
  },
} as const satisfies Readonly<Record<`${EventNoun}.${string}`, EventWords>>;

export type EventType = keyof typeof EVENTS;
export type PaymentEventType = Exclude<Extract<EventType, `payment.${string}`>, 'payment.held'>;

export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[];

/** The events of an endpoint that names no types. */
export const PAYMENT_EVENT_TYPES = EVENT_TYPES.filter(
  (type): type is PaymentEventType => nounOf(type) === 'payment' && type !== 'payment.held',
);

export function nounOf(type: EventType): EventNoun {
  return type.split('.')[0] as EventNoun;
}

/** The ends of an intent that its merchant is told. */
export type IntentEnd = 'succeeded' | 'failed' | 'expired';
