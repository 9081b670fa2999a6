// The alarms and the dashboard of deploy/, tried on Prometheus itself: the rules by promtool, and each query of
// a panel on a system under load. Both come with Debian's package `prometheus` (deploy/README.md); without
// them these tests are skipped.

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { startTestApi, type TestApi } from '../support/api';
import { closeAfterFile } from '../support/cleanup';
import { request } from '../support/http';
import { pickTestPort } from '../support/ports';
import { actAt } from '../support/sandbox-gateway';
import { readStack } from '../support/stack';
import { buildUser, fund } from '../support/users';
import { noteSeen, waitFor } from '../support/wait';
import { createTestEndpoint, startReceiver } from '../support/webhooks';

const DEPLOY = join(__dirname, '..', '..', 'deploy');
const ALERTS = join(DEPLOY, 'prometheus', 'alerts.yml');

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const { panels } = JSON.parse(
  readFileSync(join(DEPLOY, 'grafana', 'payment-api.json'), 'utf8'),
) as { readonly panels: readonly Panel[] };
const QUERIES = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }, n) => ({ name: `${title} ${n}`, expr })),
);

function find(program: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

/** The title and a warning say so when the machine does not have the program. */
function itWith(
  program: string,
  title: string,
  test: (path: string) => void | Promise<void>,
): void {
  const path = find(program);
  if (path !== undefined) return it(title, async () => test(path));
  const why = `not tried: there is no ${program} on the PATH (deploy/README.md says how to get it)`;
  it(`${title}: ${why}`, () => console.warn(`${title}: ${why}`));
}

describe('the alarms', () => {
  itWith('promtool', 'ring when they should, and are silent on a quiet system', (promtool) => {
    const cwd = join(DEPLOY, 'prometheus');
    const run = (...args: string[]) => execFileSync(promtool, args, { cwd, encoding: 'utf8' });
    expect(run('check', 'rules', 'alerts.yml')).toContain('SUCCESS');
    expect(run('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS');
  });

  it('have a test each', () => {
    const names = [...readFileSync(ALERTS, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, n]) => n!);
    const tests = readFileSync(join(DEPLOY, 'prometheus', 'alerts.test.yml'), 'utf8');
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !tests.includes(`alertname: ${name}`))).toEqual([]);
  });
});

describe('the dashboard and the alarms', () => {
  let api: TestApi;
  let target: string;
  let recipient: string;

  beforeAll(async () => {
    const port = await pickTestPort();
    target = `127.0.0.1:${port}`;
    api = await startTestApi({
      webhooks: true,
      overrides: { metrics: { host: '127.0.0.1', port } },
    });
    await fund(api.database.db, api.merchant.id, 'sandbox', 'XOF', 1_000_000n);
    recipient = (await buildUser(api.database.db)).username;
    const receiver = await startReceiver();
    const { id: user_id } = api.merchant;
    await createTestEndpoint(api.database, { user_id, url: receiver.url });
  });

  /** Something of everything: transfers, refusals, a payment and its webhook. */
  async function load(): Promise<void> {
    const key = api.test_key;
    const transfer = { to_username: recipient, currency: 'XOF', amount: 100 };
    const { json } = await api.create();
    await Promise.all([
      request(api.service, 'POST', '/transfers', { key, body: transfer }),
      request(api.service, 'POST', '/transfers', {
        key,
        body: { ...transfer, to_username: 'nobody1' },
      }),
      request(api.service, 'GET', '/wallets', { key, headers: { 'x-request-id': randomUUID() } }),
      actAt(json.checkout_url, 'pay'),
    ]);
  }

  it('name only metrics that a process shows', async () => {
    const text = `${QUERIES.map(({ expr }) => expr).join('\n')}\n${readFileSync(ALERTS, 'utf8')}`;
    const named = text.match(/\b(payment_api|temporal|process|nodejs)_\w+/g) ?? [];
    const wanted = new Set(named.map((name) => name.replace(/_(bucket|count|sum)$/, '')));
    expect(wanted.size).toBeGreaterThan(20);
    await waitFor(async () => {
      await load();
      const shown = await (await fetch(`http://${target}/metrics`)).text();
      const missing = [...wanted].filter((name) => !shown.includes(`# TYPE ${name} `));
      noteSeen('metrics that are not shown', missing);
      // Shown by the first that is logged: there may be none.
      return missing.filter((name) => name !== 'payment_api_logged_errors_total').length === 0;
    });
  });

  itWith(
    'prometheus',
    'show something in each panel of a system under load',
    async (prometheus) => {
      const url = await startPrometheus(prometheus, target);
      const asking = new Map(QUERIES.map(({ name, expr }) => [name, expr]));
      await waitFor(async () => {
        await load();
        for (const [name, expr] of asking) {
          const found = await ask(url, expr.replaceAll('$__rate_interval', '20s'));
          expect({ name, status: found.status }).toEqual({ name, status: 'success' });
          // A quantile without an observation is no number.
          const numbers = found.data.result.filter(({ value }) =>
            Number.isFinite(Number(value[1])),
          );
          if (numbers.length > 0) asking.delete(name);
        }
        noteSeen('panels without data', [...asking.keys()]);
        return asking.size === 0;
      });
      const firing = await ask(url, 'ALERTS{alertstate="firing",severity="page"}');
      expect(firing.data.result).toEqual([]);
    },
  );
});

interface Answer {
  readonly status: string;
  readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] };
}

async function ask(url: string, query: string): Promise<Answer> {
  const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}`);
  return (await response.json()) as Answer;
}

async function startPrometheus(prometheus: string, target: string): Promise<string> {
  const folder = mkdtempSync(join(readStack().folder, 'prometheus-'));
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [ALERTS],
    scrape_configs: [{ job_name: 'payment-api', static_configs: [{ targets: [target] }] }],
  };
  const file = join(folder, 'prometheus.yml');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(config));
  const address = `127.0.0.1:${await pickTestPort()}`;
  const child: ChildProcess = spawn(
    prometheus,
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  closeAfterFile(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const url = `http://${address}`;
  await waitFor(() =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return url;
}
