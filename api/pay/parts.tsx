// The pieces of which the pages of a payment link are made.

import type { ComponentChildren } from 'preact';
import type { Language } from '../../domain/language';
import { formatCountry, formatMoney, formatTime } from '../../pages/formats';
import { QrCode } from '../../pages/qr';
import { Rows, type Row } from './document';
import { allOf } from './phone-form';
import { PhoneForm } from './phones';
import { amountOf, hasCheckout, pathOf, type Options, type PayPageView } from './view';
import { firstLetter } from './wording';
import { WORDS } from './words';

/** A longer amount gets a smaller font, so that it stays on one line. */
const LONG_AMOUNT = 15;

interface LinkProps {
  readonly to: string;
  readonly children: ComponentChildren;
}

export function Action({ to, plain = false, children }: LinkProps & { readonly plain?: boolean }) {
  return (
    <p class="actions">
      <a class={plain ? 'button plain' : 'button'} href={to} rel={relOf(to)}>
        {children}
      </a>
    </p>
  );
}

export function WayBack({ to, children }: LinkProps) {
  return (
    <p class="way-back">
      <a href={to} rel={relOf(to)}>
        {children}
      </a>
    </p>
  );
}

/** A shop is not told the address of the page. */
function relOf(address: string): string | undefined {
  return address.startsWith('/') ? undefined : 'noreferrer';
}

export function details(view: PayPageView, language: Language) {
  const words = WORDS[language];
  const { description, refunded_minor, currency } = view;
  const refunded = formatMoney(language, refunded_minor, currency);
  const rows = [
    { term: words.amount, detail: amountOf(view, language), is_strong: true },
    ...(refunded_minor === 0n ? [] : [{ term: words.refunded, detail: refunded }]),
    { term: words.to, detail: payeeOf(view) },
    ...(description === null ? [] : [{ term: words.for, detail: <bdi>{description}</bdi> }]),
    { term: words.reference, detail: view.reference },
    ...merchantRows(view, language),
  ];
  return <Rows rows={rows} />;
}

/** These rows say whom to turn to. */
export function merchantRows(
  {
    merchant_country,
    merchant_contact,
  }: Pick<PayPageView, 'merchant_country' | 'merchant_contact'>,
  language: Language,
): readonly Row[] {
  const words = WORDS[language];
  const contact = { term: words.contact, detail: <bdi>{merchant_contact}</bdi> };
  return [
    { term: words.country, detail: formatCountry(language, merchant_country) },
    ...(merchant_contact === null ? [] : [contact]),
  ];
}

/** The way from a desktop to the phone that has the money. */
export function qrSection({ pay_url }: PayPageView, language: Language) {
  const words = WORDS[language];
  return (
    <section class="qr" aria-labelledby="qr">
      <h2 id="qr">{words.qr}</h2>
      <QrCode text={pay_url} label={words.qr_label} />
    </section>
  );
}

export function payForm(view: PayPageView, options: Options, label: string, look = '') {
  const { busy } = WORDS[options.language];
  return (
    <form method="post" action={pathOf(view, options, '/pay')}>
      <button class={`button ${look}`.trim()} type="submit" data-busy={busy}>
        {label}
      </button>
    </form>
  );
}

/** In XOF most people pay by phone, and the card is the quieter choice below. */
export function isPhoneFirst({ currency }: PayPageView, { phones }: Options): boolean {
  return currency === 'XOF' && allOf(phones.methods).some(({ state }) => state !== 'closed');
}

export function phoneForm(view: PayPageView, options: Options, look = '') {
  const { language, phones } = options;
  const words = WORDS[language];
  const is_second = hasCheckout(view) && !isPhoneFirst(view, options);
  if (allOf(phones.methods).length === 0) {
    return is_second ? null : <p class="notice warn">{words.no_way}</p>;
  }
  const amount = amountOf(view, language);
  return (
    <PhoneForm
      part={phones}
      {...{ language, look }}
      action={pathOf(view, options, '/attempts')}
      heading={is_second ? words.or_by_phone : words.by_phone}
      label={is_second ? words.pay_by_phone(amount) : words.pay(amount)}
    />
  );
}

/** The merchant's picture, or the first letter of the name. The name is beside it. */
export function Monogram({
  view,
  logo,
}: {
  readonly view: Pick<PayPageView, 'merchant_name'>;
  /** Its path. */
  readonly logo: string | undefined;
}) {
  if (logo !== undefined) return <img class="logo" src={logo} alt="" />;
  const letter = firstLetter(view.merchant_name);
  if (letter === undefined) return null;
  return (
    <div class="badge good" aria-hidden="true">
      {letter}
    </div>
  );
}

export function amount(view: PayPageView, language: Language) {
  const words = amountOf(view, language);
  return <span class={words.length > LONG_AMOUNT ? 'amount long' : 'amount'}>{words}</span>;
}

export function time(instant: string, language: Language) {
  return <time datetime={new Date(instant).toISOString()}>{formatTime(language, instant)}</time>;
}

export function payeeOf({ merchant_name }: PayPageView) {
  return <bdi>{merchant_name}</bdi>;
}
