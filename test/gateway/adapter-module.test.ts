// Adapters of one's own: what a module must export, where its settings come from, and how the service takes it up.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGateways, createPayoutProviders } from '../../bin/gateways';
import { loadConfig, type Config } from '../../config/load';
import { loadAdapterModule } from '../../gateway/load';
import { closeAfterFile } from '../support/cleanup';

const folder = mkdtempSync(join(tmpdir(), 'adapters-'));
closeAfterFile(() => rmSync(folder, { recursive: true }));

let written = 0;
function write(source: string, ending = 'js'): string {
  written += 1;
  const file = join(folder, `adapter-${written}.${ending}`);
  writeFileSync(file, source);
  return file;
}

/** Gives a gateway and a provider that are nothing but what they were made of. */
const acme = (name = 'acme', environment = 'options.environment'): string => `
  const make = (options) => options.settings.API_TOKEN &&
    { name: '${name}', environment: ${environment}, made_of: options };
  exports.default = { name: 'acme', createGateway: make, createPayouts: make };`;

const configOf = (env: Record<string, string>): Pick<Config, 'gateway'> =>
  loadConfig({ ACME_API_TOKEN: 'token', ACME_EMPTY: '', OTHER_API_TOKEN: 'not ours', ...env });

const made = (env: Record<string, string>) => {
  const config = configOf(env);
  return [createGateways(config, () => undefined), createPayoutProviders(config)] as const;
};

it('makes a gateway and a provider of payouts for each environment, of the variables with its name', () => {
  for (const of of made({ GATEWAY_MODULES: write(acme()) })) {
    for (const environment of ['live', 'sandbox'] as const) {
      expect(of[environment]).toMatchObject([
        {
          name: 'acme',
          environment,
          made_of: { environment, settings: { API_TOKEN: 'token' }, timeout_ms: 5_000 },
        },
      ]);
    }
  }
});

it('makes none where its settings are missing, and stands behind the one that is chosen', () => {
  expect(made({ GATEWAY_MODULES: write(acme()), ACME_API_TOKEN: '' })).toEqual([
    { live: [], sandbox: [] },
    { live: [], sandbox: [] },
  ]);
  const stripe = {
    STRIPE_SECRET_KEY: 'sk_live_of_stripe',
    STRIPE_WEBHOOK_SECRETS: `whsec_${'0'.repeat(16)}`,
  };
  const GATEWAY_MODULES = write(acme());
  const namesOf = (env: Record<string, string>) =>
    made({ GATEWAY_MODULES, ...stripe, ...env })[0].live.map(({ name }) => name);
  expect(namesOf({})).toEqual(['stripe', 'acme']);
  expect(namesOf({ LIVE_GATEWAY: 'acme' })).toEqual(['acme', 'stripe']);
  expect(() => namesOf({ LIVE_GATEWAY: 'toy' })).toThrow('LIVE_GATEWAY=toy is no gateway');
});

it('is loaded by its path, with `module:` or without', () => {
  const file = write(acme());
  expect(loadAdapterModule(`module:${file}`)).toBe(loadAdapterModule(file));
});

it.each([
  ['has no name', 'exports.default = { createGateway() {} }', 'whose name has'],
  [
    'has a name of ours',
    "exports.default = { name: 'stripe', createGateway() {} }",
    'whose name has',
  ],
  [
    'has a name that no variable has',
    "exports.default = { name: 'A-B', createGateway() {} }",
    'whose name has',
  ],
  ['makes nothing', "exports.default = { name: 'acme' }", 'createGateway, createPayouts or both'],
  ['gives another name', acme('other'), 'the adapter acme gave other'],
  ['gives another environment', acme('acme', "'live'"), 'gave acme of live for sandbox'],
])('that %s is refused', (_, source, message) => {
  expect(() => made({ GATEWAY_MODULES: write(source) })).toThrow(message);
});

it('twice under one name is refused', () => {
  const twice = [write(acme()), write(acme())].join(',');
  expect(() => made({ GATEWAY_MODULES: twice })).toThrow('two adapters of one name');
});
