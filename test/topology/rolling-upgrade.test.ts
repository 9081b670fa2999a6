// The previous release, then this one, then the previous one on the new schema, then this one again: the
// processes of the production shape are replaced one by one, while callers work through Caddy.
//
// What release.ts keeps of the previous release, and the rule that makes this work, are those of
// test/upgrade/previous-release.test.ts.

import { makeSealingKey } from '../../secrets/seal';
import { PROJECT } from '../../dev/topology/project';
import type { Topology } from '../../dev/topology/topology';
import { awaitNoOpenWorkflow } from '../faults/support/recovery';
import { REPEATED_BESIDE_0_1 } from '../upgrade/load';
import { PREVIOUS, unpackRelease } from '../upgrade/release';
import { expectAllWell, expectNoFaults, rollOver, startWork } from './support/busy';
import { buildCompany, type Company } from './support/journey';
import {
  RECEIVERS_HERE,
  runProgram,
  START_LIMIT_MS,
  startTestTopology,
  temporaryFolder,
  type Person,
} from './support/topology';

type Variables = Readonly<Record<string, string>>;

const OURS = ['api', 'worker'];
/** Its `migrate` reads them without using them. */
const UNUSED = {
  TEMPORAL_ADDRESS: 'unused:1',
  PUBLIC_URL: 'https://unused.example.com',
  SECRETS_KEYS: makeSealingKey(),
};
/** Of Temporal on Postgres, with shards that move: see the nemesis on the topology. */
const SLOWNESS = 6;

let previous: string;
/** Which release a process runs when it starts next. */
let folder: string;
let topology: Topology;
let company: Company;

beforeAll(async () => {
  previous = unpackRelease(PREVIOUS, temporaryFolder());
  folder = previous;
  topology = await startTestTopology({
    programFolder: (service) => ([...OURS, 'migrate'].includes(service) ? folder : PROJECT),
    settingsOf(service): Variables {
      if (service === 'migrate') return folder === previous ? UNUSED : {};
      return OURS.includes(service) ? RECEIVERS_HERE : {};
    },
  });
  company = await buildCompany(topology, signUp);
}, START_LIMIT_MS);

/** With the previous release's own command line, which has the rights of the service. */
async function signUp(_: Topology, username: string): Promise<Person> {
  const cli = async (...args: string[]): Promise<{ readonly key: string }> => {
    const env = topology.environment('api');
    const ended = await runProgram('cli.js', env, [...args, '--json'], '', previous);
    if (ended.status !== 0) throw new Error(`${args.join(' ')}: ${ended.stderr}`);
    return JSON.parse(ended.stdout) as { readonly key: string };
  };
  const user = ['--user', username];
  await cli(
    ...['users', 'create', '--username', username, '--email', `${username}@example.com`],
    ...['--password', 'correct horse battery', '--country', 'SN'],
  );
  await cli('kyc', 'approve', ...user);
  await cli(
    ...['wallets', 'credit', ...user, '--currency', 'XOF', '--amount', '500000'],
    ...['--environment', 'live', '--reason', 'deposit'],
  );
  const unlimited = ['--requests-per-minute', '100000', '--writes-per-minute', '100000'];
  const key = ['keys', 'create', ...user, ...unlimited, '--environment'];
  const [live, test] = [await cli(...key, 'live'), await cli(...key, 'test')];
  return { username, live_key: live.key, test_key: test.key };
}

it(
  `F22 from ${PREVIOUS} to this version, back on the new schema, and forth again, and fails no transfer`,
  async () => {
    const load = startWork(company, { repeated: REPEATED_BESIDE_0_1 });
    await load.untilDone(1);
    expectNoFaults(load, `with ${PREVIOUS}`);

    const migrated = await runProgram('migrate.js', topology.environment('migrate'));
    expect(migrated).toMatchObject({ status: 0 });
    await load.untilDone(2);
    expectNoFaults(load, 'after the migration');

    for (const next of [PROJECT, previous, PROJECT]) {
      folder = next;
      await rollOver(topology, load, OURS);
      await load.untilDone(2);
      expectNoFaults(load, `with ${next}`);
    }
    await expectAllWell(company, load, 'F22');
    const { temporal_address } = topology;
    const temporal = { temporal_address, temporal_namespace: 'payments', slowness: SLOWNESS };
    expect(await awaitNoOpenWorkflow(temporal)).toMatchObject({ open: 0, broken: 0 });
  },
  START_LIMIT_MS,
);
