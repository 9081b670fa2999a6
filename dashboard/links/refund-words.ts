import { translate } from '../../domain/language';
import { ERRORS } from '../../domain/errors';
import { VOCABULARY } from '../../domain/vocabulary';
import type { RefundFailure, RefundStatus } from '../../domain/refund';

export const REFUND_STATUS_WORDS = translate<Readonly<Record<RefundStatus, string>>>({
  pending: ['Pending', 'En attente'],
  succeeded: ['Refunded', 'Remboursé'],
  failed: ['Failed', 'Échoué'],
});

export const REFUND_FAILURE_WORDS = translate<Readonly<Record<RefundFailure['code'], string>>>({
  refund_refused: [
    'The payment gateway made no refund; the money is in your wallet again.',
    'Le prestataire de paiement n’a pas remboursé ; l’argent est de nouveau dans votre portefeuille.',
  ],
  refund_failed: [
    'The refund failed; the money is in your wallet again.',
    'Le remboursement a échoué ; l’argent est de nouveau dans votre portefeuille.',
  ],
});

export const REFUND_WORDS = translate({
  ...VOCABULARY,
  refund: ['Refund', 'Rembourser'],
  refunds: ['Refunds', 'Remboursements'],
  caption: [
    'Refunds of this payment, newest first',
    'Remboursements de ce paiement, les plus récents d’abord',
  ],
  at: ['Ordered', 'Demandé'],
  title: ['Refund this payment', 'Rembourser ce paiement'],
  lead: [
    'The money leaves your wallet at once and goes to the customer through the payment gateway, which may take days.',
    'L’argent quitte votre portefeuille aussitôt et revient au client par le prestataire de paiement, ce qui peut prendre plusieurs jours.',
  ],
  fee_kept: [
    'The fee of the payment is not given back.',
    'Les frais du paiement ne sont pas rendus.',
  ],
  paid: ['Paid', 'Payé'],
  refunded: ['Refunded until now', 'Déjà remboursé'],
  in_part: [
    (net: string) => `Refunded in part · ${net} left`,
    (net) => `Remboursé en partie · ${net} net`,
  ],
  in_full: ['Refunded', 'Remboursé'],
  left: ['Can still be refunded', 'Encore remboursable'],
  reason_hint: [
    'For your own records; the customer does not see it.',
    'Pour vos dossiers ; le client ne le voit pas.',
  ],
  confirm_title: ['Refund this payment?', 'Rembourser ce paiement ?'],
  after: ['Left of this payment afterwards', 'Reste du paiement après cela'],
  refund_now: [
    (amount: string) => `Refund ${amount} now`,
    (amount) => `Rembourser ${amount} maintenant`,
  ],
  once: [
    'However often this form is sent, one refund is created.',
    'Même si ce formulaire est envoyé plusieurs fois, un seul remboursement est fait.',
  ],
  back: ['Back to the payment link', 'Retour au lien de paiement'],
  done: ['The refund was ordered.', 'Le remboursement a été demandé.'],
  nothing_left: [
    'Nothing of this payment is left to refund: pending refunds count.',
    'Il ne reste rien à rembourser de ce paiement : les remboursements en attente comptent.',
  ],
  payment_intent_not_refundable: ERRORS.payment_intent_not_refundable.shown,
  too_much: [
    (amount: string) => `At most ${amount} of this payment can still be refunded.`,
    (amount) => `On peut encore rembourser ${amount} au plus.`,
  ],
  insufficient: [
    'The balance of the wallet is too low for this refund.',
    'Le solde du portefeuille est insuffisant pour ce remboursement.',
  ],
});
