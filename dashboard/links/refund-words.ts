import { translate } from '../../domain/language';
import { MAX_REFUNDS } from '../../domain/intent';
import type { RefundFailure, RefundStatus } from '../../domain/refund';

export const REFUND_STATUS_WORDS = translate<Readonly<Record<RefundStatus, string>>>(
  { pending: 'Pending', succeeded: 'Refunded', failed: 'Failed' },
  { pending: 'En attente', succeeded: 'Remboursé', failed: 'Échoué' },
);

export const REFUND_FAILURE_WORDS = translate<Readonly<Record<RefundFailure['code'], string>>>(
  {
    refund_refused: 'The payment gateway made no refund; the money is in your wallet again.',
    refund_failed: 'The refund failed; the money is in your wallet again.',
  },
  {
    refund_refused:
      'Le prestataire de paiement n’a pas remboursé ; l’argent est de nouveau dans votre portefeuille.',
    refund_failed: 'Le remboursement a échoué ; l’argent est de nouveau dans votre portefeuille.',
  },
);

export const REFUND_WORDS = translate(
  {
    refund: 'Refund',
    refunds: 'Refunds',
    caption: 'Refunds of this payment, newest first',
    at: 'Ordered',
    amount: 'Amount',
    status: 'Status',
    reason: 'Reason',
    reference: 'Reference',
    title: 'Refund this payment',
    lead: 'The money leaves your wallet at once and goes to the customer through the payment gateway, which may take days. The fee of the payment is not given back.',
    paid: 'Paid',
    refunded: 'Refunded until now',
    in_part: (net: string) => `Refunded in part · ${net} left`,
    in_full: 'Refunded',
    left: 'Can still be refunded',
    reason_hint: 'For your own records; the customer does not see it.',
    next: 'Continue',
    confirm_title: 'Refund this payment?',
    after: 'Left of this payment afterwards',
    refund_now: (amount: string) => `Refund ${amount} now`,
    once: 'However often this form is sent, one refund is created.',
    change: 'Change',
    back: 'Back to the payment link',
    done: 'The refund was ordered.',
    nothing_left: 'Nothing of this payment is left to refund: pending refunds count.',
    not_paid: 'Only a payment that has arrived can be refunded.',
    frozen: 'This account is frozen, so it can refund nothing.',
    too_much: (amount: string) => `At most ${amount} of this payment can still be refunded.`,
    too_many: `This payment has had ${MAX_REFUNDS} refunds, the most there may be. Give the rest back another way.`,
    insufficient: 'The balance of the wallet is too low for this refund.',
    fault_reason: 'At most 500 characters.',
    reused: 'This form had been sent with other values. Check them and send it again.',
    unknown: 'It is not known yet whether the refund was ordered',
    unknown_text:
      'The service did not answer in time. Ask again: if the refund was ordered, no second one is created.',
    ask_again: 'Ask again',
  },
  {
    refund: 'Rembourser',
    refunds: 'Remboursements',
    caption: 'Remboursements de ce paiement, les plus récents d’abord',
    at: 'Demandé',
    amount: 'Montant',
    status: 'État',
    reason: 'Motif',
    reference: 'Référence',
    title: 'Rembourser ce paiement',
    lead: 'L’argent quitte votre portefeuille aussitôt et revient au client par le prestataire de paiement, ce qui peut prendre plusieurs jours. Les frais du paiement ne sont pas rendus.',
    paid: 'Payé',
    refunded: 'Déjà remboursé',
    in_part: (net: string) => `Remboursé en partie · ${net} net`,
    in_full: 'Remboursé',
    left: 'Encore remboursable',
    reason_hint: 'Pour vos dossiers ; le client ne le voit pas.',
    next: 'Continuer',
    confirm_title: 'Rembourser ce paiement ?',
    after: 'Reste du paiement après cela',
    refund_now: (amount: string) => `Rembourser ${amount} maintenant`,
    once: 'Même si ce formulaire est envoyé plusieurs fois, un seul remboursement est fait.',
    change: 'Modifier',
    back: 'Retour au lien de paiement',
    done: 'Le remboursement a été demandé.',
    nothing_left:
      'Il ne reste rien à rembourser de ce paiement : les remboursements en attente comptent.',
    not_paid: 'Seul un paiement arrivé peut être remboursé.',
    frozen: 'Ce compte est gelé : il ne peut rien rembourser.',
    too_much: (amount: string) => `On peut encore rembourser ${amount} au plus.`,
    too_many: `Ce paiement a déjà fait l’objet de ${MAX_REFUNDS} remboursements, le maximum. Rendez le reste autrement.`,
    insufficient: 'Le solde du portefeuille est insuffisant pour ce remboursement.',
    fault_reason: '500 caractères au plus.',
    reused: 'Ce formulaire avait été envoyé avec d’autres valeurs. Vérifiez-les et renvoyez-le.',
    unknown: 'On ne sait pas encore si le remboursement a été demandé',
    unknown_text:
      'Le service n’a pas répondu à temps. Vérifiez de nouveau : si le remboursement a été demandé, il n’y en aura pas de second.',
    ask_again: 'Vérifier de nouveau',
  },
);
