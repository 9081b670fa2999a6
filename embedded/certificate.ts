// Certificates of one run, written here so that nothing needs openssl or a key that lies in the
// repository. Only what X.509 (RFC 5280) demands.

import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
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

/** Signs the certificates of one run; its key is never written anywhere. */
export interface Authority {
  readonly cert: string;
  issue(options: CertificateOptions): CertificateText;
}

interface Signer {
  readonly name: Buffer;
  readonly key: KeyObject;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** A certificate lives as long as the run that made it. */
const RUN_DAYS = 30;

/** For 127.0.0.1, as the settings want it. */
export function makeCertificate(folder: string): CertificateFiles {
  const files = { cert_file: join(folder, 'tls.crt'), key_file: join(folder, 'tls.key') };
  writeCertificate(files, signCertificate({ addresses: ['127.0.0.1'] }));
  return files;
}

export function writeCertificate(files: CertificateFiles, { cert, key }: CertificateText): void {
  writeFileSync(files.cert_file, cert);
  writeFileSync(files.key_file, key, { mode: 0o600 });
}

/** Its own authority: whoever trusts it, trusts it alone. */
export function signCertificate(options: CertificateOptions): CertificateText {
  const { publicKey, privateKey } = makeKeys();
  const name = commonName('payment-api test');
  const extensions = [alternativeNames(options)];
  return certify({
    name,
    publicKey,
    privateKey,
    extensions,
    by: { name, key: privateKey },
    options,
  });
}

export function makeAuthority(): Authority {
  const { publicKey, privateKey } = makeKeys();
  // Verifiers tell authorities apart by their names.
  const name = commonName(`payment-api run ${randomBytes(8).toString('hex')}`);
  const by = { name, key: privateKey };
  const extensions = [IS_AUTHORITY];
  const own = certify({ name, publicKey, privateKey, extensions, by, options: {} });
  return {
    cert: own.cert,
    issue(options) {
      const keys = makeKeys();
      const [title = 'payment-api'] = options.names ?? [];
      return certify({
        ...keys,
        name: commonName(title),
        extensions: [alternativeNames(options)],
        by,
        options,
      });
    },
  };
}

function makeKeys(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function certify(it: {
  readonly name: Buffer;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly by: Signer;
  readonly options: CertificateOptions;
}): CertificateText {
  const until = Date.now() + (it.options.is_expired ? -DAY_MS : RUN_DAYS * DAY_MS);
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))), // version 3
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    it.by.name,
    sequence(utcTime(Math.min(Date.now(), until) - DAY_MS), utcTime(until)),
    it.name,
    it.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...it.extensions)),
  );
  const signature = bitString(sign('sha256', body, it.by.key));
  return {
    cert: pem(sequence(body, ECDSA_WITH_SHA256, signature)),
    key: it.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function commonName(text: string): Buffer {
  return sequence(set(sequence(COMMON_NAME, der(0x0c, Buffer.from(text)))));
}

function alternativeNames({ names = [], addresses = [] }: CertificateOptions): Buffer {
  const alternatives = sequence(
    ...names.map((one) => der(0x82, Buffer.from(one))),
    ...addresses.map((one) => der(0x87, Buffer.from(one.split('.').map(Number)))),
  );
  return sequence(SUBJECT_ALT_NAME, der(0x04, alternatives));
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
const TRUE = Buffer.from([0x01, 0x01, 0xff]);
// 2.5.29.19, critical.
const IS_AUTHORITY = sequence(objectId('551d13'), TRUE, der(0x04, sequence(TRUE)));
