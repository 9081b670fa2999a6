// The data of a payment link's page, and what follows from it.

import type { JSX } from 'preact';
import type { Currency } from '../../domain/currency';
import type { Hold } from '../../domain/risk';
import type { Environment } from '../../domain/environment';
import type { IntentStatus } from '../../domain/intent';
import type { PaymentFailure } from '../../domain/payment';
import type { Language } from '../../domain/language';
import { addOutcome, hostOf, readReturnAddress } from '../../domain/return-address';
import { formatMoney } from '../../pages/formats';
import type { PayAttempt, PhonePart } from './phones';
import { customerMessage } from './wording';
import { WORDS } from './words';

/** All that the page may know: nothing about the customer, nothing private of the merchant. */
export interface PayPageView {
  readonly id: string;
  readonly short_code: string;
  readonly status: IntentStatus;
  readonly amount_minor: bigint;
  readonly currency: Currency;
  readonly reference: string;
  readonly description: string | null;
  readonly merchant_name: string;
  /** The customer's, where the link says it. */
  readonly country: string | null;
  readonly merchant_country: string;
  readonly merchant_contact: string | null;
  /** The version of the merchant's picture; null when there is none. */
  readonly logo_version: string | null;
  /** The whole address of the page. */
  readonly pay_url: string;
  readonly environment: Environment;
  /** ISO 8601. */
  readonly expires_at: string;
  readonly last_payment_error: PaymentFailure | null;
  /** The payment has arrived and is being checked. */
  readonly hold: Hold | null;
  /** The amount that has arrived in its currency, taken or held; null until something has. */
  readonly received_minor: bigint | null;
  /** The amount it ended with, when that is another one. */
  readonly settled_minor: bigint | null;
  /** Given back, or on the way to it. */
  readonly refunded_minor: bigint;
  /** ISO 8601. */
  readonly updated_at: string;
  /** True when the sandbox gateway takes the payment, also in place of a live gateway. */
  readonly is_simulated_gateway: boolean;
  /** ISO 8601. */
  readonly succeeded_at: string | null;
  /** Where the customer goes after a success. */
  readonly return_url: string | null;
  /** Where the customer goes without a success. */
  readonly cancel_url: string | null;
  /**
   * The checkout's address. It is not shown: its origin is where the page's form may redirect to.
   */
  readonly checkout_url: string;
}

export interface PayPageOptions {
  /** English when left out. */
  readonly language?: Language;
  /** The customer has chosen it: the page's own links and forms keep it. */
  readonly is_chosen?: boolean;
  /** The customer has come back from the gateway: its notification is expected soon. */
  readonly has_returned?: boolean;
  /** The attempt that failed is the one that the customer comes from. */
  readonly is_answered?: boolean;
  /** The gateway has just said that nothing was paid. */
  readonly is_unpaid?: boolean;
  /** The customer comes back from the gateway without having paid. */
  readonly gave_up?: boolean;
  /** The page goes on to the shop, if there is an address of it. */
  readonly leaves?: boolean;
  /** The ways to pay by phone. */
  readonly phones?: PhonePart;
}

export type Options = Required<PayPageOptions>;

export const DEFAULTS: Options = {
  language: 'en',
  is_chosen: false,
  has_returned: false,
  is_answered: false,
  is_unpaid: false,
  gave_up: false,
  leaves: false,
  phones: {
    methods: { near: [], far: new Map() },
    attempt: undefined,
    form_id: '',
    fields: { phone: '', operator: '' },
    faults: {},
  },
};

/** A customer who has just come back from the gateway may have paid. */
export function isAwaited(
  { status }: PayPageView,
  { has_returned, is_answered, is_unpaid }: Options,
): boolean {
  return status === 'open' && has_returned && !is_answered && !is_unpaid;
}

/** While it waits, there is no other way to pay. */
export function waitingAttempt(
  { status }: PayPageView,
  { phones: { attempt } }: Options,
): PayAttempt | undefined {
  return status === 'open' && attempt?.status === 'waiting' ? attempt : undefined;
}

/** Money has arrived that the link could not take, and nothing else since. */
export function isMismatch({
  status,
  last_payment_error,
}: Pick<PayPageView, 'status' | 'last_payment_error'>): boolean {
  const code = last_payment_error?.code;
  return (
    isReceived({ status, last_payment_error }) ||
    (status === 'open' && (code === 'amount_mismatch' || code === 'currency_mismatch'))
  );
}

/** The whole amount has arrived, and is above a limit of the merchant: it waits, and is not to be paid again. */
export function isReceived({
  status,
  last_payment_error,
}: Pick<PayPageView, 'status' | 'last_payment_error'>): boolean {
  return status === 'open' && last_payment_error?.code === 'limit_exceeded';
}

/** Where the gateway has no page of its own, customers pay on this one. */
export function hasCheckout({ checkout_url, pay_url }: PayPageView): boolean {
  return checkout_url !== pay_url;
}

export interface FailedAttempt {
  readonly text: string;
  /** The gateway has said why, and mostly what to do. */
  readonly has_reason: boolean;
}

export function failedAttempt(view: PayPageView, language: Language): FailedAttempt | null {
  const { status, last_payment_error } = view;
  if (status !== 'open' || last_payment_error === null || isMismatch(view)) return null;
  const { failed_attempt } = WORDS[language];
  const reason = customerMessage(last_payment_error, language);
  return {
    text: reason === undefined ? failed_attempt : `${failed_attempt} ${reason}`,
    has_reason: reason !== undefined,
  };
}

export function arrivedText(view: PayPageView, language: Language): string {
  const words = WORDS[language];
  const { received_minor, currency, last_payment_error } = view;
  if (isReceived(view)) return words.received;
  return last_payment_error?.code === 'amount_mismatch' && received_minor !== null
    ? words.arrived(formatMoney(language, received_minor, currency), amountOf(view, language))
    : words.arrived_otherwise;
}

/** The path of the page, or of one below it, in the language that was chosen. */
export function pathOf(
  { short_code }: PayPageView,
  { language, is_chosen }: Pick<Options, 'language' | 'is_chosen'>,
  below = '',
): string {
  return `/p/${short_code}${below}${is_chosen ? `?lang=${language}` : ''}`;
}

/** Where the customer can go from here, with what became of the payment. */
export interface Shop {
  readonly address: string;
  readonly host: JSX.Element;
}

export function shopOf(view: PayPageView, options: Options): Shop | undefined {
  const { id, reference, status, return_url, cancel_url } = view;
  // A customer who may just have paid is not sent away as one who has not.
  if (status === 'processing' || isMismatch(view)) return undefined;
  if (isAwaited(view, options) && !options.gave_up) return undefined;
  if (waitingAttempt(view, options)) return undefined;
  const address = status === 'succeeded' ? return_url : cancel_url;
  // Checked when it was stored. Once more: this is where a browser is sent.
  if (address === null || !readReturnAddress(address, true)) return undefined;
  const outcome = { payment_intent: id, reference, status };
  return { address: addOutcome(address, outcome), host: <bdi>{hostOf(address)}</bdi> };
}

/** The amount that it asks for, or was paid with. */
export function amountOf(
  { amount_minor, settled_minor, currency }: PayPageView,
  language: Language,
): string {
  return formatMoney(language, settled_minor ?? amount_minor, currency);
}

/** The version is in it, so that the picture may be cached for ever. */
export function logoPath({ short_code, logo_version }: PayPageView): string | undefined {
  return logo_version === null ? undefined : `/p/${short_code}/logo?v=${logo_version}`;
}

export function ribbonOf(
  { environment, is_simulated_gateway }: PayPageView,
  language: Language,
): string | undefined {
  const words = WORDS[language];
  if (environment === 'sandbox') return words.test_ribbon;
  return is_simulated_gateway ? words.simulated_ribbon : undefined;
}
