// The pages for customers, and for load tests without a browser: the hosted checkout with the customer's bank, the
// simulated phones, and the page of an operator. As at a real gateway there is no sign-in: anyone who knows the id of a
// session or a charge may pay it, and who knows a phone's number presses what its owner could.

import { randomInt } from 'node:crypto';
import Router from '@koa/router';
import type { Context } from 'koa';
import { plainPhone } from '../../../domain/phone';
import { TEST_DELAY_MS } from '../../../domain/test-values';
import { pickLanguage } from '../../../pages/language';
import { readForm } from '../raw-body';
import { renderCheckout, renderMissing, STYLE } from './checkout-page';
import { WORDS } from './checkout-words';
import { ACTIONS, DISPUTE_COURSES, DURATIONS, PRESSES, REFUND_COURSES } from './courses';
import type { Desk } from './desk';
import { methodOf, PHONE } from './operators';
import { coursesAfter, disputeAs, latestDispute, payIn, type Choice } from './payments-api';
import { renderOperatorPage, renderPhone } from './phone-page';
import { PHONE_WORDS } from './phone-words';
import type { Charge, Session } from './records';
import { chargesOf, paymentStateOf, statusOf, takenOf, type Taken } from './store';

const WHOLE_NUMBER = /^\d{1,9}$/;
const MINOR = /^[1-9]\d{0,14}$/;
/** A day is longer than any session that a test waits for. */
// Characters with a meaning in a Content-Security-Policy must not get into it by a host's name.
const PLAIN_ORIGIN = /^https?:\/\/[\w.-]+(:\d+)?$/;

export function createPageRouter(desk: Desk): Router {
  const { store } = desk;
  const router = new Router();

  const showSession = (ctx: Context, status: number, session: Session | undefined): void => {
    const language = pickLanguage(ctx);
    if (!session) return show(ctx, 404, renderMissing(language));
    const paid = paidIn(session);
    const courses = paid ? coursesAfter(latestDispute(store, paid)) : [];
    const tries = store.find('payment', session.environment, ['session_id', session.id]);
    const failure = tries.at(-1)?.failure ?? null;
    const seen = { session, status: statusOf(store, session), failure, courses };
    return show(ctx, status, renderCheckout(seen, language), session.return_url);
  };
  const paidIn = (session: Session): Taken | undefined => {
    const paid = paymentStateOf(store, session);
    return paid.state === 'paid' ? takenOf(store, paid.payment.provider_payment_id) : undefined;
  };
  router.get('/checkout/:id', (ctx) => showSession(ctx, 200, store.get('session', id(ctx))));
  router.post('/checkout/:id', async (ctx) => {
    const choice = readChoice(await readForm(ctx.req));
    const session = store.get('session', id(ctx));
    if (!session || !choice) return showSession(ctx, 422, session);
    if (!payIn(desk, session, choice)) return showSession(ctx, 409, session);
    await desk.journal.flushed();
    const { return_url, cancel_url } = session;
    return continueAt(ctx, choice.action === 'come_back_later' ? cancel_url : return_url);
  });
  router.post('/checkout/:id/dispute', async (ctx) => {
    const form = await readForm(ctx.req);
    const course = DISPUTE_COURSES.find((one) => one === form.get('course'));
    const amount = form.get('amount_minor') ?? undefined;
    ctx.status = 422;
    if (course === undefined || (amount !== undefined && !MINOR.test(amount))) return;
    const session = store.get('session', id(ctx));
    const taken = session ? paidIn(session) : takenOf(store, id(ctx));
    const is_done = taken !== undefined && disputeAs(desk, taken, course, amount);
    await desk.journal.flushed();
    continueAt(ctx, `/checkout/${encodeURIComponent(id(ctx))}`);
    if (!is_done) ctx.status = 409;
  });

  const showPhone = (ctx: Context, status: number, made: string | null = null): void => {
    const [number, language] = [plainPhone(id(ctx)), pickLanguage(ctx)];
    const { unknown, unknown_text } = PHONE_WORDS[language];
    if (!PHONE.test(number)) {
      return show(ctx, 404, renderMissing(language, [unknown, unknown_text]));
    }
    const charges = chargesOf(store, number);
    return show(ctx, status, renderPhone({ number, charges, made }, language));
  };
  router.get('/phones/:id', (ctx) => showPhone(ctx, 200));
  router.post('/phones/:id', async (ctx) => {
    const form = await readForm(ctx.req);
    // Any code is right but one, so that none has to be remembered.
    if (form.get('press') === 'dial') {
      return showPhone(ctx, 200, String(randomInt(100_000, 1_000_000)));
    }
    const charge = store.get('charge', form.get('charge') ?? '');
    const press = PRESSES.find((one) => one === form.get('press'));
    // In the form that the service sends.
    if (!press || charge?.phone !== plainPhone(id(ctx))) return showPhone(ctx, 422);
    const pressed = desk.step(charge, press);
    await desk.journal.flushed();
    return pressed ? continueAt(ctx, ctx.url) : showPhone(ctx, 409);
  });

  /** Shows a charge whose operator has a page. */
  const showPage = (ctx: Context, status: number): Charge | undefined => {
    const language = pickLanguage(ctx);
    const charge = store.get('charge', id(ctx));
    const has_page = charge && methodOf(charge.phone, charge.operator)?.step === 'redirect';
    if (has_page) show(ctx, status, renderOperatorPage(charge, language), charge.return_url);
    else {
      const gone = [PHONE_WORDS[language].gone, WORDS[language].missing[1]] as const;
      show(ctx, 404, renderMissing(language, gone));
    }
    return has_page ? charge : undefined;
  };
  router.get('/charges/:id/page', (ctx) => void showPage(ctx, 200));
  router.post('/charges/:id/page', async (ctx) => {
    const press = (await readForm(ctx.req)).get('press');
    const known = PRESSES.find((one) => one === press);
    const charge = showPage(ctx, known ? 409 : 422);
    if (!charge || !known || !desk.step(charge, known)) return;
    await desk.journal.flushed();
    continueAt(ctx, charge.return_url);
  });
  return router;
}

/** Returns undefined when the fields are not those of our form. */
function readChoice(form: URLSearchParams): Choice | undefined {
  const action = ACTIONS.find((one) => one === form.get('action'));
  const given = form.get('delay_ms') ?? String(DURATIONS.delay_ms);
  const delay_ms = WHOLE_NUMBER.test(given) ? Number(given) : Infinity;
  if (action === undefined || delay_ms > TEST_DELAY_MS.maximum) return undefined;
  const course = form.get('refunds') ?? '';
  const refunds = REFUND_COURSES.find((one) => one === course);
  return refunds === undefined && course !== '' ? undefined : { action, delay_ms, refunds };
}

/** `return_url` is where the page's forms may lead. */
function show(ctx: Context, status: number, page: string, return_url?: string): void {
  protect(ctx, return_url);
  ctx.status = status;
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = page;
}

function continueAt(ctx: Context, url: string): void {
  protect(ctx);
  // 303 makes the browser continue with GET.
  ctx.status = 303;
  ctx.set('Location', url);
  ctx.body = '';
}

/** Keeps the page's address, which is enough to pay, out of caches, frames and referrers. */
function protect(ctx: Context, return_url?: string): void {
  // Chromium checks the redirect after a form against `form-action` too, and the merchant's logo has that origin.
  const origin = return_url === undefined ? '' : new URL(return_url).origin;
  const [targets, images] = PLAIN_ORIGIN.test(origin) ? [` ${origin}`, `img-src ${origin}; `] : [];
  ctx.set({
    'Content-Security-Policy':
      `default-src 'none'; style-src ${STYLE.source}; form-action 'self'${targets ?? ''}; ` +
      `${images ?? ''}base-uri 'none'; frame-ancestors 'none'`,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex',
  });
}

function id(ctx: Context): string {
  return (ctx['params'] as { readonly id: string }).id;
}
