// The second factor: time-based codes (RFC 6238) from an app, and recovery codes for people who
// have lost it.

import { createHash } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { randomText } from './random';

// Every authenticator app takes these settings.
const SETTINGS = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
const ISSUER = 'Payments';
/** Clocks differ, and typing takes its time: the code before and the code after count too. */
const WINDOW = 1;

/** 160 random bits, in base32. */
export function makeTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** The content of the QR code that apps read. */
export function totpUri(secret: string, account: string): string {
  return totpOf(secret, account).toString();
}

/** Returns the number of the code's 30 seconds; undefined when it is wrong. */
export function findTotpStep(secret: string, code: string, now_ms: number): bigint | undefined {
  const token = code.replace(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return undefined;
  const delta = totpOf(secret, '').validate({ token, timestamp: now_ms, window: WINDOW });
  if (delta === null) return undefined;
  return BigInt(Math.floor(now_ms / 1_000 / SETTINGS.period) + delta);
}

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({ ...SETTINGS, issuer: ISSUER, label, secret: Secret.fromBase32(secret) });
}

const RECOVERY_CODES = 10;
/** Crockford's base32, in which references are written too. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** 80 random bits each: their plain hashes are as good as those of keys. */
export function makeRecoveryCodes(): string[] {
  const group = (): string => randomText(ALPHABET, 4);
  return Array.from({ length: RECOVERY_CODES }, () =>
    [group(), group(), group(), group()].join('-'),
  );
}

/** Hashes a code, however it was typed. Returns undefined for a text that is none. */
export function hashRecoveryCode(code: string): Buffer | undefined {
  const plain = code.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1');
  if (!/^[0-9A-HJKMNP-TV-Z]{16}$/.test(plain)) return undefined;
  return createHash('sha256').update(plain).digest();
}
