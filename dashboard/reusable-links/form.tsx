// Making a reusable link: the same path as POST /payment-intents, once however often the form is sent. And changing
// what may be changed of one.

import { changePaymentLinkBody, createPaymentLinkBody } from '../../api/payment-links/schema';
import type { PaymentLinkView } from '../../db/payment-links/payment-links';
import { parseInstant } from '../../domain/instant';
import { fieldKeys, PAYMENT_LINK_BOUNDS } from '../../domain/payment-link';
import { Refusal } from '../../domain/refusal';
import { readAmountField } from '../../pages/amounts';
import { changePaymentLink, orderPaymentLink } from '../../use-cases/payment-links/order';
import {
  seeOther,
  ownerOf,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { idOf, draftOrder } from '../drafts';
import type { Shape, Shapes } from '../form-fields';
import { actionRoute, formRoutes, type Faulty } from '../form-page';
import { FORM_WORDS } from '../form-words';
import { CURRENCY_OPTIONS, gatewayFault } from '../links/new-link';
import { WORDS as LINK_WORDS } from '../links/words';
import { findNamed } from './read';
import { WORDS } from './words';

const { title, description, max_payments, active_until, return_url, currency, ...money } =
  createPaymentLinkBody.properties;
const { minimum, maximum } = money.open_amount.properties;
const quantity = money.quantity.properties;
const { label: question, required: answer } = money.collect.items.properties;

/** The parts of the API's body by their names in the form, in its order. */
const NEW_LINK = {
  type: 'object',
  required: ['title', 'currency'],
  properties: {
    title,
    amount: money.amount,
    currency,
    description,
    max_payments,
    active_until,
    minimum,
    maximum,
    suggestions: { type: 'string', maxLength: 160 },
    quantity_minimum: quantity.minimum,
    quantity_maximum: quantity.maximum,
    question_1: question,
    question_1_required: answer,
    question_2: question,
    question_2_required: answer,
    question_3: question,
    question_3_required: answer,
    return_url,
  },
} as const;
const FIRST: readonly string[] = ['title', 'amount', 'currency'];
const OPEN = ['minimum', 'maximum', 'suggestions'] as const;
const QUESTIONS = ['question_1', 'question_2', 'question_3'] as const;

const changed = changePaymentLinkBody.properties;
const CHANGED_LINK = {
  type: 'object',
  required: ['title'],
  properties: {
    title: changed.title,
    description: changed.description,
    max_payments: changed.max_payments,
    active_until: changed.active_until,
  },
} as const;

function shapesOf(
  { config }: DashboardDependencies,
  { language }: MemberVisit,
  { properties }: { readonly properties: object },
): Shapes {
  const words = { ...LINK_WORDS[language], ...WORDS[language] };
  const amount = { most: config.max_payment, fault: words.fault_gateway };
  const own: Readonly<Record<string, Partial<Shape>>> = {
    title: { fault: words.fault_title },
    amount,
    currency: { options: CURRENCY_OPTIONS, value: 'XOF', fault: words.fault_gateway },
    active_until: {
      fault: words.fault_time,
      type: 'datetime-local',
      autocomplete: 'off',
      read: (text) => parseInstant(`${text}Z`),
      'data-local': words.active_until,
    },
    minimum: amount,
    maximum: amount,
    return_url: { type: 'url', fault: words.fault_address },
  };
  const labels: Readonly<Record<string, string>> = words.labels;
  const shapeOf = (name: string): Shape => ({
    label: labels[name] ?? words.required(labels[name.replace('_required', '')]!),
    hint: words.hints[name],
    ...own[name],
    ...(properties === NEW_LINK.properties && !FIRST.includes(name) ? { more: true } : {}),
  });
  return Object.fromEntries(Object.keys(properties).map((name) => [name, shapeOf(name)]));
}

const NEW_ROUTES = formRoutes({
  path: '/reusable-links/new',
  sent_to: '/reusable-links',
  access: 'links',
  action: 'reusable_links.create',
  operation: 'payment_link',
  words: (language) => ({
    title: WORDS[language].make,
    button: LINK_WORDS[language].create,
    note: LINK_WORDS[language].once,
  }),
  body: NEW_LINK,
  fields: (dependencies, visit) => shapesOf(dependencies, visit, NEW_LINK),
  send: async (dependencies, visit, { body, numbers: typed }) => {
    const { language } = visit;
    const words = WORDS[language];
    const numbers = new Map(
      [...typed].map(([at, text]) => [at === '/amount' ? at : `/open_amount${at}`, text]),
    );
    const suggestions = (body.suggestions ?? '').split(';').filter((one) => one.trim() !== '');
    for (const [index, amount] of suggestions.entries()) {
      const { max_payment } = dependencies.config;
      const read = readAmountField(language, { amount, currency: body.currency }, max_payment);
      if (!read.ok) return { faults: { suggestions: read.fault } };
      numbers.set(`/open_amount/suggestions/${index}`, read.text);
    }
    if (suggestions.length > PAYMENT_LINK_BOUNDS.suggestions) {
      return { faults: { suggestions: words.hints['suggestions'] } };
    }
    const beside = OPEN.find((name) => body[name] !== undefined);
    if (body.amount !== undefined && beside) return { faults: { [beside]: words.fault_open } };
    if (body.quantity_minimum !== undefined && body.quantity_maximum === undefined) {
      return { faults: { quantity_maximum: words.fault_quantity } };
    }
    const asked = QUESTIONS.filter((name) => body[name] !== undefined);
    const keys = fieldKeys(asked.map((name) => body[name]!));
    const { minimum: least, maximum: most } = body;
    const ordered = await orderPaymentLink(dependencies, {
      ...draftOrder(visit),
      body: {
        title: body.title,
        currency: body.currency,
        description: body.description,
        max_payments: body.max_payments,
        active_until: body.active_until,
        return_url: body.return_url,
        ...(body.amount === undefined
          ? { open_amount: { minimum: least, maximum: most, suggestions } }
          : { amount: body.amount }),
        ...(body.quantity_maximum === undefined
          ? {}
          : {
              quantity: { minimum: body.quantity_minimum ?? 1, maximum: body.quantity_maximum },
            }),
        collect: asked.map((name, index) => ({
          key: keys[index]!,
          label: body[name]!,
          required: body[`${name}_required`],
        })),
      },
      numbers,
    });
    return seeLink(idOf(ordered), LINK_WORDS[language].made);
  },
  refused: ({ code, about }, { language }) => {
    const words = { ...LINK_WORDS[language], ...WORDS[language] };
    const texts: Readonly<Record<string, Faulty>> = {
      'open_amount/maximum': { faults: { maximum: words.fault_maximum } },
      open_amount: { faults: { suggestions: words.fault_suggestions } },
      quantity: { faults: { quantity_maximum: words.fault_quantity } },
    };
    const param = code === 'invalid_request' ? (about.param ?? '') : '';
    return texts[param] ?? texts[param.split('/')[0]!] ?? gatewayFault(words, code);
  },
});

function seeLink(id: string, notice: string): Answer {
  return seeOther(`/reusable-links/${id}`, { flash: { notice }, subject: `payment_link/${id}` });
}

const CHANGE_ROUTES = formRoutes({
  path: '/reusable-links/:id/change',
  access: 'links',
  action: 'reusable_links.change',
  find: findNamed,
  words: (language) => {
    const { change_title, save, change_note } = WORDS[language];
    return { title: change_title, button: save, note: change_note };
  },
  body: CHANGED_LINK,
  fields: (dependencies, visit, link) => {
    if (visit.account.is_frozen) return FORM_WORDS[visit.language].frozen;
    const values: Readonly<Record<string, string>> = {
      title: link.title,
      description: link.description ?? '',
      max_payments: String(link.max_payments ?? ''),
      active_until: shownUntil(link),
    };
    const shapes = Object.entries(shapesOf(dependencies, visit, CHANGED_LINK));
    return Object.fromEntries(
      shapes.map(([name, shape]) => [name, { ...shape, value: values[name] }]),
    );
  },
  send: async (dependencies, visit, { found, body: { active_until: until, ...body } }) => {
    // The end of a link that is over stays as it is, seconds too.
    const isSame = visit.form.get('active_until') === shownUntil(found);
    await changeLink(dependencies, visit, found, isSame ? body : { ...body, active_until: until });
    return seeLink(found.id, WORDS[visit.language].changed);
  },
});

/** The end as its field has it: in UTC, to the minute. */
const shownUntil = ({ active_until: until }: PaymentLinkView): string => (until ?? '').slice(0, 16);

function changeLink(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
  link: PaymentLinkView,
  body: Parameters<typeof changePaymentLink>[1]['body'],
): Promise<PaymentLinkView> {
  const order = { owner: ownerOf(visit), link, body, numbers: new Map<string, string>() };
  return changePaymentLink(dependencies, { ...order, now: new Date().toISOString() });
}

/** Takes a link out of use, and puts it back. */
const ACTIVE_ROUTE = actionRoute({
  path: '/reusable-links/:id/active',
  access: 'links',
  action: 'reusable_links.change',
  find: findNamed,
  subject: ({ id }) => `payment_link/${id}`,
  act: async (dependencies, visit, link) => {
    const { language, form, account } = visit;
    const words = WORDS[language];
    if (account.is_frozen) throw new Refusal('account_frozen');
    const active = form.get('active') === 'true';
    await changeLink(dependencies, visit, link, { active });
    return seeLink(link.id, active ? words.is_put_back : words.is_taken_out);
  },
});

export const REUSABLE_FORM_ROUTES = [...NEW_ROUTES, ...CHANGE_ROUTES, ACTIVE_ROUTE];
