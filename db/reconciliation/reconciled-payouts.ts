// Payouts as they are recorded here, for the comparison with a provider's own list.

import type { Environment } from '../../domain/environment';
import { columns, type RowOf } from '../columns';
import { execute, type Db } from '../connect';
import type { CheckedTime } from './reconciliations';

/** The account whose list is compared. */
export interface PayoutAccount {
  readonly provider: string;
  readonly environment: Environment;
}

const RECORDED = columns(`payouts p:
  id reference status currency amount_minor returned_minor lost_minor provider_payment_id`);
export type RecordedPayout = RowOf<typeof RECORDED>;

/** They are found by their ids. */
export async function findRecordedPayouts(
  db: Db,
  { provider, environment }: PayoutAccount,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RecordedPayout>> {
  const text = `select ${RECORDED} from payouts p
     where p.id = any ($3::uuid[]) and p.provider = $1 and p.environment = $2`;
  const statement = { name: 'find_recorded_payouts', text };
  const rows = await execute<RecordedPayout>(db, statement, [provider, environment, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Lists a page, in the order of their ids, of those that the provider was asked for in the time. */
export async function listRecordedPayouts(
  db: Db,
  { provider, environment }: PayoutAccount,
  { from, to }: CheckedTime,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<RecordedPayout[]> {
  const values = [provider, environment, from, to, after, limit];
  return execute(db, RECORDED_PAYOUTS, values);
}

const RECORDED_PAYOUTS = {
  name: 'list_recorded_payouts',
  text: `select ${RECORDED} from payouts p
     where p.provider = $1 and p.environment = $2
       and p.send_asked_at >= $3::timestamptz and p.send_asked_at < $4::timestamptz
       and ($5::uuid is null or p.id > $5)
     order by p.id limit $6`,
};

/** Names of providers that were asked for payouts in the time. */
export async function listProvidersOf(
  db: Db,
  environment: Environment,
  { from, to }: CheckedTime,
): Promise<string[]> {
  const text = `select distinct p.provider from payouts p
     where p.environment = $1
       and p.send_asked_at >= $2::timestamptz and p.send_asked_at < $3::timestamptz
     order by p.provider`;
  const statement = { name: 'list_providers_of', text };
  const rows = await execute<{ provider: string }>(db, statement, [environment, from, to]);
  return rows.map(({ provider }) => provider);
}
