// Giving money back, whole or in parts: refunds of payments and reversals of transfers. A form, its
// confirmation, and the order, which carries the idempotency key, so that a second click and a
// reload give it back once.

import { randomUUID } from 'node:crypto';
import type { JSX } from 'preact';
import { Refusal } from '../domain/refusal';
import { isDatabaseUnavailable } from '../db/errors';
import type { Currency } from '../domain/currency';
import type { ErrorCode } from '../domain/errors';
import { isUuid } from '../domain/ids';
import type { Language } from '../domain/language';
import type { Minor } from '../domain/money';
import { formatMoney } from '../pages/formats';
import { typedAmount } from '../pages/amounts';
import {
  page,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from './context';
import { Question } from './forms';
import {
  GiveBackControls,
  GiveBackForm,
  isGiveBack,
  readGiveBack,
  readGiveBackFields,
  type GiveBack,
  type GiveBackFaults,
  type GiveBackFields,
} from './give-back-form';
import { Details, Link, Notice, type Detail } from './parts';
import { troublePage } from './trouble';

type Word =
  | ('amount' | 'reason' | 'reason_hint' | 'fault_reason' | 'next' | 'change' | 'back')
  | ('title' | 'lead' | 'confirm_title' | 'once' | 'insufficient' | 'reused')
  | ('unknown' | 'unknown_text' | 'ask_again');

export type GiveBackWords = Readonly<Record<Word, string>>;

/** The payment or transfer that is given back. */
export interface Given {
  readonly currency: Currency;
  readonly whole: Minor;
  readonly left: Minor;
  /** The path of its page, below which the form lies. */
  readonly page: string;
  readonly subject: string;
}

/** The answer of a form that leads no further. */
export interface Explanation {
  readonly notice?: string;
  /** What is wrong with the amount. */
  readonly fault?: string;
  readonly status: 403 | 422;
}

export interface GiveBackCourse<Of, Words extends GiveBackWords> {
  readonly words: Readonly<Record<Language, Words>>;
  /** The form's path below the page. */
  readonly path: string;
  readonly find: (
    dependencies: Pick<DashboardDependencies, 'db' | 'config'>,
    visit: MemberVisit,
  ) => Promise<Of | undefined>;
  readonly givenOf: (of: Of) => Given;
  /** Says why there is no form to fill in. */
  readonly refusalOf: (visit: MemberVisit, of: Of, words: Words) => string | undefined;
  /** The figures beside the form. */
  readonly figuresOf: (of: Of, words: Words) => readonly Detail[];
  /** The rows of the confirmation. */
  readonly orderDetailsOf: (of: Of, order: GiveBack, words: Words) => readonly Detail[];
  readonly labelOf: (words: Words, amount: string) => string;
  readonly doneOf: (of: Of, words: Words) => string;
  /** Returns false when the wallet holds too little. Throws what the API throws. */
  readonly send: (
    dependencies: DashboardDependencies,
    visit: MemberVisit,
    order: SentOrder<Of>,
  ) => Promise<boolean>;
  /**
   * Returns undefined for a code that no form can explain. `left` is what can be given back by now.
   */
  readonly explain: (code: ErrorCode, words: Words, left: string) => Explanation | undefined;
}

export interface SentOrder<Of> {
  readonly of: Of;
  readonly order: GiveBack;
  readonly key: string;
}

interface FormState {
  readonly faults?: GiveBackFaults;
  readonly notice?: string | undefined;
  readonly status?: number;
}

type Handler = (dependencies: DashboardDependencies, visit: MemberVisit) => Promise<Answer>;

export function giveBackPages<Of, Words extends GiveBackWords>(
  course: GiveBackCourse<Of, Words>,
): { readonly show: Handler; readonly send: Handler } {
  const { find, givenOf } = course;
  const actionOf = (of: Of): string => `${givenOf(of).page}/${course.path}`;

  const readOrder = ({ language }: MemberVisit, of: Of, most: Minor, fields: GiveBackFields) => {
    const { fault_reason } = course.words[language];
    return readGiveBack(language, fields, {
      currency: givenOf(of).currency,
      left: most,
      fault_reason,
    });
  };

  /**
   * The form, and with an amount in the query its confirmation. Nothing is reserved before that is
   * sent.
   */
  const show: Handler = async (dependencies, visit) => {
    const of = await find(dependencies, visit);
    if (of === undefined) return troublePage(visit.language, { kind: 'unknown' });
    const fields = readGiveBackFields(visit.query);
    const { left, currency } = givenOf(of);
    if (fields.amount === '') {
      return formPage(visit, of, { ...fields, amount: typedAmount(left, currency) });
    }
    if (visit.query.has('change')) return formPage(visit, of, fields);
    if (course.refusalOf(visit, of, course.words[visit.language]) !== undefined) {
      return formPage(visit, of, fields);
    }
    const order = readOrder(visit, of, left, fields);
    if (isGiveBack(order)) return confirmPage(visit, of, order);
    return formPage(visit, of, fields, { faults: order, status: 422 });
  };

  const formPage = (
    visit: MemberVisit,
    of: Of,
    fields: GiveBackFields,
    { faults = {}, notice, status = 200 }: FormState = {},
  ): Answer => {
    const words = course.words[visit.language];
    const refusal = course.refusalOf(visit, of, words);
    const figures = course.figuresOf(of, words);
    const { currency } = givenOf(of);
    const said = refusal ?? notice;
    return page(
      words.title,
      <>
        {said && <Notice tone="bad">{said}</Notice>}
        {!refusal && <p class="lead">{words.lead}</p>}
        {figures.length > 0 && <Details rows={figures} />}
        {!refusal && (
          <Question action={actionOf(of)}>
            <GiveBackControls currency={currency} fields={fields} faults={faults} words={words} />
          </Question>
        )}
        <Back to={givenOf(of).page} label={words.back} />
      </>,
      status,
    );
  };

  const confirmPage = ({ language }: MemberVisit, of: Of, order: GiveBack): Answer => {
    const words = course.words[language];
    const amount = formatMoney(language, order.amount, givenOf(of).currency);
    const change = new URLSearchParams({
      amount: order.amount_text,
      reason: order.reason ?? '',
      change: '',
    });
    return page(
      words.confirm_title,
      <>
        <p class="lead">{words.lead}</p>
        <Details rows={course.orderDetailsOf(of, order, words)} />
        <GiveBackForm
          action={actionOf(of)}
          order={order}
          idempotency_key={randomUUID()}
          label={course.labelOf(words, amount)}
        />
        <p class="hint">{words.once}</p>
        <p>
          <Link to={`${actionOf(of)}?${change}`}>{words.change}</Link>
        </p>
        <Back to={givenOf(of).page} label={words.back} />
      </>,
    );
  };

  const send: Handler = async (dependencies, visit) => {
    const { language, form } = visit;
    const words = course.words[language];
    const of = await find(dependencies, visit);
    if (of === undefined) return troublePage(language, { kind: 'unknown' });
    const key = form.get('key') ?? '';
    if (!isUuid(key)) return troublePage(language, { kind: 'form' });
    const fields = readGiveBackFields(form);
    // Less may be left by now, because this very form has been sent before: the database decides.
    const { whole, page: to, subject } = givenOf(of);
    const order = readOrder(visit, of, whole, fields);
    if (!isGiveBack(order)) return formPage(visit, of, fields, { faults: order, status: 422 });
    const sent = { of, order, key };
    try {
      if (await course.send(dependencies, visit, sent)) {
        return seeOther(to, { flash: { notice: course.doneOf(of, words) }, subject });
      }
      return formPage(visit, of, fields, { notice: words.insufficient, status: 422 });
    } catch (error) {
      if (isUnknown(error)) return unknownPage(visit, sent);
      // The page shows what is left by now.
      return refusedPage(visit, (await find(dependencies, visit)) ?? of, fields, error);
    }
  };

  const refusedPage = (
    visit: MemberVisit,
    of: Of,
    fields: GiveBackFields,
    error: unknown,
  ): Answer => {
    if (!(error instanceof Refusal)) throw error;
    const words = course.words[visit.language];
    if (error.code === 'idempotency_key_reuse') {
      return formPage(visit, of, fields, { notice: words.reused, status: 422 });
    }
    const { left, currency } = givenOf(of);
    const refusal = course.explain(error.code, words, formatMoney(visit.language, left, currency));
    if (refusal === undefined) throw error;
    const { notice, fault, status } = refusal;
    const faults = fault === undefined ? {} : { amount: fault };
    return formPage(visit, of, fields, { faults, notice, status });
  };

  const unknownPage = (
    { language, ctx }: MemberVisit,
    { of, order, key }: SentOrder<Of>,
  ): Answer => {
    const words = course.words[language];
    ctx.set('Retry-After', '1');
    return page(
      words.unknown,
      <>
        <Notice tone="warn">{words.unknown_text}</Notice>
        <GiveBackForm
          action={actionOf(of)}
          order={order}
          idempotency_key={key}
          label={words.ask_again}
        />
        <Back to={givenOf(of).page} label={words.back} />
      </>,
      503,
    );
  };

  return { show, send };
}

/** An unknown outcome is asked for again with the same key. */
function isUnknown(error: unknown): boolean {
  if (isDatabaseUnavailable(error)) return true;
  if (!(error instanceof Refusal)) return false;
  return error.code === 'unavailable' || error.code === 'idempotency_in_progress';
}

function Back({ to, label }: { readonly to: string; readonly label: string }): JSX.Element {
  return (
    <p>
      <Link to={to}>{label}</Link>
    </p>
  );
}
