// What the rows of a history are called, on pages and in files.

import { translate } from '../../domain/language';
import type { Direction, TransactionStatus, TransactionType } from '../../domain/transaction';

export const TYPE_WORDS = translate<Readonly<Record<TransactionType | 'transfer', string>>>(
  {
    deposit: 'Payment received',
    withdrawal: 'Withdrawal',
    transfer_in: 'Transfer received',
    transfer_out: 'Transfer sent',
    refund: 'Refund',
    dispute: 'Dispute',
    reversal: 'Reversal',
    adjustment: 'Adjustment',
    transfer: 'Transfers, sent and received',
  },
  {
    deposit: 'Paiement reçu',
    withdrawal: 'Retrait',
    transfer_in: 'Transfert reçu',
    transfer_out: 'Transfert envoyé',
    refund: 'Remboursement',
    dispute: 'Litige',
    reversal: 'Annulation',
    adjustment: 'Ajustement',
    transfer: 'Transferts, envoyés et reçus',
  },
);

export const STATUS_WORDS = translate<Readonly<Record<TransactionStatus, string>>>(
  {
    pending: 'Pending',
    completed: 'Completed',
    failed: 'Failed',
    reversed: 'Reversed',
    simulated: 'Simulated',
  },
  {
    pending: 'En attente',
    completed: 'Effectuée',
    failed: 'Échouée',
    reversed: 'Annulée',
    simulated: 'Simulée',
  },
);

/** The columns of the history as a file for people. */
export const COLUMN_WORDS = translate(
  {
    id: 'Id',
    type: 'Type',
    status: 'Status',
    direction: 'Direction',
    currency: 'Currency',
    amount: 'Amount',
    fee: 'Fee',
    net_amount: 'Net amount',
    balance_after: 'Balance after',
    reference: 'Reference',
    counterparty: 'With',
    description: 'Description',
    related: 'Belongs to',
    created_at: 'Date (UTC)',
  },
  {
    id: 'Identifiant',
    type: 'Nature',
    status: 'État',
    direction: 'Sens',
    currency: 'Devise',
    amount: 'Montant',
    fee: 'Frais',
    net_amount: 'Montant net',
    balance_after: 'Solde après',
    reference: 'Référence',
    counterparty: 'Avec',
    description: 'Description',
    related: 'Se rapporte à',
    created_at: 'Date (UTC)',
  },
);

export const DIRECTION_WORDS = translate<Readonly<Record<Direction, string>>>(
  { in: 'In', out: 'Out' },
  { in: 'Entrée', out: 'Sortie' },
);
