// A draft is one order that a person has begun: its id is in the URL of the pages that make it, so that Back, a reload, a
// second tab and signing in again are all about this order, which is carried out once
// (docs/decisions/dashboard.md).

import { randomUUID } from 'node:crypto';
import { readBeforeOperation } from '../db/requests/orders';
import type { IdempotentOperation } from '../domain/idempotency';
import { isUuid } from '../domain/ids';
import type { NamedOrder, OrderedBy, OrderResponse } from '../use-cases/requests/orders';
import {
  seeOther,
  type Answer,
  type DashboardDependencies,
  type DraftVisit,
  type MemberVisit,
} from './context';
import { DRAFT_FIELD } from './forms';
import { keepFields } from './kept';
import { pathHere, pathWith } from './paths';
import { troublePage } from './trouble';
import { WORDS } from './words';

/** The orders that the dashboard makes. */
export type DraftedOperation = Exclude<IdempotentOperation, 'payment_attempt'>;

export interface Draft {
  readonly id: string;
  /** The idempotency key of the order. */
  readonly key: string;
  /** The order's use case takes this before it begins. */
  readonly before: { readonly now: string; readonly stored: undefined };
}

/** A draft's order, as its use case takes it. */
export function draftOrder({ account, session, ctx, draft }: DraftVisit): NamedOrder & OrderedBy {
  const { user_id, username } = account;
  return {
    caller: { user_id, username, environment: session.environment, ...draft.before },
    by: { ordered_by: session.login_id },
    key: draft.key,
    has_own_key: true,
    request_id: ctx.state.request_id,
    ip: ctx.state.ip,
  };
}

/** The id of what an order has made. */
export const idOf = ({ body }: OrderResponse): string =>
  (JSON.parse(body) as { readonly id: string }).id;

interface MadeOrder {
  readonly id: string;
  readonly reference: string;
  readonly payment_intent_id: string;
  readonly transfer_reference: string;
}

/** The page of what an order has made. */
const PAGES: Readonly<Record<DraftedOperation, (made: MadeOrder) => string>> = {
  transfer: ({ reference }) => `/transfers/${reference}`,
  payout: ({ reference }) => `/payouts/${reference}`,
  refund: ({ payment_intent_id }) => `/links/${payment_intent_id}`,
  reversal: ({ transfer_reference }) => `/transfers/${transfer_reference}`,
  payment_intent: ({ id }) => `/links/${id}`,
  payment_link: ({ id }) => `/reusable-links/${id}`,
  transfer_batch: ({ id }) => `/batches/${id}`,
  payout_batch: ({ id }) => `/payout-batches/${id}`,
  sandbox_fund: () => '/rehearse',
};

/** Answers the form of an order with the page that checks it: Back and a reload ask no browser to send a form again. */
export function goOnTo(path: string) {
  return (
    dependencies: Pick<DashboardDependencies, 'sealer'>,
    { ctx, form, draft }: DraftVisit,
  ): Answer => {
    const page = pathWith(path, { [DRAFT_FIELD]: draft.id });
    return seeOther(keepFields(dependencies, ctx, page, { fields: [...form] }));
  };
}

/** A person who is refused as often begins anew: each refusal is looked up. */
const MOST_REFUSALS = 50;

/**
 * Finds the draft of a page or form. Answers with what became of it when it was carried out, and leads a page without a
 * draft to a new one. An order that was refused for good has moved nothing: the draft goes on with its next key.
 */
export async function findDraft(
  { db }: Pick<DashboardDependencies, 'db'>,
  { ctx, query, form, account, session, language }: MemberVisit,
  operation: DraftedOperation,
): Promise<Draft | Answer> {
  const isPage = ctx.method === 'GET';
  const id = (isPage ? query : form).get(DRAFT_FIELD) ?? '';
  const { user_id } = account;
  const { environment } = session;
  for (let refusals = 0; isUuid(id) && refusals < MOST_REFUSALS; refusals += 1) {
    const key = refusals === 0 ? id : `${id}/${refusals}`;
    const { now, stored } = await readBeforeOperation(db, { user_id, environment, operation, key });
    if (!stored) return { id, key, before: { now, stored } };
    if (stored.status < 300) {
      const to = PAGES[operation](JSON.parse(stored.body) as MadeOrder);
      return seeOther(to, { flash: { notice: WORDS[language].already_sent, tone: 'quiet' } });
    }
  }
  return isPage
    ? seeOther(pathWith(pathHere(ctx), { [DRAFT_FIELD]: randomUUID() }))
    : troublePage(language, { kind: 'form' });
}
