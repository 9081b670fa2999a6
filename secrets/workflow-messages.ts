// Seals what workflows are started with and asked to do, and hides in it what histories must not
// show. Temporal keeps these messages and is not trusted with money: an attacker who reaches it can
// start any workflow with any argument, but only what the API or an operator's command has sealed
// is done.

import type { SealedCancellation } from '../domain/intent';
import { SHOWN_OF_REVERSAL, type ReversalRequest, type SealedReversal } from '../domain/reversal';
import { SHOWN_OF_TRANSFER, type SealedTransfers, type TransferRequest } from '../domain/transfer';
import { createCipher } from './cipher';
import { createKeyedHash } from './hash';

export interface WorkflowMessages {
  sealTransfers(requests: readonly TransferRequest[]): SealedTransfers;
  /** Returns undefined for a message that was not sealed here. Never throws. */
  openTransfers(message: unknown): TransferRequest[] | undefined;
  sealReversal(request: ReversalRequest): SealedReversal;
  /** Returns undefined for a message that was not sealed here. Never throws. */
  openReversal(message: unknown): ReversalRequest | undefined;
  /**
   * Stands for a key that may be an e-mail address or a phone number. Hex; another one with each
   * first key.
   */
  hashIdempotencyKey(key: string): string;
  /**
   * Holds for some minutes: a request that came to nothing must not cancel the intent next week.
   */
  sealCancellation(intent_id: string): SealedCancellation;
  isCancellation(message: unknown, intent_id: string): boolean;
}

const TRANSFERS = 'payment-api/transfers/1';
const REVERSAL = 'payment-api/reversal/1';
const HASHED_KEY = 'payment-api/transfer/hashed-idempotency-key/1';
const CANCELLATION = 'payment-api/cancellation/1';

/** A cancellation waits less for a worker, and clocks differ by less. */
const CANCEL_WITHIN_MS = 15 * 60_000;

/** @throws Error as readKeyring */
export function createWorkflowMessages(keys: readonly string[]): WorkflowMessages {
  const transfers = createSeal<SealedTransfers, Partial<TransferRequest>[]>(keys, TRANSFERS);
  const reversals = createSeal<SealedReversal, Partial<ReversalRequest>>(keys, REVERSAL);
  const cancellations = createSeal<SealedCancellation, null>(keys, CANCELLATION);
  return {
    sealTransfers(requests) {
      const parts = requests.map((request) => divide(request, SHOWN_OF_TRANSFER));
      const shown = { transfers: parts.map(([seen]) => seen) };
      return transfers.seal(
        shown,
        parts.map(([, hidden]) => hidden),
      );
    },
    openTransfers(message) {
      const opened = transfers.open(message);
      return opened?.shown.transfers.map(
        (seen, i) => ({ ...seen, ...opened.hidden[i] }) as TransferRequest,
      );
    },
    sealReversal: (request) => reversals.seal(...divide(request, SHOWN_OF_REVERSAL)),
    openReversal(message) {
      const opened = reversals.open(message);
      return opened && ({ ...opened.shown, ...opened.hidden } as ReversalRequest);
    },
    hashIdempotencyKey: createKeyedHash(keys, HASHED_KEY),
    sealCancellation: (intent_id) =>
      cancellations.seal({ intent_id, valid_until: Date.now() + CANCEL_WITHIN_MS }, null),
    isCancellation(message, intent_id) {
      const opened = cancellations.open(message);
      if (!opened) return false;
      return opened.shown.intent_id === intent_id && opened.shown.valid_until >= Date.now();
    },
  };
}

/** The fields that histories show, and the others. */
function divide<Request extends object, Shown extends keyof Request>(
  request: Request,
  shown: readonly Shown[],
): [Pick<Request, Shown>, Omit<Request, Shown>] {
  const seen: Record<string, unknown> = {};
  const hidden: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(request)) {
    (shown.includes(name as Shown) ? seen : hidden)[name] = value;
  }
  return [seen, hidden] as [Pick<Request, Shown>, Omit<Request, Shown>];
}

/** Authenticated encryption of the hidden fields, which vouches for those beside them as well. */
function createSeal<Message extends { readonly sealed: string }, Hidden>(
  keys: readonly string[],
  label: string,
) {
  type Shown = Omit<Message, 'sealed'>;
  const cipher = createCipher(keys, label);
  /** JSON keeps the order of the fields on its way. */
  const contextOf = (shown: Shown): string => JSON.stringify(shown);
  return {
    seal(shown: Shown, hidden: Hidden): Message {
      const text = Buffer.from(JSON.stringify(hidden));
      const sealed = cipher.encrypt(text, contextOf(shown)).toString('base64');
      return { ...shown, sealed } as unknown as Message;
    },
    open(message: unknown): { readonly shown: Shown; readonly hidden: Hidden } | undefined {
      const { sealed, ...shown } = Object(message) as Message;
      try {
        const text = cipher.decrypt(Buffer.from(sealed, 'base64'), contextOf(shown));
        return { shown, hidden: JSON.parse(text.toString()) as Hidden };
      } catch {
        // Started by hand, the message may be anything, even too deep for its text.
        return undefined;
      }
    },
  };
}
