// What an operator writes into `.env`: made at the first start of a topology and kept in its folder, because
// passwords are set once and SECRETS_KEYS must stay.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomText } from '../../secrets/random';
import { makeSealingKey } from '../../secrets/seal';
import type { Variables } from './compose-file';

const HEX = '0123456789abcdef';
const PASSWORDS = [
  'SANDBOX_GATEWAY_SECRET',
  'POSTGRES_PASSWORD',
  'PAYMENTS_OWNER_PASSWORD',
  'PAYMENTS_APP_PASSWORD',
  'PAYMENTS_OPERATOR_PASSWORD',
  'TEMPORAL_DB_PASSWORD',
] as const;

export function loadSecrets(folder: string): Variables {
  const file = join(folder, '.env');
  mkdirSync(folder, { recursive: true });
  if (!existsSync(file)) {
    const made = [
      ...PASSWORDS.map((name) => `${name}=${randomText(HEX, 48)}`),
      `SECRETS_KEYS=${makeSealingKey()}`,
    ];
    writeFileSync(file, `${made.join('\n')}\n`, { mode: 0o600 });
  }
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}
