// The names of a history's rows, on pages and in files.

import { translate } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';
import type { Direction, TransactionStatus, TransactionType } from '../../domain/transaction';

export const TYPE_WORDS = translate<Readonly<Record<TransactionType | 'transfer', string>>>({
  deposit: ['Payment received', 'Paiement reçu'],
  withdrawal: ['Payout', 'Envoi'],
  transfer_in: ['Transfer received', 'Transfert reçu'],
  transfer_out: ['Transfer sent', 'Transfert envoyé'],
  refund: ['Refund', 'Remboursement'],
  dispute: ['Dispute', 'Réclamation'],
  reversal: ['Reversal', 'Annulation'],
  adjustment: ['Credit', 'Crédit'],
  transfer: ['Transfers, sent and received', 'Transferts, envoyés et reçus'],
});

export const STATUS_WORDS = translate<Readonly<Record<TransactionStatus, string>>>({
  pending: ['Pending', 'En attente'],
  completed: ['Completed', 'Effectuée'],
  failed: ['Failed', 'Échouée'],
  reversed: ['Reversed', 'Annulée'],
  simulated: ['Simulated', 'Simulée'],
});

/** The columns of the history as a file for people. */
export const COLUMN_WORDS = translate({
  ...VOCABULARY,
  type: ['Type', 'Nature'],
  net_amount: ['Net amount', 'Montant net'],
  balance_after: ['Balance after', 'Solde après'],
  created_at: ['Date (UTC)', 'Date (UTC)'],
});

export const DIRECTION_WORDS = translate<Readonly<Record<Direction, string>>>({
  in: ['In', 'Entrée'],
  out: ['Out', 'Sortie'],
});
