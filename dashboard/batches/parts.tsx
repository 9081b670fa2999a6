// The shared parts of pages of batches of transfers and payouts: the list, the form for a file, and its faults.

import type { ComponentChildren, JSX } from 'preact';
import { MAX_BATCH_BYTES } from '../../domain/batch-limits';
import { currencyAtHome } from '../../domain/currency';
import { csvLine, SPREADSHEET_CSV } from '../../domain/csv';
import { ERRORS, SHOWN_REFUSALS } from '../../domain/errors';
import { formatCount, labelled, type Language } from '../../domain/language';
import { Refusal } from '../../domain/refusal';
import { CURRENCY_LABELS } from '../../pages/formats';
import type { ItemFile } from '../../use-cases/batch-file';
import {
  draftForm,
  draftPage,
  page,
  pageRoute,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type DashboardRoute,
  type DraftVisit,
  type MemberVisit,
} from '../context';
import type { DraftedOperation } from '../drafts';
import { Button, Field, Form } from '../forms';
import { listRoutes, type List, type ListColumn } from '../list-page';
import { Link, Notice, Snippet, Table, Time } from '../parts';
import { WORDS } from './words';

/** Rows of a list, and of the items of a batch. */
export const PAGE = 25;

/** Those that are named as paid more than once: a file of 10,000 may have thousands. */
export const MOST_REPEATED = 10;

/** The index after which a page of items begins. */
export function readPlace(index: string | null): number {
  return index !== null && /^\d{1,4}$/.test(index) ? Number(index) : -1;
}

/** The words that differ between the two kinds of batches. */
type KindWords = Readonly<
  Record<
    | 'batches'
    | 'new_batch'
    | 'lead'
    | 'columns'
    | 'header'
    | 'model_file'
    | 'all_batches'
    | 'recipient'
    | 'total'
    | 'succeeded'
    | 'failed'
    | 'status',
    string
  >
>;

export interface BatchKind {
  readonly path: '/batches' | '/payout-batches';
  readonly words: KindWords;
  /** Links to more than these pages. */
  readonly links?: ComponentChildren;
}

interface ListedBatch {
  readonly id: string;
  readonly created_at: string;
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
}

/** Warns of an order of the past days that had the same. */
export function SameNotice({
  said,
  to,
  at,
}: {
  readonly said: string;
  readonly to: string;
  readonly at: string;
}) {
  return (
    <Notice tone="warn">
      {said}{' '}
      <Link to={to}>
        <Time at={at} exact />
      </Link>
    </Notice>
  );
}

/** The list of batches of a kind. */
export function batchList<Row extends ListedBatch>(
  kindOf: (language: Language) => BatchKind,
  read: List<Row, Record<string, never>>['read'],
  stateOf: (language: Language, batch: Row) => JSX.Element,
): DashboardRoute[] {
  const { path } = kindOf('en');
  return listRoutes({
    path,
    words: (language) => {
      const { batches } = kindOf(language).words;
      return { title: batches, caption: batches };
    },
    filters: {},
    rows: PAGE,
    above: (_dependencies, { language }) => {
      const { words, links } = kindOf(language);
      return (
        <p class="actions">
          <Link to={`${path}/new`}>{words.new_batch}</Link>
          {links}
        </p>
      );
    },
    read,
    columns: (language) => {
      const { words } = kindOf(language);
      const count = (label: string, of: 'total' | 'completed' | 'failed'): ListColumn<Row> => ({
        label,
        as: 'number',
        cell: (batch) => formatCount(language, batch[of]),
      });
      return [
        {
          label: WORDS[language].created,
          cell: ({ id, created_at }) => (
            <Link to={`${path}/${id}`}>
              <Time at={created_at} />
            </Link>
          ),
        },
        count(words.total, 'total'),
        count(words.succeeded, 'completed'),
        count(words.failed, 'failed'),
        { label: words.status, cell: (batch) => stateOf(language, batch) },
      ];
    },
  });
}

interface Line {
  readonly amount: string;
  readonly currency: string;
}

interface WrongLine extends Line {
  readonly line: number;
  readonly recipient: string;
  readonly text: string;
}

/** The file comes back with what is wrong with it as a whole, or with its lines. */
export interface Wrong {
  readonly fault?: string;
  readonly lines?: readonly WrongLine[];
  readonly has_more?: boolean;
  readonly status?: number;
}

interface Upload<Item, Fault extends Line> {
  readonly operation: DraftedOperation;
  readonly action: string;
  /** The form's page. */
  readonly page: `/${string}`;
  readonly kind: (language: Language) => BatchKind;
  /** A file for the reader's spreadsheet, which is the example too: the names of its columns, and its lines. */
  readonly model: Readonly<Record<Language, readonly Parameters<typeof csvLine>[0][]>>;
  /** Content of its own above the form, fields of its own in it, and more about the columns. */
  readonly own?: (visit: MemberVisit) => Readonly<
    Partial<Record<'above' | 'fields', ComponentChildren>>
  > & {
    readonly hint?: string;
  };
  readonly read: (
    dependencies: DashboardDependencies,
    visit: MemberVisit,
    file: Buffer,
  ) => Promise<ItemFile<Item, Fault>>;
  readonly faultOf: (language: Language, line: Fault) => Pick<WrongLine, 'recipient' | 'text'>;
  /** The batch's id. @throws Refusal */
  readonly order: (
    dependencies: DashboardDependencies,
    visit: DraftVisit,
    items: readonly Item[],
  ) => Promise<string | Wrong>;
}

/** The routes of a form for a file, of the file to fill in, and of the check, from which a batch comes. */
export function uploadRoutes<Item, Fault extends Line>(
  upload: Upload<Item, Fault>,
): DashboardRoute[] {
  const { operation, action } = upload;
  const { path } = upload.kind('en');
  return [
    draftPage(operation, upload.page, 'money', (_, visit) => uploadPage(upload, visit)),
    pageRoute(`${path}/model.csv`, 'money', (_, { language }) => {
      const body = SPREADSHEET_CSV[language].start + modelText(upload, language);
      const { model_file: name } = upload.kind(language).words;
      return { kind: 'file', type: 'text/csv; charset=utf-8', name, body };
    }),
    draftForm(
      operation,
      path,
      'money',
      action,
      async (dependencies, visit) => {
        const checked = await checkFile(upload, dependencies, visit);
        if (typeof checked !== 'string') return uploadPage(upload, visit, checked);
        return seeOther(`${path}/${checked}`, { subject: `${operation}/${checked}` });
      },
      { max_file_bytes: MAX_BATCH_BYTES },
    ),
  ];
}

function modelText<Item, Fault extends Line>(
  { model }: Upload<Item, Fault>,
  language: Language,
): string {
  return model[language].map((cells) => csvLine(cells, SPREADSHEET_CSV[language])).join('');
}

async function checkFile<Item, Fault extends Line>(
  { kind, read, faultOf, order }: Upload<Item, Fault>,
  dependencies: DashboardDependencies,
  visit: DraftVisit,
): Promise<string | Wrong> {
  const { account, language, file } = visit;
  const words = WORDS[language];
  if (account.is_frozen) return { status: 403 };
  if (!file || file.length === 0) return { fault: words.no_file };
  const found = await read(dependencies, visit, file);
  if (!found.ok) {
    const wrong = { ...words.file_faults, header: kind(language).words.header }[found.fault];
    const { line } = found;
    return {
      fault: line === undefined ? wrong : labelled(language, words.in_line(line), wrong),
    };
  }
  if (found.faults.length > 0) {
    const lines = found.faults.map((line) => ({ ...line, ...faultOf(language, line) }));
    return { lines, has_more: found.has_more_faults };
  }
  try {
    return await order(dependencies, visit, found.items);
  } catch (error) {
    return shownRefusal(language, error);
  }
}

/** @throws the error that has no words for people */
export function shownRefusal(language: Language, error: unknown) {
  const fault = error instanceof Refusal ? SHOWN_REFUSALS[language][error.code] : undefined;
  if (fault === undefined) throw error;
  return { fault, status: ERRORS[(error as Refusal).code].status };
}

function uploadPage<Item, Fault extends Line>(
  upload: Upload<Item, Fault>,
  visit: MemberVisit,
  wrong?: Wrong,
): Answer {
  const { kind, own } = upload;
  const { account, language } = visit;
  const { path, words, links } = kind(language);
  const shared = WORDS[language];
  const more = own?.(visit);
  const home = currencyAtHome(account.country);
  const { fault, lines = [], has_more = false, status = wrong ? 422 : 200 } = wrong ?? {};
  if (account.is_frozen) {
    return page(words.new_batch, <Notice tone="bad">{shared.frozen}</Notice>, status);
  }
  return page(
    words.new_batch,
    <>
      {lines.length > 0 && (
        <>
          <Notice tone="bad">{shared.wrong_lines(lines.length, has_more)}</Notice>
          <Table
            caption={shared.fault}
            columns={[shared.line, words.recipient, shared.amount, shared.currency, shared.fault]}
            rows={lines.map((one) => [
              String(one.line),
              <bdi>{one.recipient}</bdi>,
              <bdi>{one.amount}</bdi>,
              <bdi>{one.currency}</bdi>,
              one.text,
            ])}
          />
        </>
      )}
      {more?.above}
      <p class="lead">{words.lead}</p>
      <p>
        <Link to={`${path}/model.csv`}>{shared.model}</Link>
      </p>
      <Form action={path} enctype="multipart/form-data">
        <Field
          name="file"
          type="file"
          accept=".csv,.txt,.xlsx,.xls,.ods,text/csv,text/plain"
          label={shared.file}
          hint={[words.columns, more?.hint, home && shared.without_currency(CURRENCY_LABELS[home])]
            .filter(Boolean)
            .join(' ')}
          required
          fault={fault}
        />
        {more?.fields}
        <Button>{shared.check}</Button>
      </Form>
      <h2>{shared.example}</h2>
      <Snippet text={modelText(upload, language).trimEnd()} label={shared.example} />
      <p class="actions">
        <Link to={path}>{words.all_batches}</Link>
        {links}
      </p>
    </>,
    status,
  );
}
