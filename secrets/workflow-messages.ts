// Signs what workflows are started with and asked to do, and encrypts in it what histories must not
// show. Temporal keeps these messages and is not trusted with money: an attacker who reaches it can
// start any workflow with any argument, but only what the API or an operator's command has signed
// is done.

import type { SignedCancellation } from '../domain/intent';
import type { ReversalRequest, SignedReversal } from '../domain/reversal';
import type { SignedTransfer, TransferRequest } from '../domain/transfer';
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

type Described = Pick<TransferRequest, 'description' | 'metadata'>;

const TRANSFER = 'payment-api/transfer/1';
const REVERSAL = 'payment-api/reversal/1';
const REVERSAL_WORDS = 'payment-api/reversal/words/1';
const IDEMPOTENCY_KEY = 'payment-api/transfer/idempotency-key/1';
const DESCRIBED_TRANSFER = 'payment-api/transfer/2';
const WORDS = 'payment-api/transfer/words/1';
const HASHED_KEY = 'payment-api/transfer/hashed-idempotency-key/1';
const CANCELLATION = 'payment-api/cancellation/1';

/** A cancellation waits less for a worker, and clocks differ by less. */
const CANCEL_WITHIN_MS = 15 * 60_000;

/** @throws Error as readKeyring */
export function createWorkflowMessages(keys: readonly string[]): WorkflowMessages {
  const transfers = createSigner(keys, TRANSFER);
  const described_transfers = createSigner(keys, DESCRIBED_TRANSFER);
  const words = createCipher(keys, WORDS);
  const reversals = createSigner(keys, REVERSAL);
  const reversal_words = createCipher(keys, REVERSAL_WORDS);
  const cancellations = createSigner(keys, CANCELLATION);
  const cipher = createCipher(keys, IDEMPOTENCY_KEY);
  return {
    signTransfer({ key, description, metadata, ...request }) {
      const sealed_key = cipher.encrypt(Buffer.from(key), request.reference).toString('base64');
      const fields = { ...request, sealed_key };
      if (description === undefined && metadata === undefined) {
        return { ...fields, signature: transfers.sign(fields) };
      }
      const text = Buffer.from(JSON.stringify({ description, metadata }));
      const sealed_words = words.encrypt(text, request.reference).toString('base64');
      const described = { ...fields, sealed_words };
      // The signature is another one: a worker of a version that knows no descriptions must not
      // post it without.
      return { ...described, signature: described_transfers.sign(described) };
    },
    openTransfer(signed) {
      const { signature, ...fields } = Object(signed) as Partial<SignedTransfer>;
      const signer = fields.sealed_words === undefined ? transfers : described_transfers;
      if (!signer.isSigned(fields, signature)) return undefined;
      // The signature proves that `signTransfer` made all of it.
      const { sealed_key, sealed_words, ...rest } = fields as Omit<SignedTransfer, 'signature'>;
      const key = cipher.decrypt(Buffer.from(sealed_key, 'base64'), rest.reference);
      const request = { ...rest, key: key.toString() };
      if (sealed_words === undefined) return request;
      const text = words.decrypt(Buffer.from(sealed_words, 'base64'), rest.reference).toString();
      return { ...request, ...(JSON.parse(text) as Described) };
    },
    signReversal({ key, reason, ...request }) {
      const text = Buffer.from(JSON.stringify({ key, reason }));
      const sealed = reversal_words.encrypt(text, request.reference).toString('base64');
      const fields = { ...request, sealed };
      return { ...fields, signature: reversals.sign(fields) };
    },
    openReversal(signed) {
      const { signature, ...fields } = Object(signed) as Partial<SignedReversal>;
      if (!reversals.isSigned(fields, signature)) return undefined;
      // The signature proves that `signReversal` made all of it.
      const { sealed, ...request } = fields as Omit<SignedReversal, 'signature'>;
      const text = reversal_words
        .decrypt(Buffer.from(sealed, 'base64'), request.reference)
        .toString();
      return { ...request, ...(JSON.parse(text) as Pick<ReversalRequest, 'key' | 'reason'>) };
    },
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
