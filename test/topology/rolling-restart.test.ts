// Every process that is there twice is stopped with SIGTERM and started anew, one after the other, while
// callers work through Caddy: docs/operations.md has the commands.

import type { Topology } from './harness/topology';
import { expectAllWell, ROLLED, rollOver, startWork } from './support/busy';
import { buildCompany, type Company } from './support/journey';
import { START_LIMIT_MS, startTestTopology } from './support/topology';

let topology: Topology;
let company: Company;

beforeAll(async () => {
  topology = await startTestTopology();
  company = await buildCompany(topology);
}, START_LIMIT_MS);

it(
  'F21 restarts each API, worker and Temporal service in turn, and fails no transfer',
  async () => {
    const load = startWork(company);
    await load.untilDone(1);
    await rollOver(topology, load, ROLLED);
    await expectAllWell(company, load, 'F21');
  },
  START_LIMIT_MS,
);
