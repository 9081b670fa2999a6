import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { startTemporal, type EmbeddedTemporal } from '../../../dev/embedded/temporal';
import { acquireTemporalBinary } from '../../../dev/embedded/temporal-binary';
import { startOnTestPort } from '../../support/ports';
import { occupyProcessors } from '../../support/processors';
import { tempFolder } from './temp-folder';

// The first run on a machine may have to build the binary.
jest.setTimeout(900_000);

// `TEMPORAL_STARTS=50 npx jest test/embedded/temporal-starts.test.ts`
const STARTS = Number(process.env['TEMPORAL_STARTS'] ?? 9);
const AT_ONCE = 3;

const root = tempFolder();

it(`${STARTS} starts on a busy machine, ${AT_ONCE} at once, are all ready, on the ports that they were given`, async () => {
  const binary = await acquireTemporalBinary({ env: process.env, log: () => {} });
  const freeProcessors = occupyProcessors();
  // A probe that takes the port for a moment made one start in 29 fail.
  const said: string[] = [];
  const startOne = async (): Promise<void> => {
    const folder = mkdtempSync(join(root, 'start-'));
    const server = await startOnTestPort((port): Promise<EmbeddedTemporal> =>
      startTemporal({
        binary,
        database_file: join(folder, 'temporal.db'),
        port,
        ui_port: null,
        namespace: 'default',
        log_file: join(folder, 'temporal.log'),
        say: (text) => said.push(text),
      }),
    );
    await server.stop();
  };
  let left = STARTS;
  const startInTurn = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await startOne();
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, startInTurn));
  } finally {
    await freeProcessors();
  }
  expect(said).toEqual([]);
});
