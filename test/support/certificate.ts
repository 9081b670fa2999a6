// Certificates of one run, made here so that no key lies in the repository.

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { md, pki } from 'node-forge';

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
  readonly addresses?: readonly string[];
  /** The certificate ended yesterday. */
  readonly is_expired?: boolean;
}

/** Signs the certificates of one run. */
export interface Authority extends CertificateText {
  issue(options: CertificateOptions): CertificateText;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const RUN_DAYS = 30;

/** Makes one for 127.0.0.1, as the settings want it. */
export function makeCertificate(folder: string): CertificateFiles {
  const files = { cert_file: join(folder, 'tls.crt'), key_file: join(folder, 'tls.key') };
  writeCertificate(files, signCertificate({ addresses: ['127.0.0.1'] }));
  return files;
}

export function writeCertificate(files: CertificateFiles, { cert, key }: CertificateText): void {
  writeFileSync(files.cert_file, cert);
  writeFileSync(files.key_file, key, { mode: 0o600 });
}

/** Signed by itself: a client that trusts it trusts no other certificate. */
export function signCertificate(options: CertificateOptions): CertificateText {
  const keys = makeKeys();
  return certify('payment-api test', keys, options, {
    name: 'payment-api test',
    key: keys.private,
  });
}

export function makeAuthority(): Authority {
  const keys = makeKeys();
  // Verifiers tell authorities apart by their names.
  const by = { name: `payment-api run ${randomBytes(8).toString('hex')}`, key: keys.private };
  return {
    cert: certify(by.name, keys, undefined, by).cert,
    key: keys.private,
    issue: (options) => certify(options.names?.[0] ?? 'payment-api', makeKeys(), options, by),
  };
}

interface Keys {
  readonly public: string;
  readonly private: string;
}

/** Node makes the keys, because the library would take seconds. */
function makeKeys(): Keys {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { public: publicKey, private: privateKey };
}

/** Makes the certificate of an authority when there are no options. */
function certify(
  name: string,
  keys: Keys,
  options: CertificateOptions | undefined,
  by: { readonly name: string; readonly key: string },
): CertificateText {
  const certificate = pki.createCertificate();
  const until = Date.now() + (options?.is_expired ? -DAY_MS : RUN_DAYS * DAY_MS);
  certificate.publicKey = pki.publicKeyFromPem(keys.public);
  certificate.serialNumber = `01${randomBytes(8).toString('hex')}`;
  certificate.validity.notBefore = new Date(Math.min(Date.now(), until) - DAY_MS);
  certificate.validity.notAfter = new Date(until);
  certificate.setSubject([{ name: 'commonName', value: name }]);
  certificate.setIssuer([{ name: 'commonName', value: by.name }]);
  const { names = [], addresses = [] } = options ?? {};
  const altNames = [
    ...names.map((value) => ({ type: 2, value })),
    ...addresses.map((ip) => ({ type: 7, ip })),
  ];
  certificate.setExtensions([
    options ? { name: 'subjectAltName', altNames } : { name: 'basicConstraints', cA: true },
  ]);
  certificate.sign(pki.privateKeyFromPem(by.key), md.sha256.create());
  return { cert: pki.certificateToPem(certificate), key: keys.private };
}
