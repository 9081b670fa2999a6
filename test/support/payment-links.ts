// Reusable payment links for tests below the API.

import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connect';
import { createPaymentLink, type NewPaymentLink } from '../../db/payment-links/payment-links';
import type { Environment } from '../../domain/environment';
import { makeShortCode } from '../../secrets/random';
import type { TestUser } from './users';

/** Coffee for 5000 XOF in the sandbox, for any number of customers, unless the fields say otherwise. Returns its id. */
export async function buildPaymentLink(
  db: Db,
  user: TestUser,
  fields: Partial<NewPaymentLink> & { readonly environment?: Environment } = {},
): Promise<string> {
  const link: NewPaymentLink = {
    id: randomUUID(),
    code: makeShortCode(),
    environment: 'sandbox',
    user_id: user.id,
    title: 'Coffee',
    currency: 'XOF',
    amount_minor: '500000',
    minimum_minor: null,
    maximum_minor: null,
    suggestions_minor: [],
    quantity_minimum: null,
    quantity_maximum: null,
    max_payments: null,
    active_until: null,
    collect: [],
    description: null,
    return_url: null,
    metadata: {},
    idempotency_key: randomUUID(),
    fingerprint: {},
    request_id: randomUUID(),
    accept_before: new Date(Date.now() + 3_600_000).toISOString(),
    ...fields,
  };
  const created = await createPaymentLink(db, link, 'https://pay.example.com');
  if (created.outcome !== 'created') throw new Error(`No link: ${created.outcome}`);
  return link.id;
}

/** An intent of the link has these beside the fields of others. */
export function ofLink(id: string) {
  return { payment_link_id: id, quantity: 1, collected: {} } as const;
}
