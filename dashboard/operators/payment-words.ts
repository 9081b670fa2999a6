import type { TransactionStatus } from '../../domain/transaction';
import { counted, translate, type Language } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';
import type { FoundThing } from '../../use-cases/operator-search';
import { STATUS_WORDS as TRANSACTION_STATUSES } from '../../use-cases/transactions/words';
import { REFUND_STATUS_WORDS } from '../links/refund-words';
import { STATUS_WORDS as LINK_STATUSES } from '../links/words';
import { STATUS_WORDS as PAYOUT_STATUSES } from '../payouts/words';
import { RISK_WORDS } from './risk-words';
import { WORDS } from './words';

export const UNOPENED = translate({
  creating: ['Being opened', 'En cours d’ouverture'],
  abandoned: ['Never opened', 'Jamais ouvert'],
});

/** The state of what was found, in the words of the pages that show it. */
export function stateWords(
  language: Language,
  { kind, status }: Pick<FoundThing, 'kind' | 'status'>,
): string {
  const transfers: Readonly<Record<TransactionStatus, string>> = TRANSACTION_STATUSES[language];
  const names: Readonly<Record<FoundThing['kind'], Readonly<Record<string, string>>>> = {
    intent: { ...UNOPENED[language], ...LINK_STATUSES[language] },
    transfer: transfers,
    refund: REFUND_STATUS_WORDS[language],
    payout: PAYOUT_STATUSES[language],
    item: WORDS[language].statuses,
    case: RISK_WORDS[language].statuses,
  };
  return names[kind][status] ?? status;
}

export const PAYMENT_WORDS = translate({
  ...VOCABULARY,
  refunds: ['Refunds', 'Remboursements'],
  refunded: ['Refunded', 'Remboursé'],
  net: ['The merchant gets', 'Le marchand reçoit'],
  attempts: ['Attempts to pay by phone', 'Tentatives de paiement par téléphone'],
  attempt_statuses: {
    waiting: ['Waiting', 'En attente'],
    succeeded: ['Paid', 'Payée'],
    failed: ['Failed', 'Échouée'],
  },
  postings: ['Transactions in the ledger', 'Opérations au grand livre'],
  ledger_accounts: {
    gateway_clearing: ['Owed by the gateway', 'Dû par le prestataire'],
    fees: ['Fees', 'Frais'],
    bank: ['Bank', 'Banque'],
    provider_fees: ['Fees of providers and banks', 'Frais des prestataires et banques'],
    suspense: ['Suspense', 'Fonds en suspens'],
    disputes: ['Disputes', 'Réclamations'],
    operator: ['The operator account', 'Le compte de l’opérateur'],
    sandbox_source: ['Play money of test mode', 'Argent fictif du mode test'],
    refunds: ['Refunds under way', 'Remboursements en cours'],
    payouts: ['Payouts under way', 'Envois en cours'],
  },
  posting_balance: ['Balance after it', 'Solde après'],
  unapplied: [
    'Notices of the gateway that are not applied yet',
    'Notifications du prestataire pas encore appliquées',
  ],
  tries: [
    (count: number) => counted('en', count, 'try', 'tries'),
    (count) => counted('fr', count, 'essai', 'essais'),
  ],
  request: ['Request', 'Requête'],
});
