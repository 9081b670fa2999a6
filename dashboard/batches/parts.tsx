// What the pages of batches of transfers and of payouts share: the list, the form for a file, and what is wrong with it.

import { randomUUID } from 'node:crypto';
import type { ComponentChildren, JSX } from 'preact';
import type { Environment } from '../../domain/environment';
import { parseInstant } from '../../domain/instant';
import { formatCount } from '../../domain/language';
import { page, type Answer, type MemberVisit } from '../context';
import { Button, Field, Form } from '../forms';
import { useFrame } from '../frame';
import { Link, Notice, Pager, Snippet, Table, Time } from '../parts';
import { WORDS } from './words';

/** Rows of a list, and of the items of a batch. */
export const PAGE = 25;

/** The index after which a page of items begins. */
export function readPlace(index: string | null): number {
  return index !== null && /^\d{1,4}$/.test(index) ? Number(index) : -1;
}

/** What both kinds of batches have a word of their own for. */
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

export interface BatchList<Row> {
  readonly list: (query: {
    readonly user_id: string;
    readonly environment: Environment;
    readonly before: string | undefined;
    readonly limit: number;
  }) => Promise<readonly Row[]>;
  readonly state: (batch: Row) => JSX.Element;
}

export async function listPage<Row extends ListedBatch>(
  { account, session, language, query }: MemberVisit,
  { path, words, links }: BatchKind,
  { list, state }: BatchList<Row>,
): Promise<Answer> {
  const cursor = query.get('cursor');
  const found = await list({
    user_id: account.user_id,
    environment: session.environment,
    before: cursor === null ? undefined : parseInstant(cursor),
    limit: PAGE + 1,
  });
  const rows = found.slice(0, PAGE);
  const next_cursor = found.length > PAGE ? rows.at(-1)!.created_at : null;
  return page(
    words.batches,
    <>
      <p class="actions">
        <Link to={`${path}/new`}>{words.new_batch}</Link>
        {links}
      </p>
      <Table
        caption={words.batches}
        columns={[
          WORDS[language].created,
          { label: words.total, as: 'number' },
          { label: words.succeeded, as: 'number' },
          { label: words.failed, as: 'number' },
          words.status,
        ]}
        rows={rows.map((batch) => [
          <Link to={`${path}/${batch.id}`}>
            <Time at={batch.created_at} />
          </Link>,
          formatCount(language, batch.total),
          formatCount(language, batch.completed),
          formatCount(language, batch.failed),
          state(batch),
        ])}
      />
      <Pager path={path} query={query} next_cursor={next_cursor} />
    </>,
  );
}

export interface Wrong<Line> {
  /** What is wrong with the file as a whole. */
  readonly fault?: string;
  readonly faults?: readonly Line[];
  readonly has_more_faults?: boolean;
}

interface WrongLine {
  readonly line: number;
  readonly recipient: string;
  readonly amount: string;
  readonly currency: string;
  /** What is wrong with it, in words. */
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
        <input type="hidden" name="key" value={randomUUID()} />
        <Field
          name="file"
          type="file"
          accept=".csv,text/csv"
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
