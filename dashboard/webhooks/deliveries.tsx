// An endpoint's deliveries: which of them a page shows, and the table.

import {
  listDeliveries,
  type DeliveryQuery,
  type DeliveryView,
} from '../../db/webhooks/webhook-deliveries';
import type { Db } from '../../db/connect';
import { EVENT_TYPES } from '../../domain/event';
import { parseInstant } from '../../domain/instant';
import { DELIVERY_STATUSES } from '../../domain/webhook';
import { byTime, pageOf } from '../../domain/page';
import type { EndpointOwner } from '../../use-cases/webhook-endpoints';
import { Button, Filters, Select } from '../forms';
import { useFrame } from '../frame';
import { Link, Pager, Table, Time } from '../parts';
import { DeliveryTag } from './state';
import { WORDS } from './words';

const PER_PAGE = 25;

export interface DeliveryPage {
  readonly rows: readonly DeliveryView[];
  readonly next_cursor: string | null;
}

/** Reads the filters of a page's query, and leaves out what has no meaning. */
export function deliveryQuery(
  owner: EndpointOwner,
  endpoint_id: string,
  query: URLSearchParams,
): DeliveryQuery {
  const chosen = <T extends string>(name: string, of: readonly T[]): T | undefined =>
    of.find((one) => one === query.get(name));
  return {
    ...owner,
    before: parseInstant(query.get('cursor') ?? ''),
    limit: PER_PAGE + 1,
    filters: {
      endpoint_id,
      status: chosen('status', DELIVERY_STATUSES),
      type: chosen('type', EVENT_TYPES),
    },
  };
}

export async function readDeliveryPage(db: Db, query: DeliveryQuery): Promise<DeliveryPage> {
  return pageOf(await listDeliveries(db, query), PER_PAGE, byTime);
}

/** The part that updates by itself. */
export function DeliveryList({
  path,
  query,
  deliveries: { rows, next_cursor },
}: {
  /** The path of the endpoint's page. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly deliveries: DeliveryPage;
}) {
  const words = WORDS[useFrame().language];
  const columns = [words.created, words.type, words.status, words.attempts, words.next_attempt];
  return (
    <>
      <Table
        caption={words.deliveries}
        columns={columns}
        rows={rows.map((row) => [
          <Link to={`/deliveries/${row.id}`}>
            <Time at={row.created_at} exact />
          </Link>,
          <code>{row.type}</code>,
          <DeliveryTag status={row.status} />,
          String(row.attempts),
          row.next_attempt_at && row.status === 'pending' ? (
            <Time at={row.next_attempt_at} exact />
          ) : (
            '–'
          ),
        ])}
      />
      <Pager path={path} query={query} next_cursor={next_cursor} />
    </>
  );
}

export function DeliveryFilters({
  path,
  query,
}: {
  readonly path: string;
  readonly query: URLSearchParams;
}) {
  const words = WORDS[useFrame().language];
  const any = { value: '', label: words.any_status };
  return (
    <Filters action={path}>
      <Select
        name="status"
        label={words.status}
        value={query.get('status') ?? ''}
        options={[
          any,
          ...DELIVERY_STATUSES.filter((status) => status !== 'discarded').map((status) => ({
            value: status,
            label: words.delivery_statuses[status],
          })),
        ]}
      />
      <Select
        name="type"
        label={words.type}
        value={query.get('type') ?? ''}
        options={[
          { value: '', label: words.all_types },
          ...EVENT_TYPES.map((type) => ({ value: type, label: type })),
        ]}
      />
      <Button look="plain">{words.filter}</Button>
    </Filters>
  );
}
