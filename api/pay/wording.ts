// Gateway messages and names as a customer reads them.

import type { Language } from '../../domain/language';
import type { PaymentFailure } from '../../domain/payment';
import { translateFailure } from '../../pages/failures';

/** Longer than any message that a gateway writes for a customer. */
const MAX_MESSAGE = 160;

/**
 * The gateway's message, if it is meant for people: a short sentence without addresses, card or
 * account numbers, markup or machine text. Other messages are shown to the merchant only.
 */
export function customerMessage(failure: PaymentFailure, language: Language): string | undefined {
  const text = translateFailure(language, failure).trim();
  if (text === '' || text.length > MAX_MESSAGE) return undefined;
  if (/[\p{Cc}<>{}[\]@_=\\]|:\/\/|www\.|\d[\d -]{4,}\d/u.test(text)) return undefined;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The first letter of a name, as people count letters: `É` and `ش` are one each. */
export function firstLetter(name: string): string | undefined {
  const letter = /[\p{L}\p{N}]\p{M}*/u.exec(name.normalize('NFC'))?.[0];
  return letter?.toLocaleUpperCase('en');
}
