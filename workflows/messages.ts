// The words between the workflows and the rest of the service: types, messages, the search
// attributes that operators filter by, and Temporal's limits. Safe to import outside of workflows.

import {
  defaultPayloadConverter,
  defineSearchAttributeKey,
  SearchAttributeType,
  type Headers,
} from '@temporalio/common';
import { defineSignal, defineUpdate, type Sinks } from '@temporalio/workflow';
import type { Environment } from '../domain/environment';
import type { IntentStep, SealedCancellation } from '../domain/intent';

/** The `traceparent` of a caller, in the headers of starts, signals, updates and activities. */
export const TRACE_HEADER = 'traceparent';
const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/;

/** The header may hold anything: each program that can start a workflow writes it. */
export function readTrace({ [TRACE_HEADER]: payload }: Headers): string | undefined {
  if (!payload) return undefined;
  try {
    const text = defaultPayloadConverter.fromPayload<unknown>(payload);
    return typeof text === 'string' && TRACEPARENT.test(text) ? text : undefined;
  } catch {
    // An encoding that we do not know. A trace is no reason to fail.
    return undefined;
  }
}

export function withTrace<Input extends { readonly headers: Headers }>(
  input: Input,
  traceparent: string | undefined,
): Input {
  if (traceparent === undefined) return input;
  const header = defaultPayloadConverter.toPayload(traceparent);
  return { ...input, headers: { ...input.headers, [TRACE_HEADER]: header } };
}

/** The span of a run has an id made of the run's: its activities name it before it is there. */
export function spanIdOfRun(run_id: string): string {
  return run_id.replaceAll('-', '').slice(-16);
}

/** Traced workflows tell it the process that runs them. */
export interface TraceSinks extends Sinks {
  readonly traces: {
    ended(run: { readonly parent: string; readonly failed: boolean }): void;
  };
}

/**
 * The workflow types, as Temporal's UI shows them: the functions that workflows/index.ts exports.
 */
export const WORKFLOW_TYPES = {
  transfers: 'transfers',
  transferBatch: 'transferBatch',
  paymentIntent: 'paymentIntent',
  lateNotification: 'lateNotification',
  sweepNotifications: 'sweepNotifications',
  pursue: 'pursue',
  payoutBatch: 'payoutBatch',
  reversal: 'reversal',
  identityCheck: 'identityCheck',
  mail: 'mail',
  reconciliation: 'reconciliation',
  scheduledReconciliation: 'scheduledReconciliation',
} as const;

/**
 * A lost workflow task is retried after this, where a caller or a receiver waits for it. Payment intents have Temporal's
 * 10 s: what their local activities did counts only when the task ends in time.
 */
export const WORKFLOW_TASK_TIMEOUT_MS = 5_000;

/**
 * Temporal's limits in bytes, and ours a little below them: a start that exceeds one is refused
 * (temporalio/temporal, `frontend.searchAttributesSizeOfValueLimit`; the SDK's `staticDetails`).
 */
export const MAX_SEARCH_ATTRIBUTE_BYTES = 2_000;
export const MAX_STATIC_DETAILS_BYTES = 19_000;

/**
 * What a batch's workflow is started with. The environment only chooses who works on it: the row
 * decides.
 */
export interface BatchStart {
  readonly id: string;
  readonly environment: Environment;
}

/** The argument of a reconciliation. */
export interface ReconciliationOrder {
  /**
   * ISO 8601: compare payments and events from then on; by default from where the last one ended.
   */
  readonly since?: string;
}

/**
 * What an intent's workflow is started with: no data of the customer, because many can read
 * histories.
 */
export interface IntentStart {
  readonly id: string;
  /** ISO 8601. */
  readonly expires_at: string;
  /**
   * How long a gateway may keep failing to open the checkout; ten minutes by default. It is here
   * and not in the configuration, because a history must replay whatever the configuration says
   * later.
   */
  readonly give_up_after_ms?: number;
  /**
   * The number of events in its history after which a run is followed by the next one; Temporal's
   * choice by default.
   */
  readonly continue_after_events?: number;
  /** The run before has left it. */
  readonly carried?: CarriedIntent;
}

/** One run of an intent's workflow hands it to the next. The rest is in the row. */
export interface CarriedIntent {
  /** Notifications that are still to be applied, by their ids in the inbox. */
  readonly notifications: readonly string[];
  /** The time at which the workflow gives up opening the checkout; ISO 8601. */
  readonly give_up_at?: string;
}

/** A notification in the inbox waits to be applied; the argument is its id there. */
export const notificationStoredSignal = defineSignal<[string]>('notificationStored');
/** Resolves when the checkout is open, or when the next attempt to open it has failed. */
export const awaitCheckoutUpdate = defineUpdate<IntentStep>('awaitCheckout');
/** The argument is only passed on: the activity that cancels verifies it. */
export const cancelUpdate = defineUpdate<IntentStep, [SealedCancellation]>('cancel');
/** Opens the next session at the gateway when the last one has lapsed. */
export const renewUpdate = defineUpdate<IntentStep>('renew');

/** The intent has ended before its time: the clock of its sandbox was moved. */
export const intentEndedSignal = defineSignal('intentEnded');

/** A third party notified that something has changed, or people have ordered, decided, or given a code. */
export const pursuedChangedSignal = defineSignal('pursuedChanged');

/** People have decided about a batch of payouts. */
export const payoutChangedSignal = defineSignal('payoutChanged');

/** An identity check was submitted or decided. */
export const identityCheckChangedSignal = defineSignal('identityCheckChanged');

// SQL visibility stores ten keywords per namespace, and three lists of keywords.
export const searchAttributes = {
  environment: defineSearchAttributeKey('PaymentEnvironment', SearchAttributeType.KEYWORD),
  /** `accepted` or `creating` at the start, then the outcome or status. */
  state: defineSearchAttributeKey('PaymentState', SearchAttributeType.KEYWORD),
  /** The reference of each transfer in the workflow. */
  references: defineSearchAttributeKey('PaymentReferences', SearchAttributeType.KEYWORD_LIST),
  /** The usernames of all senders and recipients of transfers. */
  accounts: defineSearchAttributeKey('PaymentAccounts', SearchAttributeType.KEYWORD_LIST),
  /** The reference of an intent, the id of a batch. */
  reference: defineSearchAttributeKey('PaymentReference', SearchAttributeType.KEYWORD),
  /** The merchant's username, for an intent, a batch or an endpoint. */
  account: defineSearchAttributeKey('PaymentAccount', SearchAttributeType.KEYWORD),
  currency: defineSearchAttributeKey('PaymentCurrency', SearchAttributeType.KEYWORD),
  /** A float, for sorting and filtering only. */
  amount: defineSearchAttributeKey('PaymentAmount', SearchAttributeType.DOUBLE),
  expires_at: defineSearchAttributeKey('PaymentExpiresAt', SearchAttributeType.DATETIME),
};
