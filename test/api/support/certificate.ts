// Self-signed certificates, written here so that no test needs openssl or a key that lies in the
// repository. Only what X.509 (RFC 5280) demands.

import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CertificateFiles {
  readonly cert_file: string;
  readonly key_file: string;
}

export interface CertificateText {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateOptions {
  readonly names?: readonly string[];
  /** IPv4. */
  readonly addresses?: readonly string[];
  /** Since yesterday. */
  readonly is_expired?: boolean;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** For 127.0.0.1, as the settings want it. */
export function makeCertificate(folder: string): CertificateFiles {
  const { cert, key } = signCertificate({ addresses: ['127.0.0.1'] });
  const files = { cert_file: join(folder, 'tls.crt'), key_file: join(folder, 'tls.key') };
  writeFileSync(files.cert_file, cert);
  writeFileSync(files.key_file, key);
  return files;
}

/** Its own authority: whoever trusts it, trusts it alone. */
export function signCertificate(options: CertificateOptions): CertificateText {
  const { names = [], addresses = [], is_expired = false } = options;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(COMMON_NAME, der(0x0c, Buffer.from('payment-api test')))));
  const until = is_expired ? Date.now() - DAY_MS : Date.now() + DAY_MS;
  const alternatives = sequence(
    ...names.map((one) => der(0x82, Buffer.from(one))),
    ...addresses.map((one) => der(0x87, Buffer.from(one.split('.').map(Number)))),
  );
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))), // version 3
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    name,
    sequence(utcTime(until - 2 * DAY_MS), utcTime(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(SUBJECT_ALT_NAME, der(0x04, alternatives)))),
  );
  const signature = bitString(sign('sha256', body, privateKey));
  return {
    cert: pem(sequence(body, ECDSA_WITH_SHA256, signature)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

// Distinguished encoding (X.690): tag, length, content.
function der(tag: number, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...contents: Uint8Array[]): Buffer => der(0x30, ...contents);
const set = (...contents: Uint8Array[]): Buffer => der(0x31, ...contents);
const integer = (bytes: Uint8Array): Buffer => der(0x02, bytes);
const bitString = (bytes: Uint8Array): Buffer => der(0x03, Buffer.from([0]), bytes);

function utcTime(at: number): Buffer {
  const digits = new Date(at).toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

const objectId = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const COMMON_NAME = objectId('550403'); // 2.5.4.3
const SUBJECT_ALT_NAME = objectId('551d11'); // 2.5.29.17
const ECDSA_WITH_SHA256 = sequence(objectId('2a8648ce3d040302')); // 1.2.840.10045.4.3.2
