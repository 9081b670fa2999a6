import type { DisputeStatus } from '../../domain/dispute';
import { labelled, translate, type Language } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';

export const DISPUTE_STATUS_WORDS = translate<Readonly<Record<DisputeStatus, string>>>({
  open: ['Open', 'En cours'],
  won: ['Won', 'Gagné'],
  lost: ['Lost', 'Perdu'],
});

/** The words of Stripe, whose list it is (https://docs.stripe.com/disputes/categories). */
export const REASONS = translate<Readonly<Record<string, string>>>({
  bank_cannot_process: [
    'The bank cannot process the payment',
    'La banque ne peut pas traiter le paiement',
  ],
  credit_not_processed: ['A refund did not arrive', 'Un remboursement n’est pas arrivé'],
  customer_initiated: ['The customer asked for the money back', 'Le client redemande l’argent'],
  debit_not_authorized: [
    'The customer did not authorise the payment',
    'Le client n’a pas autorisé le paiement',
  ],
  duplicate: ['Paid twice', 'Payé deux fois'],
  fraudulent: [
    'The customer says that somebody else paid',
    'Le client dit que quelqu’un d’autre a payé',
  ],
  general: ['No reason was given', 'Aucun motif n’est donné'],
  incorrect_account_details: ['Wrong account', 'Coordonnées bancaires erronées'],
  insufficient_funds: ['Insufficient funds', 'Provision insuffisante'],
  noncompliant: [
    'Against the rules of the card network',
    'Contraire aux règles du réseau de cartes',
  ],
  product_not_received: ['The goods did not arrive', 'La marchandise n’est pas arrivée'],
  product_unacceptable: ['The goods are not as described', 'La marchandise n’est pas conforme'],
  subscription_canceled: ['The subscription was cancelled', 'L’abonnement était résilié'],
  // A row of the history shows this one beside the reasons of the others.
  fee: ['Fee of the lost dispute', 'Frais de la réclamation perdue'],
  unrecognized: [
    'The customer does not recognise the payment',
    'Le client ne reconnaît pas le paiement',
  ],
});

/** A reason without words here keeps the gateway's name. */
export function reasonWords(language: Language, reason: string): string {
  return Object.hasOwn(REASONS[language], reason) ? REASONS[language][reason]! : reason;
}

export const DISPUTE_WORDS = translate({
  ...VOCABULARY,
  lead: [
    'A customer’s bank takes a payment back, and decides weeks later. Until then the amount has left your wallet. Send what proves the sale (invoice, delivery, messages) to the operator of this service before the date below.',
    'La banque d’un client reprend un paiement, et tranche quelques semaines plus tard. D’ici là, le montant est retiré de votre portefeuille. Envoyez à l’opérateur de ce service ce qui prouve la vente (facture, livraison, messages) avant la date indiquée.',
  ],
  caption: ['Disputes, newest first', 'Réclamations, de la plus récente à la plus ancienne'],
  of_payment: ['Disputes of this payment', 'Réclamations sur ce paiement'],
  at: ['Opened', 'Ouvert le'],
  owed_hint: [
    (amount: string) => `${amount} still owed: taken from what arrives next`,
    (amount) => labelled('fr', 'Reste dû, à prélever sur vos prochains encaissements', amount),
  ],
  fee: [(amount: string) => `fee: ${amount}`, (amount) => labelled('fr', 'frais', amount)],
  due: ['Respond by', 'Répondre avant'],
  none: ['Your customers dispute no payment.', 'Aucun paiement n’est contesté.'],
  see: ['See the payment', 'Voir le paiement'],
});
