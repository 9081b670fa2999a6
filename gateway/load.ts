// Loads adapters by name: one of ours, or `module:PATH` of a compiled module of one's own.

import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { AdapterModule } from './adapter-module';

const PREFIX = 'module:';
const NAME = /^[a-z][a-z0-9_]{0,39}$/;
/** These names are taken: payments are stored under them. */
const OUR_NAMES: ReadonlySet<string> = new Set(['stripe', 'sandbox', 'pawapay']);

/** @throws Error that says what is wrong with the module */
export function loadAdapterModule(reference: string): AdapterModule {
  const path = resolve(reference.startsWith(PREFIX) ? reference.slice(PREFIX.length) : reference);
  // Modules of either kind: `require` loads those of ES too.
  const loaded = createRequire(path)(path) as Partial<AdapterModule> & {
    readonly default?: Partial<AdapterModule>;
  };
  const { name, createGateway, createPayouts } = loaded.default ?? loaded;
  if (typeof name !== 'string' || !NAME.test(name) || OUR_NAMES.has(name)) {
    throw new Error(
      `${path} must export an adapter whose name has lower-case letters, digits and _, and is not ${[...OUR_NAMES].join(', ')}`,
    );
  }
  if (typeof createGateway !== 'function' && typeof createPayouts !== 'function') {
    throw new Error(`${path} must export createGateway, createPayouts or both`);
  }
  return (loaded.default ?? loaded) as AdapterModule;
}

/** An adapter's settings among the environment variables. */
export function settingsOf(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const prefix = `${name.toUpperCase()}_`;
  return Object.fromEntries(
    Object.entries(env).flatMap(([variable, value]) =>
      variable.startsWith(prefix) && value ? [[variable.slice(prefix.length), value]] : [],
    ),
  );
}
