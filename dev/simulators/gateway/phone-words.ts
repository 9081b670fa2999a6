// The texts of the simulated phone and of the operator's page.

import { translate } from '../../../domain/language';
import type { Charge, Press } from './charge-store';

export const PHONE_WORDS = translate(
  {
    phone: (number: string) => `Phone ${number}`,
    page: (operator: string) => `Pay with ${operator}`,
    asks: (merchant: string, amount: string) => `Pay ${amount} to ${merchant}?`,
    dial: (code: string) => `The phone’s owner has dialed ${code} and sees this.`,
    press: {
      confirm: 'Confirm with the PIN',
      decline: 'Decline',
      expire: 'Let it expire',
    } satisfies Record<Press, string>,
    late: 'Give the PIN all the same',
    late_text: 'The operator has stopped waiting. The customer is charged all the same, too late.',
    to_page: (operator: string) => `Open the page of ${operator}`,
    give_up: 'Give up',
    nothing: 'Nothing waits on this phone.',
    nothing_text: 'Begin a payment from this number, then come back to this page.',
    unknown: 'No such phone',
    unknown_text: 'A number is + and 7 to 15 digits, such as /phones/+221770000013.',
    gone: 'No such payment',
    code: 'One-time code',
    code_text: (code: string) => `Dial ${code} to make the code that the pay page asks for.`,
    make: (code: string) => `Dial ${code}`,
    made: 'Your code',
    before: 'Before',
    status: {
      waiting: 'Waits',
      paid: 'Paid',
      failed: 'Not paid',
    } satisfies Record<Charge['status'], string>,
  },
  {
    phone: (number: string) => `Téléphone ${number}`,
    page: (operator: string) => `Payer avec ${operator}`,
    asks: (merchant: string, amount: string) => `Payer ${amount} à ${merchant} ?`,
    dial: (code: string) => `Le client a composé ${code} et voit ceci.`,
    press: {
      confirm: 'Confirmer avec le code secret',
      decline: 'Refuser',
      expire: 'Laisser expirer',
    },
    late: 'Saisir quand même le code secret',
    late_text: 'L’opérateur n’attend plus. Le client est tout de même débité, trop tard.',
    to_page: (operator: string) => `Ouvrir la page de ${operator}`,
    give_up: 'Renoncer',
    nothing: 'Rien n’attend sur ce téléphone.',
    nothing_text: 'Lancez un paiement depuis ce numéro, puis revenez sur cette page.',
    unknown: 'Téléphone introuvable',
    unknown_text: 'Un numéro s’écrit + et 7 à 15 chiffres, comme /phones/+221770000013.',
    gone: 'Paiement introuvable',
    code: 'Code à usage unique',
    code_text: (code: string) =>
      `Composez ${code} pour obtenir le code que demande la page de paiement.`,
    make: (code: string) => `Composer ${code}`,
    made: 'Votre code',
    before: 'Précédemment',
    status: { waiting: 'En attente', paid: 'Payé', failed: 'Non payé' },
  },
);
