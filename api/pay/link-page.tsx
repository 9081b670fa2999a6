// A reusable link's page for customers. Works without scripts.

import type { ComponentChildren } from 'preact';
import type { PayableLink } from '../../db/payment-links/payment-links';
import type { Language } from '../../domain/language';
import { PAYMENT_LINK_BOUNDS, type PaymentLinkStatus } from '../../domain/payment-link';
import { formatMoney } from '../../pages/formats';
import { Badge, renderDocument, Rows, TextField } from './document';
import { collectedName, type LinkFaults, type LinkFields } from './link-form';
import { Monogram, merchantRows } from './parts';
import { WORDS } from './words';

export interface LinkPageOptions {
  readonly language: Language;
  /** The customer has chosen it: the page's own links and forms keep it. */
  readonly is_chosen: boolean;
  readonly is_simulated: boolean;
  /** The whole address of the page. */
  readonly url: string;
  /** The visit's, which makes one payment. */
  readonly form_id: string;
  readonly fields?: LinkFields;
  readonly faults?: LinkFaults;
  /** The obstacle to a payment that was ordered. */
  readonly notice?: 'later' | 'other_amount';
}

type Shown = Omit<LinkPageOptions, 'form_id'>;

const NONE: ReadonlyMap<string, string> = new Map();

export function renderLinkPage(link: PayableLink, options: LinkPageOptions): string {
  const { language, is_chosen, form_id, fields = NONE, faults = NONE, notice } = options;
  const words = WORDS[language];
  const { title, description, amount_minor } = link;
  return renderLink(
    link,
    options,
    title,
    <>
      <Monogram view={link} logo={logoOf(link)} />
      <h1>
        <span class="payee">{words.pay_to(<bdi>{link.merchant_name}</bdi>)}</span>{' '}
        <span dir="auto">{title}</span>
        {amount_minor !== null && (
          <span class="amount">{formatMoney(language, amount_minor, link.currency)}</span>
        )}
      </h1>
      {description !== null && (
        <p class="about" dir="auto">
          {description}
        </p>
      )}
      {notice && (
        <p class="notice warn" role="status">
          {notice === 'later' ? words.link_later : words.link_other_amount}
        </p>
      )}
      <form
        method="post"
        action={pathOf(link, is_chosen ? language : undefined)}
        class="order"
        noValidate
      >
        <input type="hidden" name="form_id" value={form_id} />
        {amount_minor === null && <AmountFields {...{ link, language, fields, faults }} />}
        {link.quantity_minimum !== null && (
          <TextField
            name="quantity"
            label={words.quantity}
            value={fields.get('quantity') ?? String(link.quantity_minimum)}
            fault={faults.get('quantity')}
            hint={words.quantity_range(link.quantity_minimum, link.quantity_maximum!)}
            inputmode="numeric"
          />
        )}
        {link.collect.map(({ key, label, required }) => (
          <TextField
            name={collectedName(key)}
            label={required ? label : words.optional(label)}
            value={fields.get(collectedName(key)) ?? ''}
            fault={faults.get(collectedName(key))}
            maxLength={PAYMENT_LINK_BOUNDS.answer}
          />
        ))}
        <button class="button" type="submit" data-busy={words.busy}>
          {words.go_on}
        </button>
      </form>
      <Rows rows={merchantRows(link, language)} />
    </>,
  );
}

interface AmountProps {
  readonly link: PayableLink;
  readonly language: Language;
  readonly fields: LinkFields;
  readonly faults: LinkFaults;
}

function AmountFields({ link, language, fields, faults }: AmountProps) {
  const words = WORDS[language];
  const { suggestions_minor, currency, minimum_minor, maximum_minor } = link;
  const money = (minor: bigint | string): string => formatMoney(language, BigInt(minor), currency);
  const hints = [
    minimum_minor !== null && words.amount_least(money(minimum_minor)),
    maximum_minor !== null && words.amount_most(money(maximum_minor)),
  ];
  return (
    <>
      {suggestions_minor.length > 0 && (
        <fieldset class="choices">
          <legend>{words.choose_amount}</legend>
          {suggestions_minor.map((minor) => (
            <label>
              <input
                type="radio"
                name="suggested"
                value={minor}
                checked={fields.get('suggested') === minor}
              />{' '}
              <span>{money(minor)}</span>
            </label>
          ))}
        </fieldset>
      )}
      <TextField
        name="amount"
        label={suggestions_minor.length > 0 ? words.other_amount : words.amount_in(currency)}
        value={fields.get('amount') ?? ''}
        fault={faults.get('amount')}
        hint={hints.filter(Boolean).join(' ')}
        inputmode="decimal"
      />
    </>
  );
}

/** This visit has made a payment: a customer who wants to make another one says so. */
export function renderBegunLink(link: PayableLink, paid_code: string, options: Shown): string {
  const { language, is_chosen } = options;
  const words = WORDS[language];
  const query = is_chosen ? `?lang=${language}` : '';
  return renderLink(
    link,
    options,
    words.link_begun,
    <>
      <Badge icon="clock" tone="quiet" />
      <h1>{words.link_begun}</h1>
      <p class="status" role="status">
        {words.link_begun_text}
      </p>
      <p class="actions">
        <a class="button" href={`/p/${paid_code}${query}`}>
          {words.link_see_payment}
        </a>
      </p>
      <form method="post" action={pathOf(link, is_chosen ? language : undefined)}>
        <input type="hidden" name="again" value="1" />
        <button class="button plain" type="submit" data-busy={words.busy}>
          {words.link_pay_again}
        </button>
      </form>
      <Rows
        rows={[
          { term: words.to, detail: <bdi>{link.merchant_name}</bdi> },
          { term: words.for, detail: <bdi>{link.title}</bdi> },
          ...merchantRows(link, language),
        ]}
      />
    </>,
  );
}

/** The link takes no payment now. */
export function renderClosedLink(
  link: PayableLink,
  status: Exclude<PaymentLinkStatus, 'active'>,
  options: Shown,
): string {
  const words = WORDS[options.language];
  const icons = { inactive: 'stop', sold_out: 'stop', expired: 'clock' } as const;
  const heading = words[`link_${status}`];
  return renderLink(
    link,
    options,
    heading,
    <>
      <Badge icon={icons[status]} tone="quiet" />
      <h1>{heading}</h1>
      <p class="status" role="status">
        {words[`link_${status}_text`](<bdi>{link.merchant_name}</bdi>)}
      </p>
      <Rows
        rows={[
          { term: words.to, detail: <bdi>{link.merchant_name}</bdi> },
          { term: words.for, detail: <bdi>{link.title}</bdi> },
          ...merchantRows(link, options.language),
        ]}
      />
    </>,
  );
}

function renderLink(
  link: PayableLink,
  { language, is_simulated, url }: Shown,
  heading: string,
  content: ComponentChildren,
): string {
  const words = WORDS[language];
  const other = language === 'en' ? 'fr' : 'en';
  const title = words.link_title(heading, link.merchant_name);
  const logo = logoOf(link);
  return renderDocument({
    language,
    other_language: pathOf(link, other),
    title,
    ribbon:
      link.environment === 'sandbox'
        ? words.test_ribbon
        : is_simulated
          ? words.simulated_ribbon
          : undefined,
    content: <>{content}</>,
    preview: {
      title,
      description: link.description,
      url,
      image: logo === undefined ? undefined : new URL(url).origin + logo,
    },
    has_script: true,
  });
}

function pathOf({ code }: PayableLink, language: Language | undefined): string {
  return `/l/${code}${language === undefined ? '' : `?lang=${language}`}`;
}

/** The version is in it, so that the picture may be cached for ever. */
function logoOf({ code, logo_version }: PayableLink): string | undefined {
  return logo_version === null ? undefined : `/l/${code}/logo?v=${logo_version}`;
}
