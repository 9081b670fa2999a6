// A list: filters that stand in its URL, a page of rows, the way to older ones, and all that match as a file. Each
// list declares what is its own.

import type { ComponentChildren } from 'preact';
import type { Readable } from 'node:stream';
import type { Environment } from '../domain/environment';
import { CURRENCIES, type Currency } from '../domain/currency';
import { plainReference } from '../domain/ids';
import { parseInstant } from '../domain/instant';
import type { Language, Translated } from '../domain/language';
import { mayDo, type Permission } from '../domain/members';
import { byTime, pageOf } from '../domain/page';
import { CURRENCY_LABELS } from '../pages/formats';
import {
  page,
  pageRoute,
  type Answer,
  type DashboardDependencies,
  type DashboardRoute,
  type MemberVisit,
} from './context';
import { download } from './download';
import { Button, Field, Filters, Select } from './forms';
import { useFrame } from './frame';
import { LIST_WORDS } from './list-words';
import { LiveNote } from './live-note';
import { Download, Link, Money, Pager, Table, Technical, Time, type Column } from './parts';

export const PAGE_ROWS = 50;
const LONGEST_REFERENCE = 64;
const LONGEST_EMAIL = 254;
const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_MS = 24 * 60 * 60 * 1_000;

type Fault = 'wrong_choice' | 'wrong_date' | 'too_long';

export interface Filter<Value extends string = string> {
  /** Its name in the URL, where it is not the one that the query has. */
  readonly param?: string;
  readonly label:
    'type' | 'status' | 'currency' | 'direction' | 'from' | 'to' | 'reference' | 'customer_email';
  /** Undefined where the text, which is not empty, has no meaning. */
  readonly read: (text: string) => Value | undefined;
  readonly fault: Fault;
  /** Without them the filter is typed. */
  readonly choices?: {
    readonly values: readonly Value[];
    readonly names: Translated<Readonly<Record<Value, string>>>;
  };
  readonly type?: 'date';
  readonly longest?: number;
}

export function oneOf<Value extends string>(
  label: Filter['label'],
  values: readonly Value[],
  names: Translated<Readonly<Record<Value, string>>>,
): Filter<Value> {
  const read = (text: string) => values.find((one) => one === text);
  return { label, read, fault: 'wrong_choice', choices: { values, names } };
}

const text = (
  label: Filter['label'],
  longest: number,
  read = (given: string) => given,
): Filter => ({
  label,
  longest,
  read: (given) => (given.length > longest ? undefined : read(given)),
  fault: 'too_long',
});

/** The beginning of a day of UTC, or of the one so many days later. */
const day = (label: 'from' | 'to', days: number): Filter => ({
  param: label,
  label,
  type: 'date',
  fault: 'wrong_date',
  read: (given) => {
    const at = DAY.test(given) ? parseInstant(given) : undefined;
    return at && new Date(Date.parse(at) + days * DAY_MS).toISOString();
  },
});

export const CURRENCY = oneOf('currency', CURRENCIES, { en: CURRENCY_LABELS, fr: CURRENCY_LABELS });
export const REFERENCE = text('reference', LONGEST_REFERENCE, plainReference);
export const EMAIL = text('customer_email', LONGEST_EMAIL);
/** Days of UTC, of which the last is included. */
export const PERIOD = { created_from: day('from', 0), created_to: day('to', 1) } as const;

type Declared = Readonly<Record<string, Filter>>;

export interface ListQuery<Filters extends Declared> {
  readonly user_id: string;
  readonly environment: Environment;
  /** An instant; rows strictly before it. */
  readonly before: string | undefined;
  readonly limit: number;
  readonly filters: {
    readonly [name in keyof Filters]: Filters[name] extends Filter<infer Value>
      ? Value | undefined
      : never;
  };
}

export type ListColumn<Row> = Exclude<Column, string> & {
  readonly cell: (row: Row) => ComponentChildren;
};

export function at<Row extends { readonly created_at: string }>(label: string): ListColumn<Row> {
  return { label, as: 'when', cell: ({ created_at }) => <Time at={created_at} /> };
}

export function amount<Row extends { readonly amount_minor: bigint; readonly currency: Currency }>(
  label: string,
): ListColumn<Row> {
  const cell = ({ amount_minor, currency }: Row) => (
    <Money minor={amount_minor} currency={currency} />
  );
  return { label, as: 'amount', cell };
}

interface ListFile<Filters extends Declared> {
  /** Begins the file's name. */
  readonly name: string;
  /** `language`: of the person who opens it in a spreadsheet; undefined for the form that programs read. */
  readonly write: (
    dependencies: DashboardDependencies,
    query: Omit<ListQuery<Filters>, 'limit'>,
    options: { readonly language: Language | undefined; readonly onError: (error: Error) => void },
  ) => Readable | Promise<Readable>;
}

export interface List<Row, Filters extends Declared> {
  readonly path: string;
  /** The permission that its page needs; `read` unless the list says so. */
  readonly access?: Permission;
  /** `none`: said instead of the list while there is no row at all. */
  readonly words: (language: Language) => {
    readonly title: string;
    readonly caption: string;
    readonly none?: string;
  };
  readonly filters: Filters;
  /** Rows of a page; 50 unless the list says so. */
  readonly rows?: number;
  readonly above?: (
    dependencies: DashboardDependencies,
    visit: MemberVisit,
  ) => ComponentChildren | Promise<ComponentChildren>;
  /** Newest first. */
  readonly read: (
    dependencies: DashboardDependencies,
    query: ListQuery<Filters>,
  ) => Promise<readonly Row[]>;
  readonly columns: (language: Language) => readonly ListColumn<Row>[];
  /** The rows change by themselves. */
  readonly is_live?: true;
  readonly file?: ListFile<Filters>;
}

/** The routes of the list and of its file. */
export function listRoutes<Row extends { readonly created_at: string }, Filters extends Declared>(
  list: List<Row, Filters>,
): DashboardRoute[] {
  const show = pageRoute(list.path, list.access ?? 'read', (dependencies, visit) =>
    showList(list, dependencies, visit),
  );
  if (!list.file) return [show];
  const write = pageRoute(`${list.path}.csv`, 'export', (dependencies, visit) =>
    writeFile(list, list.file!, dependencies, visit),
  );
  return [show, write];
}

async function showList<Row extends { readonly created_at: string }, Filters extends Declared>(
  list: List<Row, Filters>,
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { language, query } = visit;
  const { path, words, rows: most = PAGE_ROWS, above, columns, is_live } = list;
  const asked = readQuery(list, visit);
  if ('faults' in asked) return faultyList(list, visit, asked.faults);
  const [found, shown_above] = await Promise.all([
    list.read(dependencies, { ...asked, limit: most + 1 }),
    above?.(dependencies, visit),
  ]);
  const { rows, next_cursor } = pageOf(found, most, byTime);
  const { title, caption, none } = words(language);
  const isEmpty = rows.length === 0;
  return page(
    title,
    <>
      {shown_above}
      <ListFilters list={list} query={query} faults={new Map()} />
      {is_live && <LiveNote />}
      <div data-live-part="rows">
        {isEmpty && textOf(query) !== '' ? (
          <p class="empty">{LIST_WORDS[language].no_match}</p>
        ) : isEmpty && none !== undefined ? (
          <p class="empty">{none}</p>
        ) : (
          <Rows caption={caption} columns={columns(language)} rows={rows} />
        )}
        <Pager path={path} query={query} next_cursor={next_cursor} />
      </div>
      {list.file && <Files path={`${path}.csv`} query={query} />}
    </>,
  );
}

/** A number that Postgres has. */
export const NUMBER = /^[1-9]\d{0,17}$/;

/** Where a page of numbered rows begins: undefined for the first, and null for a text that is no number. */
export function numberedPlace(query: URLSearchParams): bigint | undefined | null {
  const text = query.get('cursor') ?? '';
  if (text === '') return undefined;
  return NUMBER.test(text) ? BigInt(text) : null;
}

type Faults = ReadonlyMap<string, Fault>;

function faultyList<Row, Filters extends Declared>(
  list: List<Row, Filters>,
  { language, query }: MemberVisit,
  faults: Faults,
): Answer {
  const form = <ListFilters list={list} query={query} faults={faults} />;
  return page(list.words(language).title, form, 422);
}

/** A field that is empty or left out filters nothing. */
function readQuery<Row, Filters extends Declared>(
  { filters: declared }: Pick<List<Row, Filters>, 'filters'>,
  { account: { user_id }, session: { environment }, query }: MemberVisit,
): Omit<ListQuery<Filters>, 'limit'> | { readonly faults: Faults } {
  const faults = new Map<string, Fault>();
  const filters: Record<string, string | undefined> = {};
  for (const [name, { param = name, read, fault }] of Object.entries(declared)) {
    const given = (query.get(param) ?? '').trim();
    filters[name] = given === '' ? undefined : read(given);
    if (given !== '' && filters[name] === undefined) faults.set(param, fault);
  }
  if (faults.size > 0) return { faults };
  const before = parseInstant(query.get('cursor') ?? '');
  return { user_id, environment, before, filters: filters as ListQuery<Filters>['filters'] };
}

function ListFilters<Row, Filters extends Declared>({
  list: { path, filters },
  query,
  faults,
}: {
  readonly list: Pick<List<Row, Filters>, 'path' | 'filters'>;
  readonly query: URLSearchParams;
  readonly faults: Faults;
}) {
  const { language } = useFrame();
  const words = LIST_WORDS[language];
  const declared = Object.entries(filters);
  if (declared.length === 0) return null;
  return (
    <Filters action={path}>
      {declared.map(([name, { param = name, label, choices, type, longest }]) => {
        const fault = faults.get(param);
        const control = {
          name: param,
          label: words[label],
          value: query.get(param) ?? '',
          fault: fault && words[fault],
        };
        if (!choices) return <Field {...control} type={type ?? 'text'} maxLength={longest!} />;
        const names = choices.names[language];
        const options = choices.values.map((value) => ({ value, label: names[value]! }));
        return <Select {...control} options={[{ value: '', label: words.all }, ...options]} />;
      })}
      <div class="actions">
        <Button look="plain">{words.filter}</Button>
        <Link to={path}>{words.clear}</Link>
      </div>
    </Filters>
  );
}

/** A table of rows, as the columns say. */
export function Rows<Row>({
  caption,
  columns,
  rows,
}: {
  readonly caption: string;
  readonly columns: readonly ListColumn<Row>[];
  readonly rows: readonly Row[];
}) {
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row)));
  return <Table caption={caption} columns={columns} rows={cells} />;
}

/** The filters of a list, without its place. */
function textOf(query: URLSearchParams): string {
  const kept = [...query].filter(
    ([name, value]) => !['cursor', 'lang'].includes(name) && value !== '',
  );
  return new URLSearchParams(kept).toString();
}

/** All that match, for Excel and for programs. */
export function Files({
  path,
  query = new URLSearchParams(),
}: {
  readonly path: string;
  readonly query?: URLSearchParams;
}) {
  const { language, session } = useFrame();
  const { role } = session!.account!;
  if (!mayDo(role, 'export', session!.environment)) return null;
  const words = LIST_WORDS[language];
  const text = textOf(query);
  return (
    <>
      <p>
        <Download to={text === '' ? path : `${path}?${text}`}>{words.export_spreadsheet}</Download>
      </p>
      <Technical>
        <Download to={`${path}?${text}${text && '&'}form=plain`}>{words.export_plain}</Download>
      </Technical>
    </>
  );
}

async function writeFile<Row, Filters extends Declared>(
  list: List<Row, Filters>,
  { name, write }: ListFile<Filters>,
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { account, session, language, query } = visit;
  const asked = readQuery(list, visit);
  if ('faults' in asked) return faultyList(list, visit, asked.faults);
  const reader = query.get('form') === 'plain' ? undefined : language;
  return download(dependencies, visit, {
    name: `${name}-${account.username}-${session.environment}.csv`,
    write: (onError) => write(dependencies, asked, { language: reader, onError }),
  });
}
