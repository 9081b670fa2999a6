// pawaPay's callbacks: HTTP message signatures (RFC 9421) over a digest of the body (RFC 9530). A callback only says
// what to ask about, so that one that is replayed asks once more and no more than that.

import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { PayoutNotificationReading } from '../payout-port';
import type { NotificationReading } from '../port';
import type { Environment } from '../../domain/environment';
import {
  FieldFault,
  isObject,
  optionalText,
  readFields,
  rowIdField,
  textField,
  type Fields,
} from '../fields';
import type { PawapayAccount } from './call';

/** Without these a signature would hold for another address or body. */
const MUST_BE_COVERED = ['@method', '@authority', '@path', 'content-digest'];

/** pawaPay repeats a callback for 15 minutes, and does not say whether it signs each anew. */
const OLDEST_S = 20 * 60;
/** Clocks differ. */
const AHEAD_S = 60;

const INPUT = /^([a-z*][a-z0-9_.*-]*)=(\(([^()]*)\)((?:;[a-z]+=(?:"[^"\\]*"|\d+))*))$/;
const SIGNATURE = /^([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]+={0,2}):$/;
const DIGEST = /^(sha-256|sha-512)=:([A-Za-z0-9+/]+={0,2}):$/;

export interface CallbackVerifier {
  mayBeSigned(headers: IncomingHttpHeaders): boolean;
  isSigned(raw: Buffer, headers: IncomingHttpHeaders): boolean;
}

/** @throws Error for a key that is none */
export function createCallbackVerifier(account: PawapayAccount): CallbackVerifier {
  const keys = account.callback_keys.map(keyOf);
  const url = new URL(account.callback_url);
  return {
    mayBeSigned: (headers) => readHeaders(headers) !== undefined,
    isSigned(raw, headers) {
      const given = readHeaders(headers);
      if (given === undefined || !isOfBody(given.digest, raw) || !isFresh(given.created))
        return false;
      const base = signatureBase(given.params, given.covered, { url, headers });
      return base !== undefined && keys.some((key) => isBy(key, base, given.signature));
    },
  };
}

function keyOf(text: string): KeyObject {
  const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new Error('A key of callbacks must be of the curve P-256.');
  }
  return key;
}

interface SignatureHeaders {
  readonly covered: readonly string[];
  /** The text after the label, as it was received: it is signed as it is. */
  readonly params: string;
  /** Seconds. */
  readonly created: number;
  readonly signature: Buffer;
  readonly digest: string;
}

function readHeaders(headers: IncomingHttpHeaders): SignatureHeaders | undefined {
  const [input, signature] = [textOf(headers, 'signature-input'), textOf(headers, 'signature')];
  const digest = textOf(headers, 'content-digest');
  const [, label, params, names, settings = ''] = INPUT.exec(input ?? '') ?? [];
  const [, of_label, value] = SIGNATURE.exec(signature ?? '') ?? [];
  if (params === undefined || value === undefined || label !== of_label) return undefined;
  const created = /;created=(\d{1,12})(?:;|$)/.exec(settings)?.[1];
  const algorithm = /;alg="([^"]*)"/.exec(settings)?.[1] ?? 'ecdsa-p256-sha256';
  const covered = (names ?? '').split(' ').map((name) => /^"([^"]+)"$/.exec(name)?.[1] ?? '');
  const is_whole = MUST_BE_COVERED.every((name) => covered.includes(name));
  if (!is_whole || created === undefined || algorithm !== 'ecdsa-p256-sha256') return undefined;
  if (digest === undefined || !DIGEST.test(digest)) return undefined;
  return {
    covered,
    params,
    created: Number(created),
    signature: Buffer.from(value, 'base64'),
    digest,
  };
}

function textOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : undefined;
}

function isOfBody(digest: string, raw: Buffer): boolean {
  const [, algorithm, value] = DIGEST.exec(digest)!;
  return createHash(algorithm!.replace('-', '')).update(raw).digest('base64') === value;
}

function isFresh(created: number): boolean {
  const age = Date.now() / 1_000 - created;
  return age <= OLDEST_S && age >= -AHEAD_S;
}

/**
 * The text that is signed (RFC 9421, section 2.5); undefined when it covers what a callback does not have. The
 * address is ours as pawaPay knows it, and none that a proxy on the way may have written.
 */
export function signatureBase(
  params: string,
  covered: readonly string[],
  { url, headers }: { readonly url: URL; readonly headers: IncomingHttpHeaders },
): string | undefined {
  const derived: Readonly<Record<string, string>> = {
    '@method': 'POST',
    '@authority': url.host,
    '@path': url.pathname,
  };
  const lines = covered.map((name) => {
    const value = name.startsWith('@') ? derived[name] : textOf(headers, name);
    return value === undefined ? undefined : `"${name}": ${value}`;
  });
  if (lines.includes(undefined)) return undefined;
  return [...lines, `"@signature-params": ${params}`].join('\n');
}

/** RFC 9421 writes the two numbers of a signature one after the other; pawaPay sends them in ASN.1. */
function isBy(key: KeyObject, base: string, signature: Buffer): boolean {
  return (['der', 'ieee-p1363'] as const).some((dsaEncoding) =>
    verify('sha256', Buffer.from(base), { key, dsaEncoding }, signature),
  );
}

type Unread = Extract<NotificationReading, { readonly ok: false }>;

export function readCallback<Reading>(
  verifier: CallbackVerifier,
  raw: Buffer,
  headers: IncomingHttpHeaders,
  read: (body: Fields['value']) => Reading,
): Reading | Unread {
  if (!verifier.mayBeSigned(headers)) return { ok: false, fault: 'not_ours' };
  if (!verifier.isSigned(raw, headers)) return { ok: false, fault: 'signature' };
  try {
    return read(readFields(raw).value);
  } catch (error) {
    if (!(error instanceof FieldFault)) throw error;
    return { ok: false, fault: 'malformed', detail: error.message };
  }
}

/** Whatever it says of a deposit or refund, pawaPay is asked. */
export function readForGateway(
  environment: Environment,
  body: Fields['value'],
): NotificationReading {
  if ('depositId' in body) return { ok: true, attempt_id: rowIdField(body, 'depositId') };
  if (!('refundId' in body)) return irrelevant;
  const refund_id = rowIdField(body, 'refundId');
  const { metadata } = body;
  if (!isObject(metadata)) throw new FieldFault('metadata must be an object');
  return {
    ok: true,
    refund: {
      event_id: `${refund_id}/${textField(body, 'status', 100)}`,
      environment,
      provider_payment_id: textField(metadata, 'deposit_id', 100),
      refund_id,
      reference: optionalText(metadata, 'reference', 100),
    },
  };
}

export function readForPayouts(body: Fields['value']): PayoutNotificationReading {
  return 'payoutId' in body ? { ok: true, payout_id: rowIdField(body, 'payoutId') } : irrelevant;
}

const irrelevant: Unread = {
  ok: false,
  fault: 'irrelevant',
  detail: 'it is about no deposit, payout or refund',
};
