// Batches of transfers and of payouts: how both kinds are read, listed and taken up. The row of a batch decides what is
// still to be done.

import type { Environment } from '../../domain/environment';
import { isUuid } from '../../domain/ids';
import type { WalletHold } from '../../domain/wallet-hold';
import { lookUp, type Db } from '../connect';
import type { Owner } from '../list-filters';
import { readable } from '../readable';
import type { Ordered } from '../requests/orders';
import { failUnknown } from '../unknown-row';

/** `too_many`: as many batches of the account wait as may. */
export interface RefusedBatch {
  readonly outcome: WalletHold | 'too_many';
}

export type OrderedBatch = Ordered<'created' | 'stored', RefusedBatch>;

export interface ItemQuery<Status extends string> {
  readonly batch_id: string;
  readonly status: Status | undefined;
  /** Items after this index; -1 for all. */
  readonly after: number;
  readonly limit: number;
}

interface Declared {
  readonly table: 'transfer_batches' | 'payout_batches';
  /** Columns of the table as `b`. */
  readonly columns: string;
  /** The same of what a workflow is started with, the account beside it as `u`. */
  readonly to_run: string;
  /** A batch that has something to do. */
  readonly due: string;
}

/** The reads of a kind. */
export function batches<Row extends object, ToRun>({ table, columns, to_run, due }: Declared) {
  const { list, find } = readable<Row, object>({
    rows: table,
    row: 'b',
    view: columns,
    filters: {},
  });
  const get = {
    name: `get_in_${table}`,
    text: `select ${columns} from ${table} b where b.id = $1`,
  };
  const next = {
    name: `find_next_in_${table}`,
    text: `select ${to_run} from ${table} b join users u on u.id = b.user_id
            where b.user_id = $1 and b.environment = $2 and ${due}
            order by b.created_at limit 1`,
  };
  return {
    list,

    /** Undefined: not one of this account and environment. */
    find: async (db: Db, owner: Owner, id: string): Promise<Row | undefined> =>
      isUuid(id) ? find(db, owner, { id }) : undefined,

    /** @throws UnknownRowError */
    get: async (db: Db, id: string): Promise<Row> => {
      const [row] = await lookUp<Row>(db, get, [id]);
      return row ?? failUnknown(db, table === 'payout_batches' ? 'payout_batch' : 'batch', id);
    },

    /** An account's batches have their turn one after the other; undefined when none has anything to do. */
    next: async (db: Db, user_id: string, environment: Environment): Promise<ToRun | undefined> =>
      (await lookUp<ToRun & object>(db, next, [user_id, environment]))[0],
  };
}
