// Lists of names, as operators load them.

import { changeSetting } from '../../db/operators/settings';
import {
  findMatches,
  screenAccounts,
  type TurnDependencies,
} from '../../use-cases/screening/screen';
import { getScreening } from '../../db/risk/lists';
import { createPatience } from '../../use-cases/risk/patience';
import { readList, storeList, type ReadList } from '../../use-cases/screening/read-list';
import type { Db } from '../../db/connect';
import type { NameMatch } from '../../domain/risk';
import { ask } from '../../gateway/question';
import { createSealer } from '../../secrets/seal';

export const HEADER = 'id,name,aliases,type,birth_date,country';
export const SEALER = createSealer([Buffer.alloc(32, 7).toString('base64')]);

type Read = Extract<ReadList, { readonly ok: true }>;

export const readLines = (...lines: string[]): ReadList =>
  readList(Buffer.from([HEADER, ...lines].join('\n')));

/** Reads lines of a file in, and puts them into force. */
export async function loadList(operator: Db, list: string, ...lines: string[]): Promise<void> {
  const read = readLines(...lines) as Read;
  await storeList(operator, list, read);
  await changeSetting(operator, 'risk.load', { list, version: read.version }, 'olivia');
}

export async function removeLists(operator: Db): Promise<void> {
  const { rows } = await operator.raw(`select list from risk_lists where state = 'current'`);
  for (const { list } of rows as { list: string }[]) {
    await changeSetting(operator, 'risk.load', { list, remove: true }, 'olivia');
  }
}

export const screeningBy = (db: Db): TurnDependencies => ({
  db,
  sealer: SEALER,
  askOverHttp: ask,
  patience: createPatience('risk-screening', () => undefined),
  pursue: async () => undefined,
  pay_url_base: 'https://pay.example.com',
  log: (entry) => {
    throw new Error(JSON.stringify(entry));
  },
});

export const screen = async (db: Db, name: string): Promise<readonly NameMatch[]> =>
  (await findMatches(screeningBy(db), await getScreening(db), name)) as readonly NameMatch[];

/** Compares the names of all accounts that are due. */
export const compareAccounts = (db: Db): Promise<void> =>
  screenAccounts(screeningBy(db), new AbortController().signal);
