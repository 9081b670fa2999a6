// The simulated phones and the operator's page, for customers. As with the checkout (checkout.ts) there is no
// sign-in: who knows a number sees and presses what its owner could.

import { randomInt } from 'node:crypto';
import Router from '@koa/router';
import type { Context } from 'koa';
import { plainPhone } from '../../../domain/phone';
import { pickLanguage } from '../../../pages/language';
import { PRESSES, type Charge } from './charge-store';
import type { Charges } from './charges';
import { continueAt, show } from './checkout';
import { renderMissing } from './checkout-page';
import { WORDS } from './checkout-words';
import { methodOf } from './operators';
import { PHONE } from './payouts-api';
import { renderOperatorPage, renderPhone } from './phone-page';
import { PHONE_WORDS } from './phone-words';
import { readRawBody } from './raw-body';

export function createPhoneRouter(charges: Charges): Router {
  const router = new Router();
  const showPhone = async (
    ctx: Context,
    status: number,
    made: string | null = null,
  ): Promise<void> => {
    const number = phoneOf(ctx);
    const language = pickLanguage(ctx);
    const { unknown, unknown_text } = PHONE_WORDS[language];
    if (!PHONE.test(number))
      return show(ctx, 404, renderMissing(language, [unknown, unknown_text]));
    const phone = { number, charges: await charges.ofPhone(number), made };
    return show(ctx, status, renderPhone(phone, language));
  };
  const showPage = (ctx: Context, status: number, charge: Charge): void =>
    show(ctx, status, renderOperatorPage(charge, pickLanguage(ctx)), charge.return_url);
  /** The charge whose operator has a page. */
  const findOnPage = async (ctx: Context): Promise<Charge | undefined> => {
    const charge = await charges.findOwn(param(ctx, 'payment_id'));
    const step = charge && methodOf(charge.phone, charge.operator)?.step;
    return step === 'redirect' ? charge : undefined;
  };

  router.get('/phones/:number', (ctx) => showPhone(ctx, 200));
  router.post('/phones/:number', async (ctx) => {
    const form = await readForm(ctx);
    // Any code is right but one, so that none has to be remembered.
    if (form.get('press') === 'dial') {
      return showPhone(ctx, 200, String(randomInt(100_000, 1_000_000)));
    }
    const charge = await charges.findOwn(form.get('charge') ?? '');
    const press = PRESSES.find((one) => one === form.get('press'));
    if (press === undefined || charge?.phone !== phoneOf(ctx)) return showPhone(ctx, 422);
    const { ok } = await charges.press(charge, press);
    return ok ? continueAt(ctx, ctx.url) : showPhone(ctx, 409);
  });

  router.get('/charges/:payment_id/page', async (ctx) => {
    const charge = await findOnPage(ctx);
    return charge ? showPage(ctx, 200, charge) : showMissing(ctx);
  });
  router.post('/charges/:payment_id/page', async (ctx) => {
    const form = await readForm(ctx);
    const charge = await findOnPage(ctx);
    if (!charge) return showMissing(ctx);
    const press = PRESSES.find((one) => one === form.get('press'));
    if (press === undefined) return showPage(ctx, 422, charge);
    const { ok } = await charges.press(charge, press);
    if (ok) return continueAt(ctx, charge.return_url);
    return showPage(ctx, 409, (await findOnPage(ctx))!);
  });
  return router;
}

function showMissing(ctx: Context): void {
  const language = pickLanguage(ctx);
  show(ctx, 404, renderMissing(language, [PHONE_WORDS[language].gone, WORDS[language].missing[1]]));
}

async function readForm(ctx: Context): Promise<URLSearchParams> {
  const raw = await readRawBody(ctx.req);
  return new URLSearchParams(raw?.toString('utf8'));
}

/** In the form that the service sends. */
function phoneOf(ctx: Context): string {
  return plainPhone(param(ctx, 'number'));
}

function param(ctx: Context, name: string): string {
  return (ctx['params'] as Readonly<Record<string, string>>)[name]!;
}
