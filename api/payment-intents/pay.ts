// Serves the pay page's needs of an intent: its public side, and a checkout to send the customer to.

import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../db/connect';
import {
  beginCheckoutRenewal,
  endCheckoutRenewal,
  findIntentByCode,
  getIntent,
  isCheckoutRenewing,
  type StoredIntent,
} from '../../db/payment-intents/intents';
import { findLogo, findLogoOfLink } from '../../db/accounts/public-profiles';
import { findLatestAttempt, findPayer } from '../../db/payment-attempts/payment-attempts';
import { findPayableLink } from '../../db/payment-links/payment-links';
import { readBeforeOperation } from '../../db/requests/orders';
import { listRefundsOfPayment } from '../../db/refunds/refunds';
import { payUrl, type IntentStatus } from '../../domain/intent';
import type { ApiDependencies } from '../context';
import { createNews } from '../pay/news';
import type { PayPageView } from '../pay/view';
import type { PayAttempt } from '../pay/phones';
import type { AttemptOrder, CheckoutOpening, PayDependencies } from '../pay/show';
import type { IntentName } from '../../temporal/payment-intents';
import { beginAttempt, giveOtp, giveUp } from '../../use-cases/payment-attempts/begin';
import { listMethods } from '../../use-cases/payment-attempts/methods';
import { findPaid, payByLink } from '../../use-cases/payment-links/pay';

/** A customer waits with a page in front of them. */
const RENEW_WITHIN_MS = 8_000;
/**
 * Longer than one renewal takes. While a gateway is away, its intents are asked for once in this
 * time.
 */
const RENEWAL_COOL_DOWN_MS = 10_000;
/** Refunds on a receipt: far more than a payment has. */
const MAX_SHOWN_REFUNDS = 50;
/** The pause between looks whether another process has its answer. */
const POLL_MS = 250;

export function createPayDependencies(dependencies: ApiDependencies): PayDependencies {
  const { config, db, log, strangers } = dependencies;
  /** Renewals by intent: visitors of this process who ask at the same time share one answer. */
  const renewing = new Map<string, Promise<CheckoutOpening>>();
  const findPayable = async (short_code: string): Promise<PayPageView | undefined> => {
    const intent = await findIntentByCode(db, short_code);
    if (!intent) return undefined;
    return {
      id: intent.id,
      short_code,
      // The look-up finds none before its checkout is open.
      status: intent.status as IntentStatus,
      hold: intent.hold,
      amount_minor: intent.amount_minor,
      currency: intent.currency,
      reference: intent.reference,
      description: intent.description,
      merchant_name: intent.merchant_name,
      country: intent.country,
      merchant_country: intent.merchant_country,
      merchant_contact: intent.merchant_contact,
      logo_version: intent.logo_version,
      pay_url: payUrl(config.pay_url_base, short_code),
      environment: intent.environment,
      expires_at: intent.expires_at,
      last_payment_error: intent.last_payment_error,
      updated_at: intent.updated_at,
      succeeded_at: intent.succeeded_at,
      return_url: intent.return_url,
      cancel_url: intent.cancel_url,
      received_minor: intent.received_minor,
      settled_minor: intent.settled_minor,
      refunded_minor: intent.refunded_minor,
      is_simulated_gateway: intent.gateway === 'sandbox',
      checkout_url: intent.checkout_url!,
    };
  };
  return {
    log,
    strangers,
    findPayable,
    listRefunds: ({ id }) => listRefundsOfPayment(db, id, MAX_SHOWN_REFUNDS),
    findPayer: ({ id }) => findPayer(db, id),
    findLogo: (short_code) => findLogoOfLink(db, short_code),
    awaitNews: createNews(dependencies, findPayable),
    listMethods: ({ environment, currency }) =>
      listMethods(dependencies, environment, { currency }),
    findAttempt: ({ id }) => findShownAttempt(db, id),
    beginAttempt: (view, order) => begin(dependencies, view, order),
    giveOtp: async ({ id, environment }, attempt_id, otp) => {
      const { user_id } = await getIntent(db, id);
      await giveOtp(dependencies, { caller: { user_id, environment }, attempt_id, otp });
    },
    giveUp: (attempt_id) => giveUp(dependencies, attempt_id),
    links: {
      findLink: (code) => findPayableLink(db, code),
      findPaid: (link, form_id) => findPaid(dependencies, link, form_id),
      payByLink: (link, payment) => payByLink(dependencies, link, payment),
      findLogo: async (user_id) => (await findLogo(db, user_id))?.image,
      pay_url_base: config.pay_url_base,
      max_payment: config.max_payment,
      isSimulated: (environment) => dependencies.gateways[environment][0]?.name === 'sandbox',
    },
    async openCheckout(short_code) {
      const intent = await findIntentByCode(db, short_code);
      // One that is over stays open while a customer is asked on a phone.
      if (intent?.status !== 'open' || intent.remaining_ms <= 0) return 'not_payable';
      if (!intent.has_lapsed) return checkoutOf(intent);
      const { id } = intent;
      let shared = renewing.get(id);
      if (!shared) {
        shared = renew(dependencies, intent).finally(() => renewing.delete(id));
        renewing.set(id, shared);
      }
      return shared;
    },
  };
}

async function findShownAttempt(db: Db, intent_id: string): Promise<PayAttempt | undefined> {
  const found = await findLatestAttempt(db, intent_id);
  if (!found) return undefined;
  const { id, status, operator_name, next_step, expires_at, phone, environment } = found;
  const digits = phone.slice(1);
  // Every visitor who has the link sees the step. In the sandbox it says where the buttons of the test phone are.
  const isShown = (line: string): boolean =>
    environment === 'sandbox' || !line.replaceAll(/\D/g, '').includes(digits);
  const shown = next_step && {
    ...next_step,
    instructions: {
      en: next_step.instructions.en.filter(isShown),
      fr: next_step.instructions.fr.filter(isShown),
    },
  };
  return { id, status, operator_name, next_step: shown, expires_at, phone_end: phone.slice(-2) };
}

/** In the name of the link's account. A form that is sent twice begins one attempt. */
async function begin(
  dependencies: ApiDependencies,
  { id, environment, amount_minor, currency }: PayPageView,
  { operator, phone, form_id, request_id }: AttemptOrder,
): Promise<void> {
  const { user_id } = await getIntent(dependencies.db, id);
  const key = `page:${form_id}`;
  const scope = { user_id, environment, operation: 'payment_attempt', key } as const;
  const before = await readBeforeOperation(dependencies.db, scope);
  await beginAttempt(dependencies, {
    caller: { user_id, environment, ...before },
    intent: { id, amount_minor, currency },
    fields: { operator, phone },
    key,
    has_own_key: true,
    request_id,
  });
}

/**
 * The gateway's session has ended before the intent: its workflow opens the next one. Any visitor
 * may ask for that, and an update of a workflow is dear, so one visitor asks for all of them, once
 * per cool-down.
 */
async function renew(
  { intent_workflows, db, log }: ApiDependencies,
  { environment, id }: IntentName,
): Promise<CheckoutOpening> {
  const asked_at = Date.now();
  const deadline = asked_at + RENEW_WITHIN_MS;
  const renewal = await beginCheckoutRenewal(db, id, RENEWAL_COOL_DOWN_MS);
  if (renewal.is_first) {
    try {
      await intent_workflows.renewCheckout({ environment, id }, deadline);
    } catch (error) {
      log({ part: 'pay', error: String(error) });
    }
    await endCheckoutRenewal(db, id);
  } else if (renewal.is_asking) {
    await untilAnswered(db, id, Math.min(deadline, asked_at + renewal.wait_ms));
  }
  const intent = await getIntent(db, id);
  if (intent.status !== 'open') return 'not_payable';
  if (!intent.has_lapsed) return checkoutOf(intent);
  const wait_ms = asked_at + renewal.wait_ms - Date.now();
  return { retry_after_seconds: Math.max(1, Math.ceil(wait_ms / 1_000)) };
}

function checkoutOf({ checkout_url, updated_at }: StoredIntent): CheckoutOpening {
  return { checkout_url: checkout_url!, updated_at };
}

/** Another process asks. */
async function untilAnswered(db: Db, id: string, limit: number): Promise<void> {
  while (Date.now() < limit && (await isCheckoutRenewing(db, id))) await delay(POLL_MS);
}
