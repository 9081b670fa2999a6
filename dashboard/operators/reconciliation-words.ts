// The words of reconciliations.

import { translate } from '../../domain/language';
import type { CheckStatus, FindingKind, ReconciliationCheck } from '../../domain/reconciliation';

const CHECKS_EN: Readonly<Record<ReconciliationCheck, string>> = {
  books: 'Books',
  losses: 'Losses',
  gateway_live: 'Gateway, live',
  gateway_sandbox: 'Gateway, sandbox',
  events: 'Events and deliveries',
  workflows: 'Rows and workflows',
};
const CHECKS_FR: Readonly<Record<ReconciliationCheck, string>> = {
  books: 'Comptes',
  losses: 'Pertes',
  gateway_live: 'Prestataire, mode réel',
  gateway_sandbox: 'Prestataire, mode test',
  events: 'Événements et livraisons',
  workflows: 'Lignes et workflows',
};

const STATUSES_EN: Readonly<Record<CheckStatus, string>> = {
  running: 'Under way',
  clean: 'Nothing found',
  found: 'Found',
  not_checked: 'Not checked',
  not_configured: 'No gateway',
};
const STATUSES_FR: Readonly<Record<CheckStatus, string>> = {
  running: 'En cours',
  clean: 'Rien à signaler',
  found: 'Écarts',
  not_checked: 'Non vérifié',
  not_configured: 'Aucun prestataire',
};

const KINDS_EN: Readonly<Record<FindingKind, string>> = {
  violation: 'An invariant of the books does not hold',
  loss: 'The gateway gave money back beyond the books',
  payment_missing: 'The gateway has taken a payment of which nothing was known here',
  payment_not_booked: 'The gateway has reported a payment, and it is not booked',
  payment_unknown: 'A payment is booked that the gateway has not taken',
  payment_differs: 'The gateway has taken another amount than is booked',
  refund_missing: 'The gateway has made a refund that was not ordered here',
  refund_unknown: 'A refund is recorded that the gateway does not know',
  refund_differs: 'The gateway has refunded another amount than is recorded',
  refund_status: 'The gateway says something else of a refund',
  delivery_missing: 'An event has no delivery for an endpoint that wanted it',
  delivery_without_attempt: 'A delivery has arrived, and no attempt says so',
  workflow_missing: 'A row waited for a workflow that did not run',
  workflow_left_over: 'A workflow runs whose row has ended',
};
const KINDS_FR: Readonly<Record<FindingKind, string>> = {
  violation: 'Un invariant des comptes n’est pas respecté',
  loss: 'Le prestataire a rendu plus d’argent que les comptes ne l’indiquent',
  payment_missing: 'Le prestataire a encaissé un paiement inconnu ici',
  payment_not_booked: 'Le prestataire a signalé un paiement qui n’est pas comptabilisé',
  payment_unknown: 'Un paiement est comptabilisé que le prestataire n’a pas encaissé',
  payment_differs: 'Le prestataire a encaissé un autre montant que celui comptabilisé',
  refund_missing: 'Le prestataire a fait un remboursement que personne n’a demandé ici',
  refund_unknown: 'Un remboursement est enregistré que le prestataire ne connaît pas',
  refund_differs: 'Le prestataire a remboursé un autre montant que celui enregistré',
  refund_status: 'Le prestataire indique un autre état d’un remboursement',
  delivery_missing: 'Un événement n’a pas de livraison pour un endpoint qui l’attendait',
  delivery_without_attempt: 'Une livraison est arrivée sans qu’aucune tentative ne le dise',
  workflow_missing: 'Une ligne attendait un workflow qui ne tournait pas',
  workflow_left_over: 'Un workflow tourne alors que sa ligne est terminée',
};

export const RECONCILIATION_WORDS = translate(
  {
    title: 'Reconciliations',
    lead: 'What was compared with the gateways, with Temporal and with itself, and what did not agree. To begin one now: npm run cli -- reconcile run.',
    number: 'Number',
    started: 'Started',
    ended: 'Ended',
    runs: 'Runs',
    broken_off: 'Broken off',
    result: 'Result',
    check: 'Check',
    time: 'What happened from, to',
    compared: 'Compared',
    found: 'Found',
    repaired: 'Of these repaired',
    findings: 'Findings',
    no_findings: 'Nothing was found.',
    what: 'What',
    reference: 'Reference',
    detail: 'Detail',
    is_repaired: 'Repaired',
    is_open: 'To be looked at',
    all: 'All reconciliations',
    checks: CHECKS_EN,
    statuses: STATUSES_EN,
    kinds: KINDS_EN,
  },
  {
    title: 'Rapprochements',
    lead: 'Ce qui a été comparé aux prestataires de paiement, à Temporal et au grand livre lui-même, et ce qui ne concorde pas. Pour en lancer un maintenant : npm run cli -- reconcile run.',
    number: 'Numéro',
    started: 'Début',
    ended: 'Fin',
    runs: 'En cours',
    broken_off: 'Interrompu',
    result: 'Résultat',
    check: 'Vérification',
    time: 'Ce qui s’est passé du, au',
    compared: 'Comparés',
    found: 'Écarts',
    repaired: 'Dont réparés',
    findings: 'Écarts',
    no_findings: 'Aucun écart.',
    what: 'Écart',
    reference: 'Référence',
    detail: 'Détail',
    is_repaired: 'Réparé',
    is_open: 'À examiner',
    all: 'Tous les rapprochements',
    checks: CHECKS_FR,
    statuses: STATUSES_FR,
    kinds: KINDS_FR,
  },
);
