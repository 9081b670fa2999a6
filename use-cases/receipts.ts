// Receipts of payments, mailed to customers who gave their address. Which language they read is not
// known, so the mail is in both.

import type { Db } from '../db/connect';
import { dropOldReceipts, queueReceipt, type WaitingReceipt } from '../db/payment-intents/receipts';
import { readEmail } from '../domain/email';
import { payUrl } from '../domain/intent';
import { labelled, LANGUAGES, translate, type Language } from '../domain/language';
import { VOCABULARY } from '../domain/vocabulary';
import { formatCountry, formatMoney, formatTime } from '../pages/formats';
import type { Sealer } from '../secrets/seal';
import { sealMail, type Mail } from './mails';

/** A receipt that comes later than this surprises more than it helps. */
const TOO_OLD_SECONDS = 3 * 24 * 60 * 60;

export interface ReceiptDependencies {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly pay_url_base: string;
}

/** Those that waited for days; returns how many. */
export function giveUpOldReceipts(db: Db): Promise<number> {
  return dropOldReceipts(db, TOO_OLD_SECONDS);
}

/**
 * Returns the id of its mail, which waits for its start; undefined when another process made it.
 */
export async function makeReceiptMail(
  { db, sealer, pay_url_base }: ReceiptDependencies,
  receipt: WaitingReceipt,
): Promise<string | undefined> {
  const mail = sealMail(sealer, receiptMail(receipt, pay_url_base));
  return (await queueReceipt(db, receipt.id, mail)) ? mail.id : undefined;
}

export const WORDS = translate({
  ...VOCABULARY,
  paid: [
    (amount: string, payee: string) => `You have paid ${amount} to ${payee}.`,
    (amount, payee) => `Vous avez payé ${amount} à ${payee}.`,
  ],
  for: ['For', 'Pour'],
  receipt: ['The receipt, to print or keep:', 'Le reçu, à imprimer ou à garder :'],
});

export function receiptMail(receipt: WaitingReceipt, pay_url_base: string): Mail {
  const url = `${payUrl(pay_url_base, receipt.short_code)}/receipt`;
  const parts = LANGUAGES.map((language) => textOf(receipt, language, url));
  return {
    to: receipt.customer_email,
    // A name is one line without control characters, and so is a username.
    subject: `Receipt / Reçu\u00a0: ${quoted(receipt.merchant_name)}`,
    text: `${parts.join('\n\n— — —\n\n')}\n`,
  };
}

function textOf(receipt: WaitingReceipt, language: Language, url: string): string {
  const words = WORDS[language];
  const { merchant_name, merchant_country, merchant_contact, description } = receipt;
  const amount = formatMoney(language, receipt.amount_minor, receipt.currency);
  const payee = `${quoted(merchant_name)} (${formatCountry(language, merchant_country)})`;
  return [
    words.paid(amount, payee),
    [
      labelled(language, words.date, formatTime(language, receipt.succeeded_at)),
      labelled(language, words.reference, receipt.reference),
      ...(description === null ? [] : [labelled(language, words.for, quoted(description))]),
      ...(merchant_contact === null
        ? []
        : [labelled(language, words.contact, contactWithoutLinks(merchant_contact))]),
    ].join('\n'),
    `${words.receipt}\n${withLanguage(url, language)}`,
  ].join('\n\n');
}

/** Anybody may pay a link of their own with a stranger's address: no word of theirs leads anywhere. */
const quoted = (text: string): string => withoutLinks(oneLine(text));

const PLAIN_ADDRESS = /^[\p{L}\p{N}._+-]+@[\p{L}\p{N}.-]+$/u;

/** An e-mail address stays one, for a customer with a question; with a path before its @ it could be read as a page. */
function contactWithoutLinks(contact: string): string {
  return oneLine(contact)
    .split(/([\s,;()<>|]+)/u)
    .map((part) =>
      PLAIN_ADDRESS.test(part) && readEmail(part) !== undefined ? part : withoutLinks(part),
    )
    .join('');
}

function withLanguage(url: string, language: Language): string {
  return `${url}?lang=${language}`;
}

/**
 * Merchants write them: a line of theirs must not look like one of ours. A joiner holds an emoji
 * together.
 */
export function oneLine(text: string): string {
  return text.replace(/(?:(?!\u200d)[\p{C}\p{Z}])+/gu, ' ').trim();
}

/** Words of another person: a program for mails finds no address in them to make a link of. */
export function withoutLinks(text: string): string {
  return text.replace(/:(?=\/\/)|@|[.\u3002\uff0e\uff61](?=\p{L})/gu, '$& ');
}
