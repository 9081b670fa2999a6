// What the API and the workflows tell each other: names, argument and result types, and the search
// attributes that operators filter by. Values here are safe to import outside of workflows.

import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { FinalOutcome, UnstoredOutcome } from '../domain/transfer';

/** The workflow's result, readable in Temporal's UI; the answer's bytes are in Postgres. */
export interface TransferResult {
  readonly outcome: FinalOutcome | UnstoredOutcome;
  readonly reference: string | null;
}

// SQL visibility stores ten keywords per namespace, and three lists of keywords.
export const searchAttributes = {
  environment: defineSearchAttributeKey('PaymentEnvironment', SearchAttributeType.KEYWORD),
  account: defineSearchAttributeKey('PaymentAccount', SearchAttributeType.KEYWORD),
  counterparty: defineSearchAttributeKey('PaymentCounterparty', SearchAttributeType.KEYWORD),
  currency: defineSearchAttributeKey('PaymentCurrency', SearchAttributeType.KEYWORD),
  reference: defineSearchAttributeKey('PaymentReference', SearchAttributeType.KEYWORD),
  /** `accepted` at the start, then the outcome. */
  state: defineSearchAttributeKey('PaymentState', SearchAttributeType.KEYWORD),
  /** Of a batch: everybody who sends or receives in it. */
  accounts: defineSearchAttributeKey('PaymentAccounts', SearchAttributeType.KEYWORD_LIST),
  references: defineSearchAttributeKey('PaymentReferences', SearchAttributeType.KEYWORD_LIST),
};
