import type { DisputeStatus } from '../../domain/dispute';
import { labelled, translate, type Language } from '../../domain/language';

export const DISPUTE_STATUS_WORDS = translate<Readonly<Record<DisputeStatus, string>>>(
  { open: 'Open', won: 'Won', lost: 'Lost' },
  { open: 'En cours', won: 'Gagné', lost: 'Perdu' },
);

/** The words of Stripe, whose list it is (https://docs.stripe.com/disputes/categories). */
export const REASONS = translate<Readonly<Record<string, string>>>(
  {
    bank_cannot_process: 'The bank cannot process the payment',
    credit_not_processed: 'A refund did not arrive',
    customer_initiated: 'The customer asked for the money back',
    debit_not_authorized: 'The customer did not authorise the payment',
    duplicate: 'Paid twice',
    fraudulent: 'The customer says that somebody else paid',
    general: 'No reason was given',
    incorrect_account_details: 'Wrong account',
    insufficient_funds: 'Insufficient funds',
    noncompliant: 'Against the rules of the card network',
    product_not_received: 'The goods did not arrive',
    product_unacceptable: 'The goods are not as described',
    subscription_canceled: 'The subscription was cancelled',
    // A row of the history shows this one beside the reasons of the others.
    fee: 'Fee of the lost dispute',
    unrecognized: 'The customer does not recognise the payment',
  },
  {
    bank_cannot_process: 'La banque ne peut pas traiter le paiement',
    credit_not_processed: 'Un remboursement n’est pas arrivé',
    customer_initiated: 'Le client redemande l’argent',
    debit_not_authorized: 'Le client n’a pas autorisé le paiement',
    duplicate: 'Payé deux fois',
    fraudulent: 'Le client dit que quelqu’un d’autre a payé',
    general: 'Aucun motif n’est donné',
    incorrect_account_details: 'Coordonnées bancaires erronées',
    insufficient_funds: 'Provision insuffisante',
    noncompliant: 'Contraire aux règles du réseau de cartes',
    product_not_received: 'La marchandise n’est pas arrivée',
    product_unacceptable: 'La marchandise n’est pas conforme',
    subscription_canceled: 'L’abonnement était résilié',
    fee: 'Frais du litige perdu',
    unrecognized: 'Le client ne reconnaît pas le paiement',
  },
);

/** A reason without words here keeps the gateway's name. */
export function reasonWords(language: Language, reason: string): string {
  return Object.hasOwn(REASONS[language], reason) ? REASONS[language][reason]! : reason;
}

export const DISPUTE_WORDS = translate(
  {
    disputes: 'Disputes',
    lead: 'A customer’s bank takes a payment back, and decides weeks later. Until then the amount has left your wallet. Send what proves the sale (invoice, delivery, messages) to the operator of this service before the date below.',
    caption: 'Disputes, newest first',
    of_payment: 'Disputes of this payment',
    at: 'Opened',
    payment: 'Payment',
    amount: 'Amount',
    owed_hint: (amount: string) => `${amount} still owed: taken from what arrives next`,
    fee: (amount: string) => `fee: ${amount}`,
    reason: 'Reason',
    due: 'Respond by',
    status: 'Status',
    reference: 'Reference',
    none: 'Your customers dispute no payment.',
    see: 'See the payment',
  },
  {
    disputes: 'Litiges',
    lead: 'La banque d’un client reprend un paiement, et tranche quelques semaines plus tard. D’ici là, le montant est retiré de votre portefeuille. Envoyez à l’opérateur de ce service ce qui prouve la vente (facture, livraison, messages) avant la date indiquée.',
    caption: 'Litiges, du plus récent au plus ancien',
    of_payment: 'Litiges sur ce paiement',
    at: 'Ouvert le',
    payment: 'Paiement',
    amount: 'Montant',
    owed_hint: (amount: string) =>
      labelled('fr', 'Reste dû, à prélever sur vos prochains encaissements', amount),
    fee: (amount: string) => labelled('fr', 'frais', amount),
    reason: 'Motif',
    due: 'Répondre avant',
    status: 'État',
    reference: 'Référence',
    none: 'Aucun paiement n’est contesté.',
    see: 'Voir le paiement',
  },
);
