// Payouts to phones are typed, a row for each person, pasted as lines, or begun with those of an earlier batch. Pasted
// lines become rows, where what is wrong stands beside it. What is right becomes a batch that waits to be confirmed.

import type { InputHTMLAttributes } from 'preact';
import {
  findPayoutBatch,
  listNextPayoutItems,
  listPayoutBatches,
  type PayoutBatchRow,
} from '../../db/payout-batches/payout-batches';
import { isOnAnyNumber } from '../../domain/payout';
import { formatPhone } from '../../domain/phone';
import { orderPayoutBatch } from '../../use-cases/payout-batches/order';
import {
  MOST_ROWS,
  readTypedRow,
  splitLines,
  type TypedRow,
} from '../../use-cases/payout-batches/rows';
import { listOperators } from '../../use-cases/payouts/destination';
import { shownRefusal, type Wrong } from '../batches/parts';
import { WORDS as BATCH_WORDS } from '../batches/words';
import {
  draftForm,
  draftPage,
  ownerOf,
  page,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { draftOrder, idOf } from '../drafts';
import { Button, Field, Form } from '../forms';
import { useFrame } from '../frame';
import { Link, Notice, Time } from '../parts';
import { operatorOptions } from '../payouts/operator';
import { WORDS as PAYOUT_WORDS } from '../payouts/words';
import { faultText, phonesHint, Ways } from './upload';
import { WORDS } from './words';

/** So many empty rows are there at first, and come with each press for more. */
const EMPTY_ROWS = 5;
const EMPTY: TypedRow = { name: '', phone: '', amount: '', operator: '' };
/** Texts that are longer are no rows. */
const LONGEST = { name: 140, phone: 32, amount: 40 } as const;

interface Typed {
  readonly rows: readonly TypedRow[];
  readonly description: string;
}

interface Shown extends Typed, Pick<Wrong, 'fault' | 'status'> {
  /** Faults by the row's place. */
  readonly faults?: ReadonlyMap<number, string>;
  readonly empty?: number;
  /** The earlier batch has others as well. */
  readonly lacks?: boolean;
}

/** The rows of a form, with the lines that were pasted, or those that were typed before signing in again. */
function typedIn(fields: URLSearchParams): Typed {
  const [name, phone, amount, operator] = ['name', 'phone', 'amount', 'operator'].map((one) =>
    fields.getAll(one).map((text) => text.trim()),
  );
  const rows = name!.map((one, i) => ({
    name: one,
    phone: phone![i] ?? '',
    amount: amount![i] ?? '',
    operator: operator![i] ?? '',
  }));
  const filled = rows.filter((row) => row.name + row.phone + row.amount !== '');
  return {
    rows: [...filled, ...splitLines(fields.get('lines') ?? '')],
    description: fields.get('description')?.trim() ?? '',
  };
}

/** The people of an earlier batch, with what they got. */
async function readAgain(
  { db }: DashboardDependencies,
  visit: MemberVisit,
  id: string,
): Promise<(Typed & { readonly lacks: boolean }) | undefined> {
  const batch = await findPayoutBatch(db, ownerOf(visit), id);
  if (!batch || !isRepeatable(batch)) return undefined;
  const items = await listNextPayoutItems(db, { id, next_index: 0 }, MOST_ROWS);
  const rows = items.flatMap(({ phone, currency, name, amount_minor, operator }) =>
    phone !== null && currency === 'XOF'
      ? {
          name: name ?? '',
          phone: formatPhone(phone, visit.account.country),
          amount: String(amount_minor / 100n),
          operator: operator ?? '',
        }
      : [],
  );
  const description = items[0]?.description ?? '';
  return { rows, description, lacks: rows.length < items.length };
}

/** Whether its people fit into rows. */
export const isRepeatable = ({ total }: PayoutBatchRow): boolean => total <= MOST_ROWS;

export const TYPED_ROUTES = [
  draftPage('payout_batch', '/payout-batches/new', 'money', async (dependencies, visit) => {
    const { query } = visit;
    const again = await readAgain(dependencies, visit, query.get('again') ?? '');
    return typedPage(dependencies, visit, query.has('name') ? typedIn(query) : again);
  }),
  draftForm(
    'payout_batch',
    '/payout-batches/typed',
    'money',
    'payout_batches.check',
    async (dependencies, visit) => {
      const { account, form, language } = visit;
      const words = WORDS[language];
      const typed = typedIn(form);
      const show = (wrong: Omit<Shown, keyof Typed>): Promise<Answer> =>
        typedPage(dependencies, visit, { ...typed, ...wrong });
      if (account.is_frozen) return show({ status: 403 });
      if (form.has('more')) return show({ empty: EMPTY_ROWS });
      if (typed.rows.length === 0) return show({ fault: words.no_rows });
      if (typed.rows.length > MOST_ROWS) return show({ fault: words.too_many_rows(MOST_ROWS) });
      const operators = await operatorsOf(dependencies, visit);
      const { description } = typed;
      const of = { country: account.country, operators, language };
      const read = typed.rows.map((row) => readTypedRow({ ...row, description }, of));
      const items = read.flatMap((one) => (one.ok ? one.item : []));
      if (items.length < read.length) {
        const faults = read.map((one) => (one.ok ? undefined : faultText(language, one)));
        return show({ faults: new Map(faults.flatMap((text, i) => (text ? [[i, text]] : []))) });
      }
      const order = { ...draftOrder(visit), items, confirm: false, dry_run: false };
      try {
        const id = idOf(await orderPayoutBatch(dependencies, order));
        return seeOther(`/payout-batches/${id}`, { subject: `payout_batch/${id}` });
      } catch (error) {
        return show(shownRefusal(language, error));
      }
    },
  ),
];

async function operatorsOf(
  dependencies: DashboardDependencies,
  { session }: MemberVisit,
): Promise<readonly string[]> {
  const all = await listOperators(dependencies, session.environment);
  return all === 'not_configured' ? [] : all;
}

async function typedPage(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
  shown: Shown = { rows: [], description: '' },
): Promise<Answer> {
  const { language, account } = visit;
  const words = WORDS[language];
  const {
    rows,
    description,
    fault,
    faults,
    lacks,
    empty = rows.length === 0 ? EMPTY_ROWS : 0,
  } = shown;
  const isWrong = fault !== undefined || faults !== undefined;
  const status = shown.status ?? (isWrong ? 422 : 200);
  if (account.is_frozen) {
    const { frozen } = BATCH_WORDS[language];
    return page(words.new_batch, <Notice tone="bad">{frozen}</Notice>, status);
  }
  const operators = await operatorsOf(dependencies, visit);
  const before = { ...ownerOf(visit), filters: {}, before: undefined, limit: 1 };
  const [latest] = await listPayoutBatches(dependencies.db, before);
  const asks = operators.some((one) => isOnAnyNumber(one, account.country));
  const choices = [
    { value: '', label: asks ? words.choose : PAYOUT_WORDS[language].by_number },
    ...operatorOptions(language, operators, account.country),
  ];
  // The first row at fault, or the first of those that were asked for.
  const [next = empty > 0 && rows.length > 0 ? rows.length : undefined] = faults?.keys() ?? [];
  const all = [...rows, ...Array<TypedRow>(empty).fill(EMPTY)];
  return page(
    words.new_batch,
    <>
      {operators.length === 0 && (
        <Notice tone="bad">{PAYOUT_WORDS[language].not_configured}</Notice>
      )}
      {fault && <Notice tone="bad">{fault}</Notice>}
      {faults && <Notice tone="bad">{words.wrong_rows(faults.size)}</Notice>}
      {lacks && <Notice tone="warn">{words.no_banks}</Notice>}
      <Ways isFile={false} />
      <p class="lead">
        {words.typed_lead} {phonesHint(language, account.country)}
      </p>
      {latest && rows.length === 0 && isRepeatable(latest) && (
        <p class="actions">
          <Link to={`/payout-batches/new?again=${latest.id}`} class="button plain">
            {words.again} <Time at={latest.created_at} />
          </Link>
        </p>
      )}
      <Form action="/payout-batches/typed" noValidate>
        {all.map((row, i) => (
          <Row {...{ row, choices, at: i, fault: faults?.get(i) }} isNext={i === next} />
        ))}
        <p>
          <Button look="plain" name="more" value="1">
            {words.more_rows}
          </Button>
        </p>
        <details>
          <summary>{words.paste}</summary>
          <div class="field">
            <label for="lines">{words.lines}</label>
            <p class="hint" id="lines-hint">
              {words.lines_hint}
            </p>
            <textarea id="lines" name="lines" rows={6} aria-describedby="lines-hint" />
          </div>
        </details>
        <Field
          name="description"
          label={words.reason_of_all}
          value={description}
          maxLength={LONGEST.name}
          autocomplete="off"
        />
        <Button>{words.go_on}</Button>
      </Form>
      <p class="actions">
        <Link to="/payout-batches">{words.all_batches}</Link>
      </p>
    </>,
    status,
  );
}

function Row({
  row,
  choices,
  at,
  fault,
  isNext,
}: {
  readonly row: TypedRow;
  readonly choices: ReturnType<typeof operatorOptions>;
  readonly at: number;
  readonly fault: string | undefined;
  readonly isNext: boolean;
}) {
  const words = WORDS[useFrame().language];
  const described = fault === undefined ? {} : { 'aria-describedby': `fault-${at}` };
  const input = (
    name: 'name' | 'phone' | 'amount',
    more: InputHTMLAttributes<HTMLInputElement>,
  ) => (
    <div class="field">
      <label for={`${name}-${at}`}>{words[name]}</label>
      <input
        id={`${name}-${at}`}
        value={row[name]}
        maxLength={LONGEST[name]}
        autocomplete="off"
        {...{ name, ...described, ...more }}
      />
    </div>
  );
  return (
    <fieldset class="person">
      <legend>{words.person_at(at + 1)}</legend>
      {input('name', { autofocus: isNext })}
      {input('phone', { type: 'tel' })}
      {input('amount', { inputMode: 'numeric' })}
      <div class="field">
        <label for={`operator-${at}`}>{words.operator}</label>
        <select id={`operator-${at}`} name="operator" {...described}>
          {choices.map(({ value, label }) => (
            <option value={value} selected={value === row.operator}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {fault && (
        <p class="fault" id={`fault-${at}`}>
          {fault}
        </p>
      )}
    </fieldset>
  );
}
