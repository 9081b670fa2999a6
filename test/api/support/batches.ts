// Bulk transfers in tests: ordered, waited for, and read back in full.

import type { HttpResponse, RequestOptions } from '../../support/http';
import type { TestService } from '../../support/service';
import { waitFor } from '../../support/wait';
import type { TestDatabase } from '../../support/database';
import { buildApiKey, buildUser, type Funds } from '../../support/users';
import type { Account } from './accounts';
import { callApi } from './contract';

type Service = Pick<TestService, 'base_url'>;
type Json = HttpResponse['json'];

/** Gives the account keys that may ask for progress all the time. */
export async function buildBusyAccount(
  { db }: Pick<TestDatabase, 'db'>,
  funds: Funds = {},
): Promise<Account> {
  const user = await buildUser(db, { funds });
  const limits = { requests_per_minute: 1_000_000, writes_per_minute: 1_000_000 };
  const live = await buildApiKey(db, { user, ...limits });
  const sandbox = await buildApiKey(db, { user, environment: 'sandbox', ...limits });
  return { ...user, live: live.key, sandbox: sandbox.key };
}

export function orderBatch(
  service: Service,
  body: unknown,
  options: RequestOptions,
): Promise<HttpResponse> {
  return callApi(service, 'POST', '/transfer-batches', { body, ...options });
}

/** The batch, once it is over. */
export function finished(service: Service, id: string, key: string): Promise<Json> {
  return waitFor(async () => {
    const { json } = await callApi(service, 'GET', `/transfer-batches/${id}`, { key });
    return json.status !== 'processing' && json;
  });
}

/** All transfers of a batch, page by page. */
export async function itemsOf(service: Service, id: string, key: string): Promise<Json[]> {
  const items: Json[] = [];
  for (let cursor = ''; ;) {
    const path = `/transfer-batches/${id}/transfers?limit=1000${cursor}`;
    const { json } = await callApi(service, 'GET', path, { key });
    items.push(...json.transfers);
    if (!json.has_more) return items;
    cursor = `&cursor=${json.next_cursor}`;
  }
}
