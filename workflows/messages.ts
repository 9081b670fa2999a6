// What the API and the workflows tell each other: names, argument and result types, and the search
// attributes that operators filter by. Values here are safe to import outside of workflows.

import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { IntentStep } from '../activities/payment-intents';
import type { FinalOutcome, UnstoredOutcome } from '../domain/transfer';

/** A lost workflow task is tried again after this; shorter would punish a busy worker. */
export const WORKFLOW_TASK_TIMEOUT_MS = 5_000;

/** The workflow's result, readable in Temporal's UI; the answer's bytes are in Postgres. */
export interface TransferResult {
  readonly outcome: FinalOutcome | UnstoredOutcome;
  readonly reference: string | null;
}

/** What an intent's workflow is started with: nothing of the customer's, because histories are read by many. */
export interface IntentStart {
  readonly id: string;
  /** ISO 8601. */
  readonly expires_at: string;
  /**
   * How long a gateway may keep failing to open the checkout; ten minutes when left out. Here and not
   * in the configuration, because a history must replay whatever the configuration says later.
   */
  readonly give_up_after_ms?: number;
}

/** A notification of the inbox waits to be applied; by its id there. */
export const gatewayNotified = defineSignal<[string]>('gatewayNotified');
/** Resolves when the checkout is open, or when the next try to open it has failed. */
export const awaitOpening = defineUpdate<IntentStep>('awaitOpening');
export const cancelIntent = defineUpdate<IntentStep>('cancelIntent');
export const renewCheckout = defineUpdate<IntentStep>('renewCheckout');

/** Something new is to be delivered to the endpoint, or is to be looked at sooner. */
export const deliveriesAdded = defineSignal('deliveriesAdded');

// SQL visibility stores ten keywords per namespace, and three lists of keywords.
export const searchAttributes = {
  environment: defineSearchAttributeKey('PaymentEnvironment', SearchAttributeType.KEYWORD),
  account: defineSearchAttributeKey('PaymentAccount', SearchAttributeType.KEYWORD),
  counterparty: defineSearchAttributeKey('PaymentCounterparty', SearchAttributeType.KEYWORD),
  currency: defineSearchAttributeKey('PaymentCurrency', SearchAttributeType.KEYWORD),
  reference: defineSearchAttributeKey('PaymentReference', SearchAttributeType.KEYWORD),
  /** `accepted` at the start, then the outcome. */
  state: defineSearchAttributeKey('PaymentState', SearchAttributeType.KEYWORD),
  /** Of an intent, for sorting and filtering only: a float. */
  amount: defineSearchAttributeKey('PaymentAmount', SearchAttributeType.DOUBLE),
  expires_at: defineSearchAttributeKey('PaymentExpiresAt', SearchAttributeType.DATETIME),
  /** Of a batch: everybody who sends or receives in it. */
  accounts: defineSearchAttributeKey('PaymentAccounts', SearchAttributeType.KEYWORD_LIST),
  references: defineSearchAttributeKey('PaymentReferences', SearchAttributeType.KEYWORD_LIST),
};
