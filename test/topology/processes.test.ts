// The processes of docker-compose.yml with the real Temporal server: the main job through Caddy's TLS, while
// half of them are dead, and after all of them have died.

import { readFileSync } from 'node:fs';
import { request } from 'undici';
import type { Topology } from './harness/topology';
import {
  buildCompany,
  expectBooksVerify,
  expectInTemporal,
  payALink,
  transfer,
  type Company,
} from './support/journey';
import { processesOf, START_LIMIT_MS, startTestTopology } from './support/topology';

let topology: Topology;
let company: Company;

beforeAll(async () => {
  topology = await startTestTopology();
  company = await buildCompany(topology);
}, START_LIMIT_MS);

const TRANSFERS = 20;

/** Transfers at once, and a link that is paid meanwhile. */
async function work(): Promise<void> {
  const transfers = Array.from({ length: TRANSFERS }, () => transfer(company));
  await Promise.all([...transfers, payALink(company)]);
}

it('keys, transfer, payment link, payment, webhook: all of it through TLS', async () => {
  const reference = await transfer(company);
  await payALink(company);
  await expectBooksVerify(company);
  await expectInTemporal(topology, reference);
});

it('refuses what comes without TLS, and says so', async () => {
  const caddyfile = `${topology.folder}/Caddyfile`;
  const [, port] = /^http:\/\/localhost:(\d+) \{$/m.exec(readFileSync(caddyfile, 'utf8'))!;
  const answer = await request(`http://127.0.0.1:${port}/api/public/v1/wallets`, {
    headers: { host: `localhost:${port}`, authorization: `Bearer ${company.merchant.live_key}` },
  });
  expect(answer.statusCode).toBe(403);
  expect(await answer.body.json()).toMatchObject({ ok: false, error: { code: 'forbidden' } });
});

const PAIRS = [
  'api',
  'worker',
  'temporal-frontend',
  'temporal-history',
  'temporal-matching',
  'temporal-worker',
] as const;

it.each([1, 2])(
  'goes on while number %i of each pair is dead, and takes it back',
  async (number) => {
    const half = processesOf(
      topology,
      PAIRS.map((service) => `${service}-${number}`),
    );
    expect(half).toHaveLength(PAIRS.length);
    await Promise.all(half.map((process) => process.kill({ stays_down: true })));
    await work();
    expect(half.map((process) => process.pid())).toEqual(half.map(() => undefined));
    await Promise.all(half.map((process) => process.resume()));
    await work();
    await expectBooksVerify(company);
  },
);

it('goes on when half of everything dies under load and is started again', async () => {
  const every_second = topology.processes.filter((_, index) => index % 2 === 0);
  const before = every_second.map((process) => process.pid());
  const working = work();
  await Promise.all(every_second.map((process) => process.kill()));
  await working;
  await Promise.all(every_second.map((process) => process.resume()));
  await work();
  const after = every_second.map((process) => process.pid());
  expect(after).not.toContain(undefined);
  expect(after.filter((pid) => before.includes(pid))).toEqual([]);
  await expectBooksVerify(company);
});

it('comes back when all of them die at once: Postgres, Temporal, Caddy, everything', async () => {
  const working = work();
  await Promise.all(topology.processes.map((process) => process.kill()));
  await working;
  await expectBooksVerify(company);
  await expectInTemporal(topology, await transfer(company));
});
