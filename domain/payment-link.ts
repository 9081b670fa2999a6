// A payment link that any number of customers may pay: what it may carry, and how it is shown.

import type { Metadata } from './intent';

/**
 * `sold_out`: each of `max_payments` is paid or under way. One that ends without a payment is free again. The
 * status is computed at each reading (payment_link_status in SQL).
 */
export const PAYMENT_LINK_STATUSES = ['active', 'inactive', 'sold_out', 'expired'] as const;
export type PaymentLinkStatus = (typeof PAYMENT_LINK_STATUSES)[number];

/** Bounds of a link. Texts are counted in code points. */
export const PAYMENT_LINK_BOUNDS = {
  title: 120,
  suggestions: 4,
  quantity: 1_000,
  max_payments: 1_000_000,
  collect: 3,
  label: 60,
  /** An answer of a customer. */
  answer: 200,
} as const;

/** Why a payment of a link was not begun: it takes none just now. */
export type LinkRefusal = `link_${Exclude<PaymentLinkStatus, 'active'>}`;

export function isLinkRefusal(refusal: string): refusal is LinkRefusal {
  return refusal.startsWith('link_');
}

export class LinkTakesNoPayment extends Error {
  readonly status: PaymentLinkStatus;

  constructor(refusal: LinkRefusal) {
    super(refusal);
    this.status = refusal.slice('link_'.length) as PaymentLinkStatus;
  }
}

/** How long a customer has to pay, in seconds; a place in the link is held for as long. */
export const LINK_PAYMENT_SECONDS = 1_800;

/** A customer is asked for it. */
export interface CollectedField {
  readonly key: string;
  readonly label: string;
  readonly required: boolean;
}

/** A key for each label, in their order: ASCII, and no two the same. */
export function fieldKeys(labels: readonly string[]): string[] {
  const keys: string[] = [];
  for (const label of labels) {
    const plain = label.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
    const words = plain
      .replace(/[^a-z0-9]+/g, ' ')
      .trim()
      .replaceAll(' ', '_');
    const first = words.slice(0, 40) || 'answer';
    let key = first;
    for (let n = 2; keys.includes(key); n += 1) key = `${first.slice(0, 38)}_${n}`;
    keys.push(key);
  }
  return keys;
}

/** A field that is left out stays; null takes it away. Prices never change. */
export interface PaymentLinkChanges {
  readonly title?: string | undefined;
  readonly description?: string | null | undefined;
  readonly is_active?: boolean | undefined;
  readonly active_until?: string | null | undefined;
  readonly max_payments?: number | null | undefined;
  readonly return_url?: string | null | undefined;
  readonly metadata?: Metadata | undefined;
}

export function linkUrl(pay_url_base: string, code: string): string {
  return `${pay_url_base}/l/${code}`;
}
