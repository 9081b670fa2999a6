// The texts of the simulated phone and of the operator's page.

import { translate, type Pairs } from '../../../domain/language';
import type { Press } from './courses';

export const PHONE_WORDS = translate({
  phone: [(number: string) => `Phone ${number}`, (number) => `Téléphone ${number}`],
  page: [(operator: string) => `Pay with ${operator}`, (operator) => `Payer avec ${operator}`],
  asks: [
    (merchant: string, amount: string) => `Pay ${amount} to ${merchant}?`,
    (merchant, amount) => `Payer ${amount} à ${merchant} ?`,
  ],
  dial: [
    (code: string) => `The phone’s owner has dialed ${code} and sees this.`,
    (code) => `Le client a composé ${code} et voit ceci.`,
  ],
  press: {
    confirm: ['Confirm with the PIN', 'Confirmer avec le code secret'],
    decline: ['Decline', 'Refuser'],
    expire: ['Let it expire', 'Laisser expirer'],
  } satisfies Pairs<Record<Press, string>>,
  late: ['Give the PIN all the same', 'Saisir quand même le code secret'],
  late_text: [
    'The operator has stopped waiting. The customer is charged all the same, too late.',
    'L’opérateur n’attend plus. Le client est tout de même débité, trop tard.',
  ],
  on_page: [
    (operator: string) => `The customer answers on the page of ${operator}.`,
    (operator) => `Le client répond sur la page de ${operator}.`,
  ],
  give_up: ['Give up', 'Renoncer'],
  nothing: ['Nothing waits on this phone.', 'Rien n’attend sur ce téléphone.'],
  nothing_text: [
    'Begin a payment from this number, then come back to this page.',
    'Lancez un paiement depuis ce numéro, puis revenez sur cette page.',
  ],
  unknown: ['No such phone', 'Téléphone introuvable'],
  unknown_text: [
    'A number is + and 7 to 15 digits, such as /phones/+221770000013.',
    'Un numéro s’écrit + et 7 à 15 chiffres, comme /phones/+221770000013.',
  ],
  gone: ['No such payment', 'Paiement introuvable'],
  code: ['One-time code', 'Code à usage unique'],
  code_text: [
    (code: string) => `Dial ${code} to make the code that the pay page asks for.`,
    (code) => `Composez ${code} pour obtenir le code que demande la page de paiement.`,
  ],
  make: [(code: string) => `Dial ${code}`, (code) => `Composer ${code}`],
  made: ['Your code', 'Votre code'],
  before: ['Before', 'Précédemment'],
  status: {
    waiting: ['Waits', 'En attente'],
    paid: ['Paid', 'Payé'],
    failed: ['Not paid', 'Non payé'],
  } satisfies Pairs<Record<'waiting' | 'paid' | 'failed', string>>,
});
