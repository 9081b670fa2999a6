// The forms of our identifiers. Randomness is made in `secrets`; here are only shapes.

import type { Environment } from './environment';
import type { PursuitKind } from './pursuit';

export const TRANSFER_PREFIX = 'TRF-';
export const ADJUSTMENT_PREFIX = 'ADJ-';
export const INTENT_PREFIX = 'TRX-';
export const REFUND_PREFIX = 'RFD-';
export const REVERSAL_PREFIX = 'RVL-';
export const PAYOUT_PREFIX = 'PYT-';

export const UUID_PATTERN =
  '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';
const UUID = new RegExp(UUID_PATTERN);

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/**
 * Returns the id of the row that a workflow is for, the end of its own id; undefined when it is
 * none of ours.
 */
export function rowIdIn(workflow_id: string): string | undefined {
  const id = workflow_id.slice(workflow_id.lastIndexOf('/') + 1);
  return isUuid(id) ? id : undefined;
}

/** Whether it is an id of a row in our form: lower case, because others compare it as text. */
export function isRowId(value: unknown): value is string {
  return typeof value === 'string' && isUuid(value) && value === value.toLowerCase();
}

/**
 * Notifications are numbered from 1. The limit is below the largest bigint, and no inbox comes near
 * to it.
 */
export function isNotificationId(value: unknown): value is string {
  return typeof value === 'string' && /^[1-9]\d{0,17}$/.test(value);
}

/** Paging by id begins here: it sorts before every other UUID. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Crockford's base32 without the letters that are misread. 20 characters are 100 bits. */
const REFERENCE_END = '-[0-9A-HJKMNP-TV-Z]{20}$';
export const TRANSFER_REFERENCE_PATTERN = `^TRF${REFERENCE_END}`;
export const INTENT_REFERENCE_PATTERN = `^TRX${REFERENCE_END}`;
/** The reference of every row in a history. */
export const REFERENCE_PATTERN = `^(?:TRF|TRX|RFD|RVL|DSP|PYT|ADJ)${REFERENCE_END}`;
const REFERENCE = new RegExp(REFERENCE_PATTERN);

/** A reference as it was read aloud and typed: in small letters, with O for 0, I or L for 1. Other text stays. */
export function plainReference(text: string): string {
  const typed = text.trim().toUpperCase();
  const [kind, end] = [typed.slice(0, 4), typed.slice(4)];
  const reference = kind + end.replaceAll('O', '0').replace(/[IL]/g, '1');
  return REFERENCE.test(reference) ? reference : text;
}

/** Base58, as Bitcoin writes it: no 0, O, I, l. 10 characters are 58 bits. */
export const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
export const SHORT_CODE_PATTERN = `^[${BASE58}]{10}$`;
const SHORT_CODE = new RegExp(SHORT_CODE_PATTERN);

/** Whether it has the form of the code of a payment or of a reusable link. */
export function isShortCode(text: string): boolean {
  return SHORT_CODE.test(text);
}

/**
 * The form of an API key, for secret scanners too; its last six characters are a checksum
 * (secrets/api-key.ts).
 */
export const API_KEY_PATTERN = '^(pay|sk)_(live|test)_[0-9A-Za-z]{38}$';
/** New keys begin with it; the specification's second form is read as well. */
export const KEY_PREFIX = 'pay';

/** Printable ASCII (IETF draft-ietf-httpapi-idempotency-key-header; Stripe: at most 255). */
export const IDEMPOTENCY_KEY_PATTERN = /^[\x20-\x7e]{1,255}$/;
/** Digits alone may be a phone number. */
const PHONE = /^\d{7,15}$/;
const SAFE_TOKEN = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * The key as it may stand in a workflow ID: verbatim when it is a safe token, else its hash behind
 * `~`, a character no safe token has, so that no key can imitate another's hash. E-mail addresses
 * and phone numbers are hashed, by a hash that needs a key: there are few enough of them to try
 * them all.
 */
export function idempotencyToken(key: string, hash: (text: string) => string): string {
  return isPlainKey(key) ? key : `~${hash(key)}`;
}

/** Whether an Idempotency-Key is neither an e-mail address nor a phone number. */
export function isPlainKey(key: string): boolean {
  return SAFE_TOKEN.test(key) && !PHONE.test(key);
}

/** One key is one workflow. At most 9 + 8 + 37 + 128 characters: SQL clusters allow 255. */
export function transferWorkflowId(
  environment: Environment,
  sender: string,
  token: string,
): string {
  return `transfer/${environment}/${sender}/${token}`;
}

/** One key is one workflow. */
export function reversalWorkflowId(
  environment: Environment,
  recipient: string,
  token: string,
): string {
  return `reversal/${environment}/${recipient}/${token}`;
}

/** The id of a group of transfers is random, because no key is in it alone. */
export function transferBatchWorkflowId(environment: Environment, id: string): string {
  return `transfers/${environment}/${id}`;
}

/** Each batch that a caller has ordered has a workflow. */
export function bulkTransferWorkflowId(environment: Environment, batch_id: string): string {
  return `transferBatch/${environment}/${batch_id}`;
}

/**
 * The steps of batches have a queue and workers of their own, so that bulk work never holds up the
 * rest.
 */
export function bulkTaskQueue(task_queue: string, environment: Environment): string {
  return `${task_queue}-batches-${environment}`;
}

/** The workflow in which an intent lives from its creation to its end. */
export function intentWorkflowId(environment: Environment, id: string): string {
  return `intent/${environment}/${id}`;
}

/**
 * The workflow of a notification that no running intent can take. The inbox counts from 1, so the
 * task queue says whose inbox: installations may share a namespace, never a queue.
 */
export function lateNotificationWorkflowId(
  gateway: string,
  task_queue: string,
  notification_id: string,
): string {
  return `notification/${gateway}/${task_queue}/${notification_id}`;
}

/** The workflow that asks a third party about a row until it says how it ended. */
export function pursuitWorkflowId(kind: PursuitKind, environment: Environment, id: string): string {
  return `${kind}/${environment}/${id}`;
}

/** The workflow that has a batch of payouts looked at, and ordered. */
export function payoutBatchWorkflowId(environment: Environment, batch_id: string): string {
  return `payoutBatch/${environment}/${batch_id}`;
}

/** The steps of these batches wait for providers: bulk transfers, which do not, have another queue. */
export function payoutBatchTaskQueue(task_queue: string, environment: Environment): string {
  return `${task_queue}-payout-batches-${environment}`;
}

/**
 * One reconciliation runs at a time. The queue says whose: installations may share a namespace,
 * never a queue.
 */
export function reconciliationWorkflowId(task_queue: string): string {
  return `reconciliation/${task_queue}`;
}

/** Each mail has a workflow until it is sent. */
export function mailWorkflowId(mail_id: string): string {
  return `mail/${mail_id}`;
}

/** Each account has one, for its latest identity check. */
export function identityCheckWorkflowId(user_id: string): string {
  return `identityCheck/${user_id}`;
}
