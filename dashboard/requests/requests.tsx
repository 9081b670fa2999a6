// The calls that were made with the account's keys.

import { errorDocsUrl } from '../../domain/docs-paths';
import { listKeyNames, type KeyName } from '../../db/keys/api-keys';
import {
  listRequests,
  type LoggedRequest,
  type LogPlace,
  type RequestQuery,
} from '../../db/requests/access-log';
import { isUuid, plainReference } from '../../domain/ids';
import { parseInstant } from '../../domain/instant';
import { formatTime } from '../../pages/formats';
import { page, pageRoute, ownerOf } from '../context';
import { Button, Field, Filters, Select } from '../forms';
import { useFrame } from '../frame';
import { Link, Table, Tag, Time } from '../parts';
import { placeOf, placeText } from './place';
import { durationText, REQUEST_PAGE, toneOf } from './request';
import { WORDS } from './words';

const PER_PAGE = 50;
/**
 * One page looks no further back: each day of the log is a table. The next one goes on from there.
 */
const DAYS_PER_PAGE = 30;
/** The limit for a log that is kept for ever. */
const MAX_DAYS = 3_660;
const DAY_MS = 24 * 60 * 60 * 1_000;
const METHODS = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS'] as const;
const CLASSES = ['2', '4', '5'] as const;
const LONGEST_NAME = 128;

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export const REQUEST_ROUTES = [
  pageRoute('/requests', 'keys', async ({ db, config }, visit) => {
    const { query, language } = visit;
    const words = WORDS[language];
    const owner = ownerOf(visit);
    const isWrongTime = (query.get('before') ?? '') !== '' && timeOf(query) === undefined;
    const before = placeOf(query.get('cursor') ?? '') ?? {
      at: timeOf(query) ?? new Date(Date.now() + DAY_MS).toISOString(),
      id: LAST_ID,
    };
    const oldest = new Date(
      Math.max(Date.parse(before.at) - DAYS_PER_PAGE * DAY_MS, 0),
    ).toISOString();
    const [{ rows, searched_to }, keys] = await Promise.all([
      listRequests(db, {
        ...owner,
        before,
        from: oldest,
        limit: PER_PAGE,
        filters: filtersOf(query),
      }),
      listKeyNames(db, owner.user_id, owner.environment),
    ]);
    const kept_days = config.access_log_days || MAX_DAYS;
    const isOld = Date.parse(oldest) < Date.now() - kept_days * DAY_MS;
    const end = searched_to ?? (isOld ? null : { at: oldest, id: LAST_ID });
    const content = (
      <>
        <p class="lead">{words.lead}</p>
        <RequestFilters query={query} keys={keys} fault={isWrongTime ? words.no_time : undefined} />
        <RequestTable rows={rows} docs={errorDocsUrl(config.public_url)} />
        <Further
          query={query}
          end={end}
          isFull={rows.length === PER_PAGE}
          isEmpty={rows.length === 0}
        />
      </>
    );
    return page(words.requests, content, isWrongTime ? 422 : 200);
  }),
  REQUEST_PAGE,
];

function timeOf(query: URLSearchParams): string | undefined {
  return parseInstant(`${query.get('before') ?? ''}Z`);
}

function filtersOf(query: URLSearchParams): RequestQuery['filters'] {
  const key = query.get('key') ?? '';
  const name = plainReference((query.get('name') ?? '').replaceAll('\0', '').trim());
  const status = CLASSES.find((one) => one === query.get('status'));
  return {
    key_id: isUuid(key) ? key : undefined,
    name: name === '' ? undefined : name.slice(0, LONGEST_NAME),
    method: METHODS.find((one) => one === query.get('method')),
    status_class: status && Number(status),
  };
}

function RequestFilters({
  query,
  keys,
  fault,
}: {
  readonly query: URLSearchParams;
  readonly keys: readonly KeyName[];
  readonly fault: string | undefined;
}) {
  const words = WORDS[useFrame().language];
  const value = (name: string): string => query.get(name) ?? '';
  const chosen = value('key');
  const isListed = chosen === '' || keys.some(({ id }) => id === chosen);
  return (
    <Filters action="/requests">
      <Select
        name="status"
        label={words.status}
        value={value('status')}
        options={[
          { value: '', label: words.any },
          ...CLASSES.map((one) => ({ value: one, label: words.classes[one] })),
        ]}
      />
      <Select
        name="method"
        label={words.method}
        value={value('method')}
        options={[
          { value: '', label: words.any },
          ...METHODS.slice(0, 4).map((one) => ({ value: one, label: one })),
        ]}
      />
      <Select
        name="key"
        label={words.key}
        value={chosen}
        options={[
          { value: '', label: words.all_keys },
          ...keys.map(({ id, name, last_four }) => ({
            value: id,
            label: `${name || words.unnamed} …${last_four}`,
          })),
          ...(isListed ? [] : [{ value: chosen, label: words.chosen_key }]),
        ]}
      />
      <Field
        name="name"
        label={words.name}
        hint={words.name_hint}
        value={value('name')}
        maxLength={LONGEST_NAME}
      />
      <Field
        name="before"
        type="datetime-local"
        label={words.before}
        data-local={words.before_local}
        autocomplete="off"
        value={value('before')}
        fault={fault}
      />
      <Button look="plain">{words.show}</Button>
      {query.size > 0 && <Link to="/requests">{words.clear}</Link>}
    </Filters>
  );
}

function RequestTable({
  rows,
  docs,
}: {
  readonly rows: readonly LoggedRequest[];
  readonly docs: string;
}) {
  const { language } = useFrame();
  const words = WORDS[language];
  if (rows.length === 0) return <></>;
  return (
    <Table
      caption={words.requests}
      columns={[
        words.time,
        words.request,
        words.status,
        words.key,
        words.address,
        { label: words.duration, as: 'number' },
      ]}
      rows={rows.map((row) => [
        <Time at={row.at} exact />,
        <RequestLine of={row} />,
        <Status of={row} docs={docs} />,
        <span>
          {row.key_name || words.unnamed} <code class="nowrap">…{row.last_four}</code>
        </span>,
        <code class="nowrap">{row.ip}</code>,
        durationText(language, row),
      ])}
    />
  );
}

function RequestLine({
  of: { at, id, method, route, path, request_id },
}: {
  readonly of: LoggedRequest;
}) {
  return (
    <span>
      <Link to={`/requests/${placeText({ at, id })}`}>
        <code>
          {method} {path ?? route}
        </code>
      </Link>
      <br />
      <code class="hint">{request_id}</code>
    </span>
  );
}

/** The status, with the code of the error. */
function Status({
  of: { status, code },
  docs,
}: {
  readonly of: LoggedRequest;
  readonly docs: string;
}) {
  return (
    <span>
      <Tag tone={toneOf(status)}>{String(status)}</Tag>{' '}
      {code && <a href={`${docs}#${code}`}>{code}</a>}
    </span>
  );
}

/** How far back this page has looked, and the way to what is before. */
function Further({
  query,
  end,
  isFull,
  isEmpty,
}: {
  readonly query: URLSearchParams;
  readonly end: LogPlace | null;
  readonly isFull: boolean;
  readonly isEmpty: boolean;
}) {
  const { language, words: common } = useFrame();
  const words = WORDS[language];
  const next = new URLSearchParams(query);
  if (end) next.set('cursor', placeText(end));
  const first = new URLSearchParams(query);
  first.delete('cursor');
  return (
    <>
      {isEmpty && !end && <p class="empty">{common.nothing}</p>}
      {!isFull && end && (
        <p class={isEmpty ? 'empty' : 'hint'}>
          {(isEmpty ? words.searched : words.searched_some)(formatTime(language, end.at))}
        </p>
      )}
      <nav class="pager" aria-label={common.older}>
        {query.has('cursor') && <Link to={`/requests?${first}`}>{words.newest}</Link>}
        {end && <Link to={`/requests?${next}`}>{isFull ? common.older : words.further}</Link>}
      </nav>
    </>
  );
}
