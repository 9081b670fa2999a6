// The shared parts of pages of batches of transfers and payouts: the list, the form for a file, and its faults.

import type { ComponentChildren, JSX } from 'preact';
import { formatCount, type Language } from '../../domain/language';
import { page, type Answer, type DashboardRoute, type MemberVisit } from '../context';
import { Button, Field, Form } from '../forms';
import { useFrame } from '../frame';
import { listRoutes, type List, type ListColumn } from '../list-page';
import { Link, Notice, Snippet, Table, Time } from '../parts';
import { WORDS } from './words';

/** Rows of a list, and of the items of a batch. */
export const PAGE = 25;

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
    | 'check'
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

export interface Wrong<Line> {
  /** The fault of the file as a whole. */
  readonly fault?: string;
  readonly faults?: readonly Line[];
  readonly has_more_faults?: boolean;
}

interface WrongLine {
  readonly line: number;
  readonly recipient: string;
  readonly amount: string;
  readonly currency: string;
  /** The fault in words. */
  readonly text: string;
}

export interface UploadForm {
  readonly kind: BatchKind;
  readonly wrong: Wrong<WrongLine>;
  readonly example: string;
  readonly status: number;
  /** Between the lead and the form. */
  readonly note?: ComponentChildren;
  /** More fields of the form. */
  readonly fields?: ComponentChildren;
}

export function uploadPage(
  { account, language }: MemberVisit,
  { kind: { path, words, links }, wrong, example, status, note, fields }: UploadForm,
): Answer {
  const shared = WORDS[language];
  if (account.is_frozen) {
    const refused = status === 200 ? 200 : 403;
    return page(words.new_batch, <Notice tone="bad">{shared.frozen}</Notice>, refused);
  }
  return page(
    words.new_batch,
    <>
      <WrongLines wrong={wrong} recipient={words.recipient} />
      <p class="lead">{words.lead}</p>
      {note}
      <Form action={path} enctype="multipart/form-data">
        <Field
          name="file"
          type="file"
          accept=".csv,.txt,text/csv,text/plain"
          label={shared.file}
          hint={words.columns}
          required
          fault={wrong.fault}
        />
        {fields}
        <Button>{words.check}</Button>
      </Form>
      <h2>{shared.example}</h2>
      <Snippet text={example} label={shared.example} />
      <p>
        <Link to={`${path}/model.csv`}>{shared.model}</Link>
      </p>
      <p class="actions">
        <Link to={path}>{words.all_batches}</Link>
        {links}
      </p>
    </>,
    status,
  );
}

function WrongLines({
  wrong: { faults = [], has_more_faults = false },
  recipient,
}: {
  readonly wrong: Wrong<WrongLine>;
  readonly recipient: string;
}): JSX.Element | null {
  const words = WORDS[useFrame().language];
  if (faults.length === 0) return null;
  return (
    <>
      <Notice tone="bad">{words.wrong_lines(faults.length, has_more_faults)}</Notice>
      <Table
        caption={words.fault}
        columns={[words.line, recipient, words.amount, words.currency, words.fault]}
        rows={faults.map((one) => [
          String(one.line),
          <bdi>{one.recipient}</bdi>,
          <bdi>{one.amount}</bdi>,
          <bdi>{one.currency}</bdi>,
          one.text,
        ])}
      />
    </>
  );
}
