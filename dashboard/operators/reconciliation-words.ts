// The words of reconciliations.

import { translate, type Pairs } from '../../domain/language';
import type { CheckStatus, FindingKind, ReconciliationCheck } from '../../domain/reconciliation';

const CHECKS: Pairs<Readonly<Record<ReconciliationCheck, string>>> = {
  books: ['Books', 'Comptes'],
  losses: ['Losses', 'Pertes'],
  gateway_live: ['Gateway, live', 'Prestataire, mode réel'],
  gateway_sandbox: ['Gateway, sandbox', 'Prestataire, mode test'],
  events: ['Events and deliveries', 'Événements et livraisons'],
  workflows: ['Rows and workflows', 'Lignes et workflows'],
};

const STATUSES: Pairs<Readonly<Record<CheckStatus, string>>> = {
  running: ['Under way', 'En cours'],
  clean: ['Nothing found', 'Rien à signaler'],
  found: ['Found', 'Écarts'],
  not_checked: ['Not checked', 'Non vérifié'],
  not_configured: ['No gateway', 'Aucun prestataire'],
};

const KINDS: Pairs<Readonly<Record<FindingKind, string>>> = {
  violation: [
    'An invariant of the books does not hold',
    'Un invariant des comptes n’est pas respecté',
  ],
  loss: [
    'The gateway gave money back beyond the books',
    'Le prestataire a rendu plus d’argent que les comptes ne l’indiquent',
  ],
  payment_missing: [
    'The gateway has taken a payment of which nothing was known here',
    'Le prestataire a encaissé un paiement inconnu ici',
  ],
  payment_not_booked: [
    'The gateway has reported a payment, and it is not booked',
    'Le prestataire a signalé un paiement qui n’est pas comptabilisé',
  ],
  payment_unknown: [
    'A payment is booked that the gateway has not taken',
    'Un paiement est comptabilisé que le prestataire n’a pas encaissé',
  ],
  payment_differs: [
    'The gateway has taken another amount than is booked',
    'Le prestataire a encaissé un autre montant que celui comptabilisé',
  ],
  refund_missing: [
    'The gateway has made a refund that was not ordered here',
    'Le prestataire a fait un remboursement que personne n’a demandé ici',
  ],
  refund_unknown: [
    'A refund is recorded that the gateway does not know',
    'Un remboursement est enregistré que le prestataire ne connaît pas',
  ],
  refund_differs: [
    'The gateway has refunded another amount than is recorded',
    'Le prestataire a remboursé un autre montant que celui enregistré',
  ],
  refund_status: [
    'The gateway says something else of a refund',
    'Le prestataire indique un autre état d’un remboursement',
  ],
  payout_missing: [
    'The provider has a payout that was not ordered here',
    'Le prestataire a un envoi que personne n’a demandé ici',
  ],
  payout_unknown: [
    'The provider had a payout that it no longer knows',
    'Le prestataire ne connaît plus un envoi qu’il avait',
  ],
  payout_differs: [
    'The provider has a payout with another amount or ID than is recorded',
    'Le prestataire a un envoi d’un autre montant ou identifiant que celui enregistré',
  ],
  payout_status: [
    'The provider says something else of a payout',
    'Le prestataire indique un autre état d’un envoi',
  ],
  delivery_missing: [
    'An event has no delivery for an endpoint that wanted it',
    'Un événement n’a pas de livraison pour un endpoint qui l’attendait',
  ],
  delivery_without_attempt: [
    'A delivery has arrived, and no attempt says so',
    'Une livraison est arrivée sans qu’aucune tentative ne le dise',
  ],
  workflow_missing: [
    'A row waited for a workflow that did not run',
    'Une ligne attendait un workflow qui ne tournait pas',
  ],
  workflow_left_over: [
    'A workflow runs whose row has ended',
    'Un workflow tourne alors que sa ligne est terminée',
  ],
};

export const RECONCILIATION_WORDS = translate({
  title: ['Reconciliations', 'Rapprochements'],
  lead: [
    'What was compared with the gateways, with Temporal and with itself, and what did not agree.',
    'Ce qui a été comparé aux prestataires de paiement, à Temporal et au grand livre lui-même, et ce qui ne concorde pas.',
  ],
  number: ['Number', 'Numéro'],
  started: ['Started', 'Début'],
  ended: ['Ended', 'Fin'],
  runs: ['Runs', 'En cours'],
  run: ['Compare now', 'Lancer un rapprochement'],
  begun: [
    'It compares now. Reload this page to see what it has found.',
    'Le rapprochement est en cours. Rechargez cette page pour voir ses résultats.',
  ],
  runs_already: ['One runs already.', 'Un rapprochement est déjà en cours.'],
  broken_off: ['Broken off', 'Interrompu'],
  result: ['Result', 'Résultat'],
  check: ['Check', 'Vérification'],
  time: ['What happened from, to', 'Ce qui s’est passé du, au'],
  compared: ['Compared', 'Comparés'],
  found: ['Found', 'Écarts'],
  repaired: ['Of these repaired', 'Dont réparés'],
  findings: ['Findings', 'Écarts'],
  no_findings: ['Nothing was found.', 'Aucun écart.'],
  what: ['What', 'Écart'],
  reference: ['Reference', 'Référence'],
  detail: ['Detail', 'Détail'],
  is_repaired: ['Repaired', 'Réparé'],
  is_open: ['To be looked at', 'À examiner'],
  all: ['All reconciliations', 'Tous les rapprochements'],
  checks: CHECKS,
  statuses: STATUSES,
  kinds: KINDS,
});
