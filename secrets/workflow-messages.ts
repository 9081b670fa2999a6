// Signs what workflows are started with and asked to do, and encrypts in it what histories must not
// show. Temporal keeps these messages and is not trusted with money: an attacker who reaches it can
// start any workflow with any argument, but only what the API or an operator's command has signed
// is done.

import type { SignedCancellation } from '../domain/intent';
import { SHOWN_OF_REVERSAL, type ReversalRequest, type SignedReversal } from '../domain/reversal';
import { SHOWN_OF_TRANSFER, type SignedTransfer, type TransferRequest } from '../domain/transfer';
import { createCipher } from './cipher';
import { createKeyedHash, createSigner } from './signature';

export interface WorkflowMessages {
  signTransfer(request: TransferRequest): SignedTransfer;
  /** Returns undefined for a message that was not signed here. Never throws. */
  openTransfer(signed: unknown): TransferRequest | undefined;
  signReversal(request: ReversalRequest): SignedReversal;
  /** Returns undefined for a message that was not signed here. Never throws. */
  openReversal(signed: unknown): ReversalRequest | undefined;
  /**
   * Stands for a key that may be an e-mail address or a phone number. Hex; another one with each
   * first key.
   */
  hashIdempotencyKey(key: string): string;
  /**
   * Signs for some minutes: a request that came to nothing must not cancel the intent next week.
   */
  signCancellation(intent_id: string): SignedCancellation;
  isCancellation(signed: unknown, intent_id: string): boolean;
}

const TRANSFER = 'payment-api/transfer';
const REVERSAL = 'payment-api/reversal';
const HASHED_KEY = 'payment-api/transfer/hashed-idempotency-key/1';
const CANCELLATION = 'payment-api/cancellation/1';

/** A cancellation waits less for a worker, and clocks differ by less. */
const CANCEL_WITHIN_MS = 15 * 60_000;

/** @throws Error as readKeyring */
export function createWorkflowMessages(keys: readonly string[]): WorkflowMessages {
  const transfers = createRequestSigner<TransferRequest, SignedTransfer>(
    keys,
    TRANSFER,
    SHOWN_OF_TRANSFER,
  );
  const reversals = createRequestSigner<ReversalRequest, SignedReversal>(
    keys,
    REVERSAL,
    SHOWN_OF_REVERSAL,
  );
  const cancellations = createSigner(keys, CANCELLATION);
  return {
    signTransfer: transfers.sign,
    openTransfer: transfers.open,
    signReversal: reversals.sign,
    openReversal: reversals.open,
    hashIdempotencyKey: createKeyedHash(keys, HASHED_KEY),
    signCancellation(intent_id) {
      const fields = { intent_id, valid_until: Date.now() + CANCEL_WITHIN_MS };
      return { ...fields, signature: cancellations.sign(fields) };
    },
    isCancellation(signed, intent_id) {
      const { signature, ...fields } = Object(signed) as Partial<SignedCancellation>;
      if (!cancellations.isSigned(fields, signature)) return false;
      return fields.intent_id === intent_id && fields.valid_until! >= Date.now();
    },
  };
}

/** @param shown the fields that histories show; all others are sealed */
function createRequestSigner<Request extends { readonly reference: string }, Signed>(
  keys: readonly string[],
  label: string,
  shown: readonly (keyof Request & string)[],
) {
  const signer = createSigner(keys, `${label}/1`);
  const cipher = createCipher(keys, `${label}/sealed/1`);
  return {
    sign: (request: Request): Signed => {
      const isShown = ([name]: [string, unknown]): boolean =>
        (shown as readonly string[]).includes(name);
      const all: [string, unknown][] = Object.entries(request);
      const unseen = Object.fromEntries(all.filter((entry) => !isShown(entry)));
      const text = Buffer.from(JSON.stringify(unseen));
      const fields = {
        ...Object.fromEntries(all.filter(isShown)),
        sealed: cipher.encrypt(text, request.reference).toString('base64'),
      };
      return { ...fields, signature: signer.sign(fields) } as unknown as Signed;
    },
    open: (signed: unknown): Request | undefined => {
      const { signature, ...fields } = Object(signed) as Record<string, unknown>;
      if (!signer.isSigned(fields, signature)) return undefined;
      // The signature proves that `sign` made all of it.
      const { sealed, ...seen } = fields as {
        readonly sealed: string;
        readonly reference: string;
      };
      const text = cipher.decrypt(Buffer.from(sealed, 'base64'), seen.reference).toString();
      return { ...seen, ...(JSON.parse(text) as object) } as unknown as Request;
    },
  };
}
