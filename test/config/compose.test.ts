import { readFileSync } from 'node:fs';
import { processEnvironmentSchema } from '../../config/schema';

const compose = readFileSync('docker-compose.yml', 'utf8');
const settings = Object.keys(processEnvironmentSchema.properties);

/** Why docker-compose.yml leaves them out. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  HOST: 'the image sets it',
  PORT: 'the image sets it',
  TLS_CERT_FILE: 'Caddy ends TLS',
  TLS_KEY_FILE: 'Caddy ends TLS',
  DATA_DIRECTORY: 'of npm start',
  SANDBOX_GATEWAY_PORT: 'ports are fixed inside of the containers',
  WEBHOOK_SINK_PORT: 'of npm start',
  TEMPORAL_CLI: 'of npm start',
  TEMPORAL_UI_PORT: 'of npm start; the port of the UI here is another setting of the same name',
  TEMPORAL_CODEC_HOST: 'of the codec server, which is not started here',
  TEMPORAL_CODEC_PORT: 'of the codec server, which is not started here',
  TEMPORAL_CODEC_ORIGIN: 'of the codec server, which is not started here',
  TEMPORAL_CODEC_TOKEN: 'of the codec server, which is not started here',
  WORKFLOW_BUNDLE: 'the image has it where it is looked for',
  LIVE_SIMULATOR_SECRETS: 'refused in production',
  STRIPE_API_URL: 'for tests',
  GATEWAY_MODULES:
    'a module needs a volume and settings of its own: an override file has all three',
};

/** The names in a block of `NAME: value` below a line. */
function namesBelow(line: string): string[] {
  const [, rest = ''] = compose.split(`\n${line}\n`);
  const block = /^(?: +[A-Z_]+: .*\n)+/.exec(rest)?.[0] ?? '';
  return [...block.matchAll(/^ +([A-Z_]+):/gm)].map(([, name]) => name!);
}

describe('docker-compose.yml', () => {
  it('passes on every setting, or has a reason', () => {
    const missing = settings.filter(
      (name) => !(name in LEFT_OUT) && !new RegExp(`^ +${name}: `, 'm').test(compose),
    );
    expect(missing).toEqual([]);
  });

  it('has no reason for a setting that it passes on, or that is none', () => {
    const idle = Object.keys(LEFT_OUT).filter(
      (name) => !settings.includes(name) || new RegExp(`^ +${name}: `, 'm').test(compose),
    );
    expect(idle).toEqual([]);
  });

  it('passes on nothing that no process reads', () => {
    const names = namesBelow('x-settings: &settings');
    expect(names.length).toBeGreaterThan(20);
    // OpenTelemetry's SDK reads its own.
    const ours = names.filter((name) => !name.startsWith('OTEL_'));
    expect(ours.filter((name) => !settings.includes(name))).toEqual([]);
  });

  it('lets .env set each of them', () => {
    for (const name of namesBelow('x-settings: &settings')) {
      expect(compose).toContain(`  ${name}: \${${name}:-}\n`);
    }
  });

  it('gives them to the services and to the command line', () => {
    expect(compose.match(/^ +<<: \*settings$/gm)).toHaveLength(2);
  });
});

describe('docs/configuration.md', () => {
  it('explains every setting', () => {
    const text = readFileSync('docs/configuration.md', 'utf8');
    expect(settings.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('.env.example', () => {
  it('has every setting without which Compose refuses to start, and no value', () => {
    const lines = readFileSync('.env.example', 'utf8').split('\n');
    const required = new Set([...compose.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name]) => name!));
    expect([...required].filter((name) => !lines.includes(`${name}=`))).toEqual([]);
  });
});
