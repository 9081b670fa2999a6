// A customer pays by a reusable link: each payment is an intent of its own.

import { findStoredResponse, readBeforeOperation } from '../../db/requests/orders';
import type { PayableLink } from '../../db/payment-links/payment-links';
import type { Collected } from '../../domain/intent';
import { formatAmount, type Minor } from '../../domain/money';
import { LINK_PAYMENT_SECONDS } from '../../domain/payment-link';
import { createLink } from '../payment-intents/create';
import type { OrderDependencies } from '../requests/dependencies';

export interface LinkPayment {
  /** Checked against the link by the page. */
  readonly amount: Minor;
  readonly quantity: number;
  readonly collected: Collected;
  /** Identifies one visit to the page, which pays once. */
  readonly form_id: string;
  readonly request_id: string;
}

/** The short code of the payment that a form has made. */
export async function findPaid(
  { db }: Pick<OrderDependencies, 'db'>,
  link: PayableLink,
  form_id: string,
): Promise<string | undefined> {
  const stored = await findStoredResponse(db, scopeOf(link, form_id));
  return stored && codeOf(stored.body);
}

/** The short code of the payment's page. @throws Refusal, LinkTakesNoPayment */
export async function payByLink(
  dependencies: OrderDependencies,
  link: PayableLink,
  { amount, quantity, collected, form_id, request_id }: LinkPayment,
): Promise<string> {
  const { id, user_id, username, environment, currency, title, return_url, metadata } = link;
  const scope = scopeOf(link, form_id);
  const before = await readBeforeOperation(dependencies.db, scope);
  const { body } = await createLink(dependencies, {
    caller: { user_id, username, environment, ...before },
    body: {
      currency,
      description: quantity === 1 ? title : `${quantity} × ${title}`,
      metadata,
      expires_in: LINK_PAYMENT_SECONDS,
      ...(return_url === null ? {} : { return_url }),
    },
    numbers: new Map([['/amount', formatAmount(amount)]]),
    request_id,
    key: scope.key,
    has_own_key: true,
    by_link: { id, quantity, collected },
  });
  return codeOf(body);
}

function scopeOf({ id, user_id, environment }: PayableLink, form_id: string) {
  const key = `payment-link/${id}/${form_id}`;
  return { user_id, environment, operation: 'payment_intent', key } as const;
}

const codeOf = (body: string): string =>
  (JSON.parse(body) as { readonly short_code: string }).short_code;
