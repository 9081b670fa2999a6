// The clients as packages, which the service hands out itself until they are published: an install line with a name
// that is free in a registry could bring the program of a stranger, who then gets the merchant's key.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import NAMES from './generated/client-packages.json';

export const PACKAGES_PATH = '/clients';

export interface ClientPackage {
  readonly name: string;
  readonly bytes: Buffer;
  /** In hex. */
  readonly sha256: string;
}

// The build packs them beside the compiled code (dev/tools/pack-clients.mjs).
const ROOT = dirname(__dirname);
const FOLDER = join(ROOT, basename(ROOT) === 'dist' ? '' : 'dist', 'client-packages');
const COMPOSER_NAME = 'payments/payments-client';

/** `service` is the origin of this service. */
export function packageUrl(service: string, language: keyof typeof NAMES): string {
  return `${service}${PACKAGES_PATH}/${NAMES[language]}`;
}

/** The commands, one a line; Composer learns where the package is before it asks for it. */
export function installLines(service: string): string {
  const [, python] = readClientPackages();
  return `npm install ${packageUrl(service, 'TypeScript')}
pip install '${packageUrl(service, 'Python')}#sha256=${python.sha256}'
composer config repositories.payments composer ${service}${PACKAGES_PATH} && composer require ${COMPOSER_NAME}
`;
}

let packages: readonly [ClientPackage, ClientPackage, ClientPackage] | undefined;

export function readClientPackages(): NonNullable<typeof packages> {
  return (packages ??= [read(NAMES.TypeScript), read(NAMES.Python), read(NAMES.PHP)]);
}

function read(name: string): ClientPackage {
  const bytes = readFileSync(join(FOLDER, name));
  return { name, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** The file packages.json of a Composer repository: https://getcomposer.org/doc/05-repositories.md#packages */
export function composerRepository(service: string): string {
  const [, , { name, bytes }] = readClientPackages();
  const version = name.replace(/^[^\d]+|\.zip$/g, '');
  const shasum = createHash('sha1').update(bytes).digest('hex');
  const dist = { type: 'zip', url: `${service}${PACKAGES_PATH}/${name}`, shasum };
  const autoload = { 'psr-4': { 'Payments\\': 'source/' } };
  const found = { name: COMPOSER_NAME, version, dist, autoload, require: { php: '>=8.1' } };
  return JSON.stringify({ packages: { [COMPOSER_NAME]: { [version]: found } } });
}
