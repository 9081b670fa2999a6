// A Temporal whose frontends demand a client certificate, as Temporal Cloud and careful clusters do: our
// processes take theirs from Temporal's own variables, and get in with it only.

import { readFileSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { makeAuthority, writeCertificate } from '../support/certificate';
import type { Topology } from './harness/topology';
import { createRunningWorkflows } from '../../temporal/running-workflows';
import { closeAfterFile } from '../support/cleanup';
import { waitFor } from '../support/wait';
import {
  buildCompany,
  expectBooksVerify,
  payALink,
  transfer,
  type Company,
} from './support/journey';
import { securedBy } from './support/temporal-security';
import {
  operate,
  runProgram,
  START_LIMIT_MS,
  startTestTopology,
  temporaryFolder,
} from './support/topology';

type Variables = Readonly<Record<string, string>>;

let topology: Topology;
let company: Company;
let env: Variables;

beforeAll(async () => {
  topology = await startTestTopology(await securedBy({ kind: 'mtls' }));
  company = await buildCompany(topology);
  env = topology.environment('worker');
}, START_LIMIT_MS);

const CERTIFICATE = ['TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH'];

function without(variables: Variables, isLeftOut: (name: string) => boolean): Variables {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !isLeftOut(name)));
}

it('the whole job runs with certificates: APIs, workers, the command line, the tools that set it up', async () => {
  await transfer(company);
  await payALink(company);
  await expectBooksVerify(company);
  const intents = await operate(topology, ['intents', 'list', '--user', 'merchant']);
  const [{ id }] = (intents as { intents: [{ id: string }] }).intents;
  // Asks Temporal about its workflow.
  await waitFor(async () => {
    const { workflow } = await operate(topology, ['intents', 'show', id]);
    return workflow.state === 'completed' && workflow.fault === null;
  });
});

it('is asked for workflows that cannot go on: the attribute of the sweep is there in its visibility store', async () => {
  const connection = await Connection.connect({
    address: topology.frontend_addresses[0]!,
    tls: {
      serverRootCACertificate: Buffer.from(topology.ca),
      serverNameOverride: 'temporal',
      clientCertPair: {
        crt: readFileSync(env['TEMPORAL_TLS_CLIENT_CERT_PATH']!),
        key: readFileSync(env['TEMPORAL_TLS_CLIENT_KEY_PATH']!),
      },
    },
  });
  closeAfterFile(() => connection.close());
  const client = new Client({ connection, namespace: 'payments' });
  const running = createRunningWorkflows(client, 'payments');
  expect(await running.listBroken('paymentIntent', 10)).toEqual([]);
});

// The words are those of the TLS library.
const REFUSALS: readonly (readonly [string, () => Variables])[] = [
  ['no certificate', () => without(env, (name) => CERTIFICATE.includes(name))],
  ['a certificate by another authority', () => ({ ...env, ...foreignCertificate() })],
  ['no TLS at all', () => without(env, (name) => name.startsWith('TEMPORAL_TLS_'))],
  [
    'the wrong name of the server',
    () => ({ ...env, TEMPORAL_TLS_SERVER_NAME: 'another.example.com' }),
  ],
];

it.each(REFUSALS)('a worker and an API with %s do not get in, and end', async (_, variables) => {
  const settings = variables();
  for (const program of ['worker.js', 'api.js']) {
    const { status, stderr } = await runProgram(program, settings);
    expect({ program, status }).toEqual({ program, status: 1 });
    expect(stderr).not.toContain('"log":"ready"');
    expect(stderr).toMatch(/TransportError|transport error/i);
  }
});

it('refuses each frontend to a caller without a certificate', async () => {
  for (const address of topology.frontend_addresses) {
    const connecting = Connection.connect({
      address,
      connectTimeout: '5s',
      tls: { serverRootCACertificate: Buffer.from(topology.ca), serverNameOverride: 'temporal' },
    });
    await expect(connecting).rejects.toThrow('Failed to connect');
  }
});

function foreignCertificate(): Variables {
  const folder = temporaryFolder();
  const files = { cert_file: `${folder}/client.crt`, key_file: `${folder}/client.key` };
  writeCertificate(files, makeAuthority().issue({ names: ['payment-api'] }));
  return {
    TEMPORAL_TLS_CLIENT_CERT_PATH: files.cert_file,
    TEMPORAL_TLS_CLIENT_KEY_PATH: files.key_file,
  };
}
