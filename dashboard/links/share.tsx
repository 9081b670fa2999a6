// How a payment link gets to the customer: shared, sent, copied, or shown as a code. That of a reusable link is printed as
// well, alone, as a poster. The receipt is sent in the same ways.

import type { Merchant } from '../../db/accounts/public-profiles';
import { plainPhone } from '../../domain/phone';
import { QrCode } from '../../pages/qr';
import { href, useFrame } from '../frame';
import { Copyable } from '../parts';
import { WORDS } from './words';

export interface ShareProps {
  readonly pay_url: string;
  /** The payee; undefined for a link that takes no payment, which is not shared. */
  readonly merchant: Merchant | undefined;
  /** The amount in words; null when the customer chooses it. */
  readonly amount: string | null;
  readonly about: string | null;
  /** The customer's phone number, where it is known. */
  readonly phone?: string | null;
  /** The poster's address; a link that takes one payment has none. */
  readonly note?: string;
}

export function Share({ pay_url, merchant, amount, about, phone = null, note }: ShareProps) {
  const words = WORDS[useFrame().language];
  const address = <Copyable value={pay_url} label={words.pay_url} />;
  if (!merchant) {
    return (
      <section class="card link" aria-labelledby="pay-url">
        <h2 id="pay-url">{words.pay_url}</h2>
        {address}
      </section>
    );
  }
  return (
    <section
      class={note === undefined ? 'card link' : 'card link poster'}
      aria-labelledby="pay-url"
    >
      <h2 id="pay-url" class="screen">
        {words.pay_url}
      </h2>
      <div class="screen">{address}</div>
      <Send text={words.message(amount, merchant.merchant_name, about, pay_url)} to={phone} />
      {note !== undefined && (
        <div class="paper">
          {merchant.logo_version !== null && <img src={href('/profile/logo')} alt="" />}
          <p class="shop">
            <bdi>{merchant.merchant_name}</bdi>
          </p>
          <p class="title">
            <bdi>{about}</bdi>
          </p>
          {amount !== null && (
            <p class="amount">
              <span class="money">{amount}</span>
            </p>
          )}
          <p class="call">{words.scan}</p>
          <p>{pay_url}</p>
        </div>
      )}
      <QrCode class="qr" text={pay_url} label={words.qr} />
      {note !== undefined && (
        <>
          <p class="hint screen">{note}</p>
          <p class="actions screen">
            <button type="button" class="button plain" data-print hidden>
              {words.print_poster}
            </button>
            <a class="button plain" href={`${pay_url}/qr.svg?download`}>
              {words.save_qr}
            </a>
          </p>
        </>
      )}
    </section>
  );
}

export interface ReceiptProps {
  readonly url: string;
  readonly amount: string;
  readonly shop: string;
  readonly phone: string | null;
}

export function Receipt({ url, amount, shop, phone }: ReceiptProps) {
  const words = WORDS[useFrame().language];
  return (
    <section class="card link screen" aria-labelledby="receipt">
      <h2 id="receipt">{words.send_receipt}</h2>
      <Send text={words.receipt_message(amount, shop, url)} to={phone} />
      <Copyable value={url} label={words.send_receipt} />
    </section>
  );
}

function Send({ text, to }: { readonly text: string; readonly to: string | null }) {
  const words = WORDS[useFrame().language];
  const body = encodeURIComponent(text);
  const phone = plainPhone(to ?? '');
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
