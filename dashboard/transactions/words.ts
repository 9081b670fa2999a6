import { translate } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';

export const WORDS = translate({
  ...VOCABULARY,
  caption: ['Transactions, newest first', 'Transactions, les plus récentes d’abord'],
  what: ['What', 'Opération'],
  with: ['With, or for', 'Avec, ou motif'],
  balance: ['Balance after', 'Solde après'],
  net: ['Net amount', 'Montant net'],
  payment_link: ['a payment link', 'un lien de paiement'],
  transfer_page: ['Open the transfer', 'Ouvrir le transfert'],
  opening_balance: ['Opening balance of the sandbox', 'Solde de départ du mode test'],
  history_since: [
    (day: string) =>
      `Your history begins on ${day}. What was before is in the archive of this service’s operator.`,
    (day: string) =>
      `Votre historique commence le ${day}. Ce qui précède se trouve dans les archives de l’opérateur de ce service.`,
  ],
  busy: ['An export is under way', 'Un export est en cours'],
  busy_text: [
    'You are downloading a file already. Wait until it is complete, or cancel it there.',
    'Vous téléchargez déjà un fichier. Attendez qu’il soit complet, ou annulez ce téléchargement.',
  ],
});
