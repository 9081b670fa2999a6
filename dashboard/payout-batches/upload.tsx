// A CSV file is uploaded and checked. What is right becomes a batch that waits to be confirmed: its page shows the names
// that were found, and nothing is reserved or sent before its button is pressed.

import { randomUUID } from 'node:crypto';
import { readBeforeOperation } from '../../db/requests/idempotency';
import { csvHeader, csvLine, SPREADSHEET_CSV } from '../../domain/csv';
import { isUuid } from '../../domain/ids';
import { labelled } from '../../domain/language';
import { Refusal } from '../../domain/refusal';
import { readPayoutFile, type PayoutLine } from '../../use-cases/payout-batches/file';
import { orderPayoutBatch } from '../../use-cases/payout-batches/order';
import { WORDS as BATCH_WORDS } from '../batches/words';
import {
  page,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { Button, Field, Form } from '../forms';
import { Link, Notice, Snippet, Table } from '../parts';
import { troublePage } from '../trouble';
import { WORDS } from './words';

const EXAMPLE =
  'phone,currency,amount,name\n+221 77 123 45 67,XOF,5000,Awa Diop\n+225 07 01 02 03 04,XOF,12500,Moussa Sarr';

export function showUpload(_dependencies: DashboardDependencies, visit: MemberVisit): Answer {
  return uploadPage(visit, {}, 200);
}

interface Wrong {
  /** What is wrong with the file as a whole. */
  readonly fault?: string;
  readonly faults?: readonly (PayoutLine & { readonly line: number })[];
  readonly has_more_faults?: boolean;
}

function uploadPage(
  { account, language }: MemberVisit,
  { fault, faults = [], has_more_faults = false }: Wrong,
  status: number,
): Answer {
  const words = WORDS[language];
  const shared = BATCH_WORDS[language];
  if (account.is_frozen) {
    const refused = status === 200 ? 200 : 403;
    return page(words.new_batch, <Notice tone="bad">{shared.frozen}</Notice>, refused);
  }
  const currency = shared.faults.unknown;
  const line_faults = { ...shared.faults, currency, ...words.line_faults };
  return page(
    words.new_batch,
    <>
      {faults.length > 0 && (
        <>
          <Notice tone="bad">{shared.wrong_lines(faults.length, has_more_faults)}</Notice>
          <Table
            caption={shared.fault}
            columns={[shared.line, words.recipient, shared.amount, shared.currency, shared.fault]}
            rows={faults.map((one) => [
              String(one.line),
              <bdi>{one.recipient}</bdi>,
              <bdi>{one.amount}</bdi>,
              <bdi>{one.currency}</bdi>,
              line_faults[one.fault],
            ])}
          />
        </>
      )}
      <p class="lead">{words.lead}</p>
      <Form action="/payout-batches" enctype="multipart/form-data">
        <input type="hidden" name="key" value={randomUUID()} />
        <Field
          name="file"
          type="file"
          accept=".csv,text/csv"
          label={shared.file}
          hint={words.columns}
          required
          fault={fault}
        />
        <Button>{words.check}</Button>
      </Form>
      <h2>{shared.example}</h2>
      <Snippet text={EXAMPLE} label={shared.example} />
      <p>
        <Link to="/payout-batches/model.csv">{shared.model}</Link>
      </p>
      <p class="actions">
        <Link to="/payout-batches">{words.all_batches}</Link>
      </p>
    </>,
    status,
  );
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
  visit: MemberVisit,
): Promise<Answer> {
  const { account, language, form, file, session, ctx } = visit;
  const shared = BATCH_WORDS[language];
  const key = form.get('key') ?? '';
  if (!isUuid(key)) return troublePage(language, { kind: 'form' });
  if (account.is_frozen) return uploadPage(visit, {}, 403);
  if (!file || file.length === 0) return uploadPage(visit, { fault: shared.no_file }, 422);
  const read = await readPayoutFile(file, account.username);
  if (!read.ok) {
    const wrong = read.fault === 'header' ? WORDS[language].header : shared.file_faults[read.fault];
    const { line } = read;
    const fault = line === undefined ? wrong : labelled(language, shared.in_line(line), wrong);
    return uploadPage(visit, { fault }, 422);
  }
  if (read.faults.length > 0) return uploadPage(visit, read, 422);
  const { user_id } = account;
  const { environment, login_id } = session;
  const scope = { user_id, environment, operation: 'payout_batch', key } as const;
  try {
    const { now, stored } = await readBeforeOperation(dependencies.db, scope);
    const { body } = await orderPayoutBatch(dependencies, {
      caller: { user_id, environment, now, stored },
      by: { ordered_by: login_id },
      items: read.items,
      confirm: true,
      dry_run: false,
      key,
      request_id: ctx.state.request_id,
    });
    const { id } = JSON.parse(body) as { readonly id: string };
    return seeOther(`/payout-batches/${id}`, { subject: `payout_batch/${id}` });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'batch_limit') return uploadPage(visit, { fault: shared.limit }, 409);
    const { not_configured: fault, refusals } = WORDS[language];
    if (error.code === 'payouts_not_configured') return uploadPage(visit, { fault }, 503);
    if (error.code !== 'kyc_required') throw error;
    return uploadPage(visit, { fault: refusals.kyc_required }, 403);
  }
}
