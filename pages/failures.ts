// Why a payment failed, in French for what gateways say most often. They say it in English, unless they were
// asked otherwise; what is not listed stays in their words.

import type { Language } from '../domain/language';
import type { PaymentFailure } from '../domain/payment';

const FRENCH: ReadonlyMap<string, string> = new Map([
  ['card_declined', 'Le paiement a été refusé. Réessayez, ou payez autrement.'],
  ['generic_decline', 'Le paiement a été refusé. Réessayez, ou payez autrement.'],
  ['do_not_honor', 'Le paiement a été refusé. Réessayez, ou payez autrement.'],
  ['payment_failed', 'Le paiement n’a pas abouti.'],
  ['payment_refused', 'Le paiement a été refusé.'],
  ['insufficient_funds', 'Le solde est insuffisant.'],
  ['expired_card', 'La carte a expiré.'],
  ['incorrect_cvc', 'Le code de sécurité de la carte est inexact.'],
  ['incorrect_number', 'Le numéro de la carte est inexact.'],
  ['processing_error', 'Une erreur est survenue pendant le paiement. Réessayez.'],
  ['authentication_required', 'La banque demande une confirmation. Réessayez.'],
]);

export function translateFailure(language: Language, { code, message }: PaymentFailure): string {
  return (language === 'fr' ? FRENCH.get(code) : undefined) ?? message;
}
