// A CSV file is uploaded and checked. What is right becomes a batch that waits to be confirmed: its page shows the names
// that were found, and nothing is reserved or sent before its button is pressed.

import { csvHeader, csvLine, SPREADSHEET_CSV } from '../../domain/csv';
import { ERRORS, SHOWN_REFUSALS } from '../../domain/errors';
import { labelled } from '../../domain/language';
import { Refusal } from '../../domain/refusal';
import { phoneFaultText } from '../../pages/phone-faults';
import { readPayoutFile, type PayoutLine } from '../../use-cases/payout-batches/file';
import { orderPayoutBatch } from '../../use-cases/payout-batches/order';
import { uploadPage, type Wrong } from '../batches/parts';
import { WORDS as BATCH_WORDS } from '../batches/words';
import {
  seeOther,
  type Answer,
  type DashboardDependencies,
  type DraftVisit,
  type MemberVisit,
} from '../context';
import { idOf, draftOrder } from '../drafts';
import { WORDS as PAYOUT_WORDS } from '../payouts/words';
import { WORDS } from './words';

const EXAMPLE =
  'phone,currency,amount,name\n+221 77 123 45 67,XOF,5000,Awa Diop\n+225 07 01 02 03 04,XOF,12500,Moussa Sarr';

export function showUpload(_dependencies: DashboardDependencies, visit: MemberVisit): Answer {
  return fileForm(visit, {}, 200);
}

function fileForm(
  visit: MemberVisit,
  { faults = [], ...wrong }: Wrong<PayoutLine & { readonly line: number }>,
  status: number,
): Answer {
  const { language } = visit;
  const words = WORDS[language];
  const shared = BATCH_WORDS[language].faults;
  const texts = { ...shared, currency: shared.unknown, ...words.line_faults };
  const textOf = ({ fault, missing = 0 }: PayoutLine): string =>
    fault === 'phone' || fault === 'as_decimal' || fault === 'length'
      ? phoneFaultText(language, { fault, missing }, PAYOUT_WORDS[language].faults.phone)
      : texts[fault];
  return uploadPage(visit, {
    kind: { path: '/payout-batches', words },
    wrong: { ...wrong, faults: faults.map((one) => ({ ...one, text: textOf(one) })) },
    example: EXAMPLE,
    status,
  });
}

const MODEL = {
  en: ['phone', 'name', 'currency', 'amount', 'description'],
  fr: ['téléphone', 'nom', 'devise', 'montant', 'motif'],
} as const;

/** A file to fill in, as the reader's spreadsheet opens it. */
export function downloadModel(_: DashboardDependencies, { language }: MemberVisit): Answer {
  const form = SPREADSHEET_CSV[language];
  const { model_file: name, model_reason } = WORDS[language];
  const body =
    csvHeader(MODEL[language], form) +
    csvLine(['221771234567', 'Awa Diop', 'XOF', 500_000n, model_reason], form) +
    csvLine(['2250701020304', 'Moussa Sarr', 'XOF', 1_250_000n, null], form);
  return { kind: 'file', type: 'text/csv; charset=utf-8', name, body };
}

export async function checkFile(
  dependencies: DashboardDependencies,
  visit: DraftVisit,
): Promise<Answer> {
  const { account, language, file } = visit;
  const shared = BATCH_WORDS[language];
  if (account.is_frozen) return fileForm(visit, {}, 403);
  if (!file || file.length === 0) return fileForm(visit, { fault: shared.no_file }, 422);
  const read = await readPayoutFile(file, account.username);
  if (!read.ok) {
    const wrong = read.fault === 'header' ? WORDS[language].header : shared.file_faults[read.fault];
    const { line } = read;
    const fault = line === undefined ? wrong : labelled(language, shared.in_line(line), wrong);
    return fileForm(visit, { fault }, 422);
  }
  if (read.faults.length > 0) return fileForm(visit, read, 422);
  const { items } = read;
  try {
    const order = { ...draftOrder(visit), items, confirm: false, dry_run: false };
    const id = idOf(await orderPayoutBatch(dependencies, order));
    return seeOther(`/payout-batches/${id}`, { subject: `payout_batch/${id}` });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const fault = SHOWN_REFUSALS[language][error.code];
    if (fault === undefined) throw error;
    return fileForm(visit, { fault }, ERRORS[error.code].status);
  }
}
