// How a payment link gets to the customer: shared, sent, copied, shown as a code, or printed. Printing
// the page prints the poster alone.

import type { JSX } from 'preact';
import type { Merchant } from '../../db/accounts/public-profiles';
import type { IntentView } from '../../domain/intent';
import { formatMoney } from '../../pages/formats';
import { QrCode } from '../../pages/qr';
import { href, useFrame } from '../frame';
import { Copyable, Money } from '../parts';
import { WORDS } from './words';

export interface ShareProps {
  readonly view: IntentView;
  readonly pay_url: string;
  readonly merchant: Merchant;
}

export function Share({ view, pay_url, merchant }: ShareProps): JSX.Element {
  const words = WORDS[useFrame().language];
  return (
    <section class="card link poster" aria-labelledby="pay-url">
      <h2 id="pay-url" class="screen">
        {words.pay_url}
      </h2>
      <div class="screen">
        <Copyable value={pay_url} label={words.pay_url} />
      </div>
      <Send view={view} pay_url={pay_url} merchant={merchant} />
      <div class="paper">
        {merchant.logo_version !== null && <img src={href('/profile/logo')} alt="" />}
        <p class="shop">
          <bdi>{merchant.merchant_name}</bdi>
        </p>
        <p class="amount">
          <Money minor={view.amount_minor} currency={view.currency} />
        </p>
        <p class="call">{words.scan}</p>
        <p>{pay_url}</p>
      </div>
      <QrCode class="qr" text={pay_url} label={words.qr} />
      <p class="hint screen">{words.print}</p>
      <button type="button" class="button plain screen" data-print hidden>
        {words.print_poster}
      </button>
    </section>
  );
}

function Send({ view, pay_url, merchant }: ShareProps): JSX.Element {
  const { language } = useFrame();
  const words = WORDS[language];
  const amount = formatMoney(language, view.amount_minor, view.currency);
  const text = words.message(amount, merchant.merchant_name, view.description, pay_url);
  const body = encodeURIComponent(text);
  const phone = (view.customer_phone ?? '').replace(/[^+\d]/g, '');
  return (
    <p class="actions screen">
      <button type="button" class="button" data-share={text} hidden>
        {words.share}
      </button>
      <a class="button plain" href={`https://wa.me/${phone.replace('+', '')}?text=${body}`}>
        WhatsApp
      </a>
      {/* "?&": iOS and Android disagree on what begins the text, and both take this. */}
      <a class="button plain" href={`sms:${phone}?&body=${body}`}>
        SMS
      </a>
    </p>
  );
}
