// Paying by phone over HTTP: a customer begins an attempt, and gives the one-time code that it waits for.

import { isUuid } from '../../domain/ids';
import type { Language } from '../../domain/language';
import type { PaymentMethod } from '../../domain/payment-attempt';
import { Refusal } from '../../domain/refusal';
import type { HttpContext } from '../../http/context';
import { countStranger } from '../../http/middleware/strangers';
import { phoneFaultText } from '../../pages/phone-faults';
import { offerMethods, readPhoneFields, type PhoneFields, type ReadPhone } from './phone-form';
import type { PayAttempt, PhonePart } from './phones';
import { languageOf, readPageForm, RETRY_AFTER_SECONDS, seeOther, showUnknown } from './send';
import {
  ATTEMPT_COOKIE,
  findPhones,
  findView,
  pageOf,
  PHONE_COOKIE,
  setCookie,
  show,
  type PayDependencies,
} from './show';
import { isReceived } from './view';
import { WORDS } from './words';

/** Longer than any number with its groups. */
const LONGEST_PHONE = 40;
/** Operators give codes of no other form. */
const OTP = /^\d{4,8}$/;
/** The page shows how it stands: it has begun meanwhile, by this form or another one, or it is over. */
const SHOWN_BY_THE_PAGE: ReadonlySet<string> = new Set([
  'attempt_in_progress',
  'attempt_not_found',
  'idempotency_in_progress',
  'idempotency_key_reuse',
  'otp_not_expected',
  'payment_intent_not_found',
  'payment_intent_not_payable',
]);

type Words = (typeof WORDS)['en'];

interface Fault {
  readonly status: number;
  readonly faults: PhonePart['faults'];
}

export async function beginAttempt(ctx: HttpContext, dependencies: PayDependencies, code: string) {
  const view = await findView(ctx, dependencies, code);
  if (!view) return showUnknown(ctx, dependencies);
  const page = pageOf(ctx, code);
  const form = await readPageForm(ctx);
  if (!form || view.status !== 'open' || isReceived(view)) return seeOther(ctx, page);
  const given = form.get('form_id') ?? '';
  const form_id = isUuid(given) ? given : view.id;
  const fields = readFields(form);
  const words = WORDS[languageOf(ctx).language];
  const fail = async ({ status, faults }: Fault) => {
    const phones = await findPhones(ctx, dependencies, view, { fields, faults });
    // It has begun, although its answer did not come in time.
    if (phones.attempt?.status === 'waiting') return seeOther(ctx, page);
    show(ctx, view, { phones }, status);
  };
  const methods = offerMethods(await dependencies.listMethods(view), view);
  const read = readPhoneFields(fields, methods);
  if (!read.ok) return fail(faultOf(read, languageOf(ctx).language));
  countStranger(dependencies.strangers, ctx, 'link_payment');
  const { phone, method } = read;
  const { operator } = method;
  setCookie(ctx, `/p/${code}`, { ...PHONE_COOKIE, value: `${operator}~${phone}` });
  setCookie(ctx, `/p/${code}`, { ...ATTEMPT_COOKIE, value: view.updated_at });
  try {
    const { request_id } = ctx.state;
    await dependencies.beginAttempt(view, { operator, phone, form_id, request_id });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (SHOWN_BY_THE_PAGE.has(error.code)) return seeOther(ctx, page);
    return fail(refusalFault(ctx, error, method, words));
  }
  seeOther(ctx, page);
}

function readFields(form: URLSearchParams): PhoneFields {
  const phone = (form.get('phone') ?? '').slice(0, LONGEST_PHONE);
  return { phone, operator: form.get('operator') ?? '' };
}

function faultOf(read: Exclude<ReadPhone, { readonly ok: true }>, language: Language): Fault {
  const words = WORDS[language];
  switch (read.fault) {
    default:
      return { status: 422, faults: { phone: phoneFaultText(language, read, words.phone_wrong) } };
    case 'operator':
      return { status: 422, faults: { operator: words.operator_missing } };
    case 'closed':
      return { status: 503, faults: { operator: words.operator_is_closed(read.method.name) } };
  }
}

function refusalFault(
  ctx: HttpContext,
  { code, about, retry_after_seconds = RETRY_AFTER_SECONDS }: Refusal,
  { name }: PaymentMethod,
  words: Words,
): Fault {
  const later = (status: number, faults: Fault['faults']): Fault => {
    ctx.set('Retry-After', String(retry_after_seconds));
    return { status, faults };
  };
  // Not every code of the table is one of an attempt.
  switch (code as string) {
    case 'rate_limited':
      return about.param === 'phone'
        ? later(429, { phone: words.phone_tired(Math.ceil(retry_after_seconds / 60)) })
        : later(429, { form: words.link_later });
    case 'amount_out_of_bounds':
      return { status: 422, faults: { operator: words.operator_bounds(name) } };
    case 'provider_unavailable':
      return later(503, { operator: words.operator_is_closed(name) });
    case 'invalid_request':
      return about.param === 'operator'
        ? { status: 422, faults: { operator: words.operator_missing } }
        : { status: 422, faults: { phone: words.phone_wrong } };
    default:
      return later(503, { form: words.link_later });
  }
}

export async function giveOtp(ctx: HttpContext, dependencies: PayDependencies, code: string) {
  const view = await findView(ctx, dependencies, code);
  if (!view) return showUnknown(ctx, dependencies);
  const page = pageOf(ctx, code);
  const form = await readPageForm(ctx);
  const attempt_id: string = ctx.params['attempt'] ?? '';
  const is_due = (attempt: PayAttempt | undefined): boolean =>
    attempt?.id === attempt_id && attempt.status === 'waiting' && attempt.next_step?.kind === 'otp';
  const found = await findPhones(ctx, dependencies, view);
  if (!form || !is_due(found.attempt)) return seeOther(ctx, page);
  const words = WORDS[languageOf(ctx).language];
  const fail = async (status: number, faults: Fault['faults']) => {
    const phones = await findPhones(ctx, dependencies, view, { faults });
    // It has gone on, although its answer did not come in time.
    if (!is_due(phones.attempt)) return seeOther(ctx, page);
    show(ctx, view, { phones }, status);
  };
  const otp = (form.get('otp') ?? '').replaceAll(/[\s-]/g, '');
  if (!OTP.test(otp)) return fail(422, { otp: words.otp_wrong });
  countStranger(dependencies.strangers, ctx, 'link_payment');
  try {
    await dependencies.giveOtp(view, attempt_id, otp);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'invalid_request') return fail(422, { otp: words.otp_wrong });
    if (!SHOWN_BY_THE_PAGE.has(error.code)) {
      ctx.set('Retry-After', String(error.retry_after_seconds ?? RETRY_AFTER_SECONDS));
      return fail(503, { form: words.otp_later });
    }
  }
  seeOther(ctx, page);
}

export async function giveUp(ctx: HttpContext, dependencies: PayDependencies, code: string) {
  const view = await findView(ctx, dependencies, code);
  if (!view) return showUnknown(ctx, dependencies);
  const attempt_id: string = ctx.params['attempt'] ?? '';
  const { attempt } = await findPhones(ctx, dependencies, view);
  if (attempt?.id === attempt_id && attempt.status === 'waiting') {
    countStranger(dependencies.strangers, ctx, 'link_payment');
    try {
      await dependencies.giveUp(attempt_id);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const faults = { form: WORDS[languageOf(ctx).language].otp_later };
      const phones = await findPhones(ctx, dependencies, view, { faults });
      ctx.set('Retry-After', String(error.retry_after_seconds ?? RETRY_AFTER_SECONDS));
      return show(ctx, view, { phones }, 503);
    }
  }
  seeOther(ctx, pageOf(ctx, code));
}
