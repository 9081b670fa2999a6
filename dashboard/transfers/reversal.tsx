// Giving a received transfer back: the same path as POST /transfers/{reference}/reversals. The form carries the
// idempotency key, so that a second click and a reload give it back once.

import { randomUUID } from 'node:crypto';
import type { JSX } from 'preact';
import { ApiError } from '../../api/api-error';
import { reverseTransfer } from '../../api/transfers/reverse';
import { isDatabaseUnavailable } from '../../db/errors';
import { readBeforeOperation } from '../../db/idempotency';
import type { ReversalRow } from '../../db/reversals';
import { findTransfer } from '../../db/transfers';
import { isUuid, TRANSFER_REFERENCE_PATTERN } from '../../domain/ids';
import { formatAmount, type Minor } from '../../domain/money';
import type { TransferView } from '../../domain/transfer';
import { formatMoney } from '../../pages/formats';
import {
  page,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { Filters } from '../forms';
import { useFrame } from '../frame';
import {
  GiveBackControls,
  GiveBackForm,
  isGiveBack,
  readGiveBack,
  readGiveBackFields,
  type GiveBack,
  type GiveBackFaults,
  type GiveBackFields,
} from '../give-back';
import { Details, Link, Money, Notice, Table, Time } from '../parts';
import { troublePage } from '../trouble';
import { REVERSAL_WORDS } from './reversal-words';

const REFERENCE = new RegExp(TRANSFER_REFERENCE_PATTERN);

/** One of the account's own. */
export function findNamed(
  { db }: Pick<DashboardDependencies, 'db'>,
  { account, session, params }: MemberVisit,
): Promise<TransferView | undefined> {
  const reference = params['reference'] ?? '';
  if (!REFERENCE.test(reference)) return Promise.resolve(undefined);
  return findTransfer(db, account.user_id, session.environment, reference);
}

/** What this account can still give back; 0 for its sender. */
export function leftOf({ direction, amount_minor, reversed_minor }: TransferView): Minor {
  return (direction === 'in' ? amount_minor - reversed_minor : 0n) as Minor;
}

/** Of a transfer's page; nothing while there are none. */
export function Reversals({ rows }: { readonly rows: readonly ReversalRow[] }): JSX.Element | null {
  const words = REVERSAL_WORDS[useFrame().language];
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>{words.reversals}</h2>
      <Table
        caption={words.caption}
        columns={[words.at, words.amount, words.reason, words.reference]}
        rows={rows.map((row) => [
          <Time at={row.created_at} />,
          <Money minor={row.amount_minor} currency={row.currency} />,
          <bdi>{row.reason ?? '—'}</bdi>,
          <code>{row.reference}</code>,
        ])}
      />
    </section>
  );
}

function actionOf({ reference }: TransferView): string {
  return `/transfers/${reference}/reversal`;
}

function readOrder(
  { language }: MemberVisit,
  { currency }: TransferView,
  left: Minor,
  fields: GiveBackFields,
): GiveBack | GiveBackFaults {
  const { fault_reason } = REVERSAL_WORDS[language];
  return readGiveBack(language, fields, { currency, left, fault_reason });
}

/** The form, and with an amount in the query its confirmation. */
export async function showReversal(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const row = await findNamed(dependencies, visit);
  if (!row) return troublePage(visit.language, { kind: 'unknown' });
  const fields = readGiveBackFields(visit.query);
  if (fields.amount === '') {
    return formPage(visit, row, { ...fields, amount: formatAmount(leftOf(row)) });
  }
  if (visit.query.has('change')) return formPage(visit, row, fields);
  const refusal = refusalOf(visit, row);
  const order = refusal ? undefined : readOrder(visit, row, leftOf(row), fields);
  if (order && isGiveBack(order)) return confirmPage(visit, row, order);
  return formPage(visit, row, fields, { faults: order ?? {}, status: refusal ? 200 : 422 });
}

function refusalOf({ account, language }: MemberVisit, row: TransferView): string | undefined {
  const words = REVERSAL_WORDS[language];
  if (account.is_frozen) return words.frozen;
  if (row.direction !== 'in') return words.not_recipient;
  return leftOf(row) === 0n ? words.nothing_left : undefined;
}

interface FormState {
  readonly faults?: GiveBackFaults;
  readonly notice?: string;
  readonly status?: number;
}

function formPage(
  visit: MemberVisit,
  row: TransferView,
  fields: GiveBackFields,
  { faults = {}, notice, status = 200 }: FormState = {},
): Answer {
  const words = REVERSAL_WORDS[visit.language];
  const refusal = refusalOf(visit, row);
  const said = refusal ?? notice;
  const money = (minor: bigint) => <Money minor={minor} currency={row.currency} />;
  return page(
    words.title,
    <>
      {said && <Notice tone="bad">{said}</Notice>}
      <p class="lead">{words.lead}</p>
      <Details
        rows={[
          { term: words.sender, value: <bdi>{row.from_username}</bdi> },
          { term: words.received, value: money(row.amount_minor) },
          { term: words.reversed, value: money(row.reversed_minor) },
          { term: words.left, value: money(leftOf(row)) },
        ]}
      />
      {!refusal && (
        <Filters action={actionOf(row)}>
          <GiveBackControls currency={row.currency} fields={fields} faults={faults} words={words} />
        </Filters>
      )}
      <Back row={row} />
    </>,
    status,
  );
}

function Back({ row }: { readonly row: TransferView }): JSX.Element {
  const words = REVERSAL_WORDS[useFrame().language];
  return (
    <p>
      <Link to={`/transfers/${row.reference}`}>{words.back}</Link>
    </p>
  );
}

function confirmPage({ language }: MemberVisit, row: TransferView, order: GiveBack): Answer {
  const words = REVERSAL_WORDS[language];
  const change = new URLSearchParams({
    amount: order.amount_text,
    reason: order.reason ?? '',
    change: '',
  });
  return page(
    words.confirm_title,
    <>
      <p class="lead">{words.lead}</p>
      <Details
        rows={[
          { term: words.sender, value: <bdi>{row.from_username}</bdi> },
          { term: words.amount, value: <Money minor={order.amount} currency={row.currency} /> },
          { term: words.reason, value: <bdi>{order.reason ?? '—'}</bdi> },
        ]}
      />
      <GiveBackForm
        action={actionOf(row)}
        order={order}
        idempotency_key={randomUUID()}
        label={words.reverse_now(formatMoney(language, order.amount, row.currency))}
      />
      <p class="hint">{words.once}</p>
      <p>
        <Link to={`${actionOf(row)}?${change}`}>{words.change}</Link>
      </p>
      <Back row={row} />
    </>,
  );
}

export async function reverse(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { account, session, language, form, ctx } = visit;
  const row = await findNamed(dependencies, visit);
  if (!row) return troublePage(language, { kind: 'unknown' });
  const key = form.get('key') ?? '';
  if (!isUuid(key)) return troublePage(language, { kind: 'form' });
  const fields = readGiveBackFields(form);
  const { user_id, username } = account;
  const { environment } = session;
  // What is left may be less by now, because this very form has been sent before: the database decides.
  const order = readOrder(visit, row, row.amount_minor as Minor, fields);
  if (!isGiveBack(order)) return formPage(visit, row, fields, { faults: order, status: 422 });
  try {
    const scope = { user_id, environment, operation: 'reversal', key } as const;
    const before = await readBeforeOperation(dependencies.db, scope);
    const { status } = await reverseTransfer(dependencies, {
      caller: { user_id, username, environment, ...before },
      transfer: row,
      amount_text: order.amount_text,
      reason: order.reason,
      key,
      has_own_key: true,
      request_id: ctx.state.request_id,
    });
    const words = REVERSAL_WORDS[language];
    if (status === 201) {
      const notice = row.simulated ? words.done_simulated : words.done;
      return seeOther(`/transfers/${row.reference}`, {
        flash: { notice },
        subject: row.reference,
      });
    }
    return formPage(visit, row, fields, { notice: words.insufficient, status: 422 });
  } catch (error) {
    return afterError(dependencies, visit, { row, fields, order, key }, error);
  }
}

interface SentForm {
  readonly row: TransferView;
  readonly fields: GiveBackFields;
  readonly order: GiveBack;
  readonly key: string;
}

/** What is not stored. Whatever is not known for certain is asked again with the same key. */
async function afterError(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
  sent: SentForm,
  error: unknown,
): Promise<Answer> {
  const words = REVERSAL_WORDS[visit.language];
  const code = error instanceof ApiError ? error.code : undefined;
  if (
    code === 'unavailable' ||
    code === 'idempotency_in_progress' ||
    isDatabaseUnavailable(error)
  ) {
    return unknownPage(visit, sent);
  }
  const { fields } = sent;
  // As it is by now.
  const row = (await findNamed(dependencies, visit)) ?? sent.row;
  switch (code) {
    case 'account_frozen':
      return formPage(visit, row, fields, { notice: words.frozen, status: 403 });
    case 'forbidden':
      return formPage(visit, row, fields, { notice: words.not_recipient, status: 403 });
    case 'reversal_exceeds_transfer': {
      const fault = words.too_much(formatMoney(visit.language, leftOf(row), row.currency));
      return formPage(visit, row, fields, { faults: { amount: fault }, status: 422 });
    }
    case 'invalid_request':
      return formPage(visit, row, fields, { faults: { amount: words.sender_full }, status: 422 });
    case 'idempotency_key_reuse':
      return formPage(visit, row, fields, { notice: words.reused, status: 422 });
    default:
      throw error;
  }
}

function unknownPage({ language, ctx }: MemberVisit, { row, order, key }: SentForm): Answer {
  const words = REVERSAL_WORDS[language];
  ctx.set('Retry-After', '1');
  return page(
    words.unknown,
    <>
      <Notice tone="warn">{words.unknown_text}</Notice>
      <GiveBackForm
        action={actionOf(row)}
        order={order}
        idempotency_key={key}
        label={words.ask_again}
      />
      <Back row={row} />
    </>,
    503,
  );
}
