// One merchant who transfers and looks at once, at every process, whether the history shows it. Nothing that was answered
// may be missing there, whichever server is asked.

import { perform, recordOf } from '../../faults/support/caller';
import type { ExperimentContext } from '../../faults/support/experiment';
import { plainTransfer } from '../../faults/support/operations';
import type { FundedUser } from '../../faults/support/users';

const READ_WITHIN_MS = 15_000;

export interface Witness {
  /** Returns how many pages were read. */
  stop(): Promise<number>;
}

/** @param users two whom no other load uses */
export function startWitness(
  context: ExperimentContext,
  [from, to]: readonly [FundedUser, FundedUser],
): Witness {
  const { client, cluster, faults, records } = context;
  /** The references of transfers, in the order of their answers. */
  const answered: string[] = [];
  let is_stopped = false;
  let pages = 0;

  const transfer = async (): Promise<void> => {
    for (let number = 1; !is_stopped; number += 1) {
      const key = `witness-${number}`;
      const record = recordOf(plainTransfer({ key, from, to, first_api: number % 2 }));
      records.push(record);
      await perform(record, { client, apis: cluster.apis });
      if (record.final?.status !== 200) continue;
      const { reference } = JSON.parse(record.final.text) as { reference: string };
      answered.push(reference);
    }
  };
  const read = async (turn: number): Promise<void> => {
    while (!is_stopped) {
      const api = cluster.apis[turn % cluster.apis.length]!;
      const before = answered.length;
      const reply = await client.send({
        method: 'GET',
        url: `${api.base_url}/transactions?limit=1`,
        headers: { authorization: `Bearer ${from.keys.live}` },
        timeout_ms: READ_WITHIN_MS,
      });
      if (reply.status !== 200) continue;
      pages += 1;
      const { transactions } = JSON.parse(reply.text) as { transactions: { reference: string }[] };
      const shown = answered.indexOf(transactions[0]?.reference ?? '');
      const is_newer = transactions.length > 0 && shown < 0;
      if (before > 0 && !is_newer && shown < before - 1) {
        faults.push(`${api.name} shows ${shown + 1} of ${before} transfers that were answered`);
      }
    }
  };
  const loops = [transfer(), read(0), read(1)];
  return {
    async stop() {
      is_stopped = true;
      await Promise.all(loops);
      return pages;
    },
  };
}
