// A CSV file is uploaded and checked. What is right becomes a dry run, whose page shows what each
// transfer would come to; nothing is sent before its button is pressed.

import { MAX_STEP_ITEMS } from '../../domain/batch-limits';
import { csvHeader, csvLine, SPREADSHEET_CSV } from '../../domain/csv';
import { labelled } from '../../domain/language';
import { BATCH_MODES } from '../../domain/transfer-batch';
import {
  readBatchFile,
  type FileLine,
  type LineFault,
} from '../../use-cases/transfer-batches/file';
import {
  seeOther,
  type Answer,
  type DashboardDependencies,
  type DraftVisit,
  type MemberVisit,
} from '../context';
import { Select } from '../forms';
import { Link, Notice } from '../parts';
import { troublePage } from '../trouble';
import { orderAs } from './order';
import { uploadPage, type Wrong } from './parts';
import { WORDS } from './words';

const EXAMPLE = 'to_username,currency,amount\nawa,XOF,5000\nmoussa,EUR,12.50';

export function showUpload(_dependencies: DashboardDependencies, visit: MemberVisit): Answer {
  return fileForm(visit, {}, 200);
}

function fileForm(
  visit: MemberVisit,
  { faults = [], ...wrong }: Wrong<FileLine & LineFault>,
  status: number,
): Answer {
  const { language, session, form } = visit;
  const words = WORDS[language];
  const lines = faults.map((one) => ({
    ...one,
    recipient: one.to_username,
    text: words.faults[one.fault],
  }));
  return uploadPage(visit, {
    kind: { path: '/batches', words, links: <Link to="/transfers/new">{words.single}</Link> },
    wrong: { ...wrong, faults: lines },
    example: EXAMPLE,
    status,
    note: session.environment === 'sandbox' && <Notice>{words.simulated}</Notice>,
    fields: (
      <Select
        name="mode"
        label={words.mode}
        value={form.get('mode') ?? 'independent'}
        options={BATCH_MODES.map((value) => ({ value, label: words.modes[value] }))}
      />
    ),
  });
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
  visit: DraftVisit,
): Promise<Answer> {
  const { account, language, form, file, draft } = visit;
  const words = WORDS[language];
  const mode = BATCH_MODES.find((one) => one === form.get('mode'));
  if (mode === undefined) return troublePage(language, { kind: 'form' });
  if (account.is_frozen) return fileForm(visit, {}, 403);
  if (!file || file.length === 0) return fileForm(visit, { fault: words.no_file }, 422);
  const read = await readBatchFile(file, account.username, dependencies.config.max_transfer);
  if (!read.ok) {
    const wrong = words.file_faults[read.fault];
    const { line } = read;
    const fault = line === undefined ? wrong : labelled(language, words.in_line(line), wrong);
    return fileForm(visit, { fault }, 422);
  }
  if (read.faults.length > 0) return fileForm(visit, read, 422);
  const order = { items: read.items, mode, dry_run: true, key: draft.key };
  if (mode === 'atomic' && read.items.length > MAX_STEP_ITEMS) {
    return fileForm(visit, { fault: words.atomic_limit(MAX_STEP_ITEMS) }, 422);
  }
  const ordered = await orderAs(dependencies, visit, order);
  if ('id' in ordered) {
    return seeOther(`/batches/${ordered.id}`, { subject: `transfer_batch/${ordered.id}` });
  }
  if (ordered.fault === 'limit') return fileForm(visit, { fault: words.limit }, 409);
  const fault = words.unknown_limit(ordered.minutes, ordered.names);
  return fileForm(visit, { fault }, 429);
}
