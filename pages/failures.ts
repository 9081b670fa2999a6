// Why a payment failed, in the reader's words for what gateways and operators say most often. Gateways say it in English,
// unless they were asked otherwise, and operators for those who know them; what is not listed stays in their words.

import { translate, type Language, type Translated } from '../domain/language';
import type { PaymentFailure } from '../domain/payment';
import type { AttemptFailure } from '../domain/payment-attempt';

/** Why an attempt to pay by phone failed. */
export const ATTEMPTS = translate<Readonly<Record<AttemptFailure['code'], string>>>({
  payer_not_found: [
    'This number has no account with the operator. Check it, or choose another operator.',
    'Ce numéro n’a pas de compte chez l’opérateur. Vérifiez-le, ou choisissez un autre opérateur.',
  ],
  payer_blocked: [
    'The operator has blocked this account. Pay another way, or ask the operator.',
    'L’opérateur a bloqué ce compte. Payez autrement, ou adressez-vous à l’opérateur.',
  ],
  payer_limit_exceeded: [
    'The amount is above the limit of this account. Pay another way.',
    'Le montant dépasse le plafond de ce compte. Payez autrement.',
  ],
  insufficient_funds: ['There is not enough money in the account.', 'Le solde est insuffisant.'],
  not_approved: [
    'The payment was not confirmed on the phone.',
    'Le paiement n’a pas été confirmé sur le téléphone.',
  ],
  wrong_otp: [
    'The one-time code was wrong or too old. Begin again with a new one.',
    'Le code à usage unique était inexact ou périmé. Recommencez avec un nouveau code.',
  ],
  expired: ['The time to confirm it is over.', 'Le délai pour le confirmer est écoulé.'],
  amount_out_of_bounds: [
    'The operator does not take this amount. Pay another way.',
    'L’opérateur n’accepte pas ce montant. Payez autrement.',
  ],
  provider_unavailable: [
    'The operator takes no payments now. Pay another way, or come back later.',
    'L’opérateur ne prend pas de paiement pour le moment. Payez autrement, ou revenez plus tard.',
  ],
  rejected: [
    'The operator has refused it. Pay another way.',
    'L’opérateur l’a refusé. Payez autrement.',
  ],
  unspecified: ['The operator does not say why.', 'L’opérateur ne dit pas pourquoi.'],
});

const WORDS: Translated<ReadonlyMap<string, string>> = {
  en: new Map(Object.entries(ATTEMPTS.en)),
  fr: new Map([
    ...Object.entries(ATTEMPTS.fr),
    ['card_declined', 'Le paiement a été refusé. Réessayez, ou payez autrement.'],
    ['generic_decline', 'Le paiement a été refusé. Réessayez, ou payez autrement.'],
    ['do_not_honor', 'Le paiement a été refusé. Réessayez, ou payez autrement.'],
    ['payment_failed', 'Le paiement n’a pas abouti.'],
    ['payment_refused', 'Le paiement a été refusé.'],
    ['expired_card', 'La carte a expiré.'],
    ['incorrect_cvc', 'Le code de sécurité de la carte est inexact.'],
    ['incorrect_number', 'Le numéro de la carte est inexact.'],
    ['processing_error', 'Une erreur est survenue pendant le paiement. Réessayez.'],
    ['authentication_required', 'La banque demande une confirmation. Réessayez.'],
    // Our own (note_arrival).
    [
      'limit_exceeded',
      'Le paiement a été reçu et dépasse un plafond du compte : il attend l’opérateur.',
    ],
  ]),
};

export function translateFailure(language: Language, { code, message }: PaymentFailure): string {
  return WORDS[language].get(code) ?? message;
}
