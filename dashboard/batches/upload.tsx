// A CSV file is uploaded and checked. What is right becomes a dry run, whose page shows what each
// transfer would come to; nothing is sent before its button is pressed.

import { randomUUID } from 'node:crypto';
import { MAX_STEP_ITEMS } from '../../domain/batch-limits';
import { csvHeader, csvLine, SPREADSHEET_CSV } from '../../domain/csv';
import { isUuid } from '../../domain/ids';
import { labelled } from '../../domain/language';
import { BATCH_MODES } from '../../domain/transfer-batch';
import {
  readBatchFile,
  type FileLine,
  type LineFault,
} from '../../use-cases/transfer-batches/file';
import {
  page,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { Button, Field, Form, Select } from '../forms';
import { Link, Notice, Snippet, Table } from '../parts';
import { troublePage } from '../trouble';
import { orderAs } from './order';
import { WORDS } from './words';

const EXAMPLE = 'to_username,currency,amount\nawa,XOF,5000\nmoussa,EUR,12.50';

export function showUpload(_dependencies: DashboardDependencies, visit: MemberVisit): Answer {
  return uploadPage(visit, {}, 200);
}

interface Wrong {
  /** What is wrong with the file as a whole. */
  readonly fault?: string;
  readonly faults?: readonly (FileLine & LineFault)[];
  readonly has_more_faults?: boolean;
}

function uploadPage(
  { account, language, session, form }: MemberVisit,
  { fault, faults = [], has_more_faults = false }: Wrong,
  status: number,
): Answer {
  const words = WORDS[language];
  if (account.is_frozen) {
    const refused = status === 200 ? 200 : 403;
    return page(words.new_batch, <Notice tone="bad">{words.frozen}</Notice>, refused);
  }
  return page(
    words.new_batch,
    <>
      {faults.length > 0 && (
        <>
          <Notice tone="bad">{words.wrong_lines(faults.length, has_more_faults)}</Notice>
          <Table
            caption={words.fault}
            columns={[words.line, words.recipient, words.amount, words.currency, words.fault]}
            rows={faults.map((one) => [
              String(one.line),
              <bdi>{one.to_username}</bdi>,
              <bdi>{one.amount}</bdi>,
              <bdi>{one.currency}</bdi>,
              words.faults[one.fault],
            ])}
          />
        </>
      )}
      <p class="lead">{words.lead}</p>
      {session.environment === 'sandbox' && <Notice>{words.simulated}</Notice>}
      <Form action="/batches" enctype="multipart/form-data">
        <input type="hidden" name="key" value={randomUUID()} />
        <Field
          name="file"
          type="file"
          accept=".csv,text/csv"
          label={words.file}
          hint={words.columns}
          required
          fault={fault}
        />
        <Select
          name="mode"
          label={words.mode}
          value={form.get('mode') ?? 'independent'}
          options={BATCH_MODES.map((value) => ({ value, label: words.modes[value] }))}
        />
        <Button>{words.check}</Button>
      </Form>
      <h2>{words.example}</h2>
      <Snippet text={EXAMPLE} label={words.example} />
      <p>
        <Link to="/batches/model.csv">{words.model}</Link>
      </p>
      <p class="actions">
        <Link to="/batches">{words.all_batches}</Link>
        <Link to="/transfers/new">{words.single}</Link>
      </p>
    </>,
    status,
  );
}

const MODEL = {
  en: ['to_username', 'currency', 'amount', 'description'],
  fr: ['bénéficiaire', 'devise', 'montant', 'motif'],
} as const;

/** A file to fill in, as the reader's spreadsheet opens it. */
export function downloadModel(_: DashboardDependencies, { language }: MemberVisit): Answer {
  const form = SPREADSHEET_CSV[language];
  const body =
    csvHeader(MODEL[language], form) +
    csvLine(['awa', 'XOF', 500_000n, WORDS[language].model_reason], form) +
    csvLine(['moussa', 'EUR', 1_250n, null], form);
  const { model_file: name } = WORDS[language];
  return { kind: 'file', type: 'text/csv; charset=utf-8', name, body };
}

export async function checkFile(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { account, language, form, file } = visit;
  const words = WORDS[language];
  const key = form.get('key') ?? '';
  const mode = BATCH_MODES.find((one) => one === form.get('mode'));
  if (!isUuid(key) || mode === undefined) return troublePage(language, { kind: 'form' });
  if (account.is_frozen) return uploadPage(visit, {}, 403);
  if (!file || file.length === 0) return uploadPage(visit, { fault: words.no_file }, 422);
  const read = await readBatchFile(file, account.username, dependencies.config.max_transfer);
  if (!read.ok) {
    const wrong = words.file_faults[read.fault];
    const { line } = read;
    const fault = line === undefined ? wrong : labelled(language, words.in_line(line), wrong);
    return uploadPage(visit, { fault }, 422);
  }
  if (read.faults.length > 0) return uploadPage(visit, read, 422);
  const order = { items: read.items, mode, dry_run: true, idempotency_key: key };
  if (mode === 'atomic' && read.items.length > MAX_STEP_ITEMS) {
    return uploadPage(visit, { fault: words.atomic_limit(MAX_STEP_ITEMS) }, 422);
  }
  const ordered = await orderAs(dependencies, visit, order);
  if ('id' in ordered) {
    return seeOther(`/batches/${ordered.id}`, { subject: `transfer_batch/${ordered.id}` });
  }
  if (ordered.fault === 'limit') return uploadPage(visit, { fault: words.limit }, 409);
  const fault = words.unknown_limit(ordered.minutes, ordered.names);
  return uploadPage(visit, { fault }, 429);
}
