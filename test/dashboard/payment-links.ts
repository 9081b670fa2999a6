// Payment links, for one payment and reusable, without a gateway: rows as they are once a checkout is open.

import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connect';
import { createIntent, type NewIntent } from '../../db/payment-intents/intents';
import {
  createPaymentLink,
  findPaymentLink,
  type NewPaymentLink,
  type PaymentLinkView,
} from '../../db/payment-links/payment-links';
import { makeShortCode } from '../../secrets/random';
import type { TestUser } from '../support/users';
import { buildNewIntent, openAtOnce } from '../workflows/intents';

/** An open one of 5000 XOF in the sandbox, unless the fields say otherwise. Its workflow does not run. */
export async function buildLink(
  db: Db,
  user: TestUser,
  fields: Partial<NewIntent> = {},
): Promise<NewIntent> {
  const intent = buildNewIntent(user, 'sandbox', fields);
  await createIntent(db, intent);
  const checkout = {
    session_id: randomUUID(),
    checkout_url: 'http://127.0.0.1:9/',
    lapses_at: null,
  };
  await openAtOnce(db, intent.id, checkout);
  return intent;
}

/** An active one in the sandbox: coffee for 500 XOF, at a table, unless the fields say otherwise. */
export async function buildReusableLink(
  db: Db,
  { id: user_id }: TestUser,
  fields: Partial<NewPaymentLink> = {},
): Promise<PaymentLinkView> {
  const link: NewPaymentLink = {
    id: randomUUID(),
    code: makeShortCode(),
    environment: 'sandbox',
    user_id,
    title: 'Coffee',
    currency: 'XOF',
    amount_minor: '50000',
    minimum_minor: null,
    maximum_minor: null,
    suggestions_minor: [],
    quantity_minimum: 1,
    quantity_maximum: 10,
    max_payments: 100,
    active_until: '2099-01-01T00:00:00.000000Z',
    collect: [{ key: 'table', label: 'Table number', required: true }],
    description: 'From Casamance',
    return_url: null,
    metadata: {},
    idempotency_key: randomUUID(),
    fingerprint: {},
    request_id: randomUUID(),
    accept_before: 'infinity',
    ...fields,
  };
  await createPaymentLink(db, link, '');
  const { environment, id } = link;
  return (await findPaymentLink(db, { user_id, environment, pay_url_base: '' }, { id }))!;
}

/** The link's fields of an intent: two for table 7. */
export const ofLink = ({ id }: PaymentLinkView) =>
  ({
    payment_link_id: id,
    quantity: 2,
    collected: { table: '7' },
    amount_minor: '100000',
  }) as const;
