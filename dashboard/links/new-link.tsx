// Creating a payment link: the same path as POST /payment-intents. Its draft creates one link, however
// often the form is sent.

import { createIntentBody } from '../../api/payment-intents/schema';
import { CURRENCIES } from '../../domain/currency';
import { RESERVED_KEYS } from '../../domain/json';
import { CURRENCY_LABELS } from '../../pages/formats';
import { phoneFaultText } from '../../pages/phone-faults';
import { createLink } from '../../use-cases/payment-intents/create';
import { seeOther } from '../context';
import { draftOrder, idOf } from '../drafts';
import { formRoutes, type Faulty } from '../form-page';
import { WORDS } from './words';

export const CURRENCY_OPTIONS = CURRENCIES.map((value) => ({
  value,
  label: CURRENCY_LABELS[value],
}));

export const NEW_LINK_ROUTES = formRoutes({
  path: '/links/new',
  sent_to: '/links',
  access: 'links',
  action: 'links.create',
  operation: 'payment_intent',
  words: (language) => {
    const { new_link: title, create: button, once: note } = WORDS[language];
    return { title, button, note };
  },
  body: createIntentBody,
  fields: ({ config }, { language }) => {
    const words = WORDS[language];
    const { fault_gateway, fault_address } = words;
    const address = { type: 'url', fault: fault_address, more: true } as const;
    const seconds = {
      3600: words.hour,
      86400: words.day,
      604800: words.week,
      2592000: words.month,
    };
    return {
      amount: { label: words.amount, most: config.max_payment, fault: fault_gateway },
      currency: {
        label: words.currency,
        options: CURRENCY_OPTIONS,
        value: 'XOF',
        fault: fault_gateway,
      },
      description: { label: words.description, hint: words.description_hint },
      customer_email: { label: words.email, hint: words.email_hint },
      expires_in: {
        label: words.expires,
        options: Object.entries(seconds).map(([value, label]) => ({ value, label })),
        value: '86400',
      },
      customer_phone: { label: words.phone, hint: words.phone_hint, more: true },
      return_url: { ...address, label: words.return_url, hint: words.return_url_hint },
      cancel_url: { ...address, label: words.cancel_url, hint: words.cancel_url_hint },
      metadata: {
        label: words.metadata,
        hint: words.metadata_hint,
        fault: words.fault_metadata,
        rows: 3,
        read: readMetadata,
        more: true,
      },
    };
  },
  send: async (dependencies, visit, { body, numbers }) => {
    const order = { ...draftOrder(visit), body, numbers };
    const id = idOf(await createLink(dependencies, order));
    const flash = { notice: WORDS[visit.language].made };
    return seeOther(`/links/${id}`, { flash, subject: id });
  },
  refused: ({ code, about }, { language }) =>
    about.param === 'customer_phone'
      ? { faults: { customer_phone: phoneFaultText(language, { fault: 'as_decimal' }, '') } }
      : gatewayFault(WORDS[language], code),
});

/** Reads lines of `name=value`; undefined when they are no list. */
function readMetadata(text: string): Readonly<Record<string, string>> | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const entries = lines.map((line) => {
    const [name = '', ...value] = line.split('=');
    return [name.trim(), value.join('=').trim()] as const;
  });
  const isList = lines.every((line) => line.includes('='));
  if (!isList || entries.some(([name]) => RESERVED_KEYS.has(name))) return undefined;
  return Object.fromEntries(entries);
}

/** The words for a gateway that makes no checkout now. */
export function gatewayFault(
  { no_gateway, not_made }: Readonly<Record<'no_gateway' | 'not_made', string>>,
  code: string,
): Faulty | undefined {
  if (code === 'gateway_not_configured') return { notice: no_gateway, status: 503 };
  if (code !== 'gateway_error' && code !== 'gateway_timeout') return undefined;
  return { notice: not_made, status: 503 };
}
