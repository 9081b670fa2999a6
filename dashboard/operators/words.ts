import type { ApprovalAction } from '../../db/operators/approvals';
import { translate, type Pairs } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';

const ACTIONS: Pairs<Readonly<Record<ApprovalAction, string>>> = {
  'wallets.credit': ['Credit a wallet', 'Créditer un portefeuille'],
  'suspense.accept': ['Accept money in suspense', 'Accepter des fonds en suspens'],
  'suspense.refund': ['Refund money in suspense', 'Rembourser des fonds en suspens'],
  'refunds.create': ['Refund a payment', 'Rembourser un paiement'],
  'refunds.fail': ['End a refund that was never made', 'Clore un remboursement jamais effectué'],
  'payouts.settle': ['Settle a payout in doubt', 'Trancher un envoi d’issue inconnue'],
  'losses.settle': ['Settle a loss', 'Solder une perte'],
  'suspense.close': ['Close an item of suspense', 'Clore des fonds en suspens'],
  'fees.set': ['Set a fee or a tax', 'Fixer des frais ou une taxe'],
  'fees.end': ['End a fee or a tax', 'Mettre fin à des frais ou à une taxe'],
};

const GATEWAY_IS_ASKED: Pairs<string> = [
  'The gateway was asked about the refund less than half a minute ago, and may be making it. Nothing was done. At first it is asked often: look there again in a few minutes.',
  'Le prestataire a été interrogé sur ce remboursement il y a moins de trente secondes et l’exécute peut-être. Rien n’a été fait. Au début, il est interrogé souvent : vérifiez de nouveau dans quelques minutes.',
];

export const WORDS = translate({
  ...VOCABULARY,
  lead: [
    'What waits for a decision, of all accounts, live and sandbox.',
    'Ce qui attend une décision, pour tous les comptes, en mode réel et en mode test.',
  ],
  hours: ['The last 24 hours', 'Dernières 24 heures'],
  hours_hint: [
    'Live, by the hour (UTC). Failures are payouts and refunds whose money came back, and payments that went into suspense.',
    'Mode réel, heure par heure (UTC). Échecs : envois et remboursements dont les fonds sont revenus, et paiements mis en suspens.',
  ],
  hours_chart: [
    (figure: string, all: string, most: string): string =>
      `${figure}: ${all} in 24 hours, at most ${most} in one. The table below has every hour.`,
    (figure, all, most) =>
      `${figure} : ${all} en 24 heures, au plus ${most} en une heure. Le tableau ci-dessous donne chaque heure.`,
  ],
  hour_by_hour: ['Hour by hour', 'Heure par heure'],
  hour: ['Hour', 'Heure'],
  this_hour: ['this hour', 'heure en cours'],
  figures: {
    transfers: ['Transfers', 'Transferts'],
    payments: ['Payments', 'Paiements'],
    payouts: ['Payouts', 'Envois'],
    failures: ['Failures', 'Échecs'],
  },
  sections: ['Operators’ pages', 'Pages des opérateurs'],
  accounts: ['Accounts', 'Comptes'],
  checks: ['Identity checks', 'Vérifications d’identité'],
  suspense: ['Suspense', 'Fonds en suspens'],
  disputes_lead: [
    'The gateway takes evidence of merchants on its own pages, under the id shown here. What a wallet lacks is taken from what arrives next.',
    'Le prestataire reçoit les preuves des marchands sur ses propres pages, sous l’identifiant indiqué ici. Ce qui manque dans un portefeuille est prélevé sur ses prochains encaissements.',
  ],
  dispute_troubles: ['Not booked', 'Non comptabilisés'],
  dispute_troubles_lead: [
    'Disputes that the gateway notified, whose last answer was not booked, or whose gateway is configured no more. Settle these by hand with the merchant, and say how: it stands in the audit log, and the dispute is here again only when the gateway gives notice again. One that is open ends as you say: won gives the merchant the money back, lost leaves it to the gateway.',
    'Réclamations signalées par le prestataire, dont la dernière réponse n’a pas été comptabilisée, ou dont le prestataire n’est plus configuré. Réglez-les à la main avec le marchand, et dites comment : c’est conservé dans le journal d’audit, et le litige ne revient ici que si le prestataire le signale de nouveau. Un litige ouvert se termine comme vous le dites : gagné, l’argent revient au marchand ; perdu, il reste au prestataire.',
  ],
  dispute_settled: ['The dispute is off the list.', 'La réclamation n’est plus dans la liste.'],
  dispute_settle: ['It is settled', 'C’est réglé'],
  dispute_won: ['Won: give the money back', 'Gagné : rendre l’argent'],
  dispute_lost: ['Lost: the gateway has the money', 'Perdu : le prestataire garde l’argent'],
  dispute_verdict_due: [
    'The dispute is open: say whether it is won or lost.',
    'La réclamation est ouverte : dites si elle est gagnée ou perdue.',
  ],
  dispute_asked_again: [
    'The gateway is asked again without you.',
    'Le prestataire est réinterrogé automatiquement.',
  ],
  dispute_how: ['What was done', 'Mesure prise'],
  dispute_problems: {
    unknown_payment: [
      'Of no payment that is booked here.',
      'Aucun paiement comptabilisé ici n’y correspond.',
    ],
    in_suspense: [
      'Of a payment in suspense, which no merchant has got.',
      'Le paiement est en suspens : aucun marchand ne l’a reçu.',
    ],
    currency: ['In another currency than the payment.', 'La devise n’est pas celle du paiement.'],
    amount: [
      'The amount, the currency or the payment has changed since it was opened.',
      'Le montant, la devise ou le paiement a changé depuis l’ouverture.',
    ],
    contradiction: [
      'The gateway has changed its last word.',
      'Le prestataire est revenu sur sa décision.',
    ],
    balance_limit: [
      'Won, and the wallet is too full to take the money back.',
      'Gagné, mais le portefeuille est trop plein pour être recrédité.',
    ],
    gateway_gone: [
      'Its gateway is not configured any more: say how the bank decided.',
      'Son prestataire n’est plus configuré : indiquez la décision de la banque.',
    ],
  },
  at_gateway: ['At the gateway', 'Chez le prestataire'],
  noticed: ['Noticed', 'Signalé'],
  opened: ['Opened', 'Ouvert'],
  evidence_due: ['Respond by', 'Répondre avant'],
  problem: ['Why', 'Cause'],
  payouts_in_doubt: ['Payouts in doubt', 'Envois d’issue inconnue'],
  deliveries: ['Failing webhooks', 'Webhooks en échec'],
  approvals: ['Approvals', 'Approbations'],
  reconciliations: ['Reconciliations', 'Rapprochements'],
  reconciliation_findings: [
    'Findings of the last reconciliation',
    'Écarts du dernier rapprochement',
  ],
  audit: ['Audit log', 'Journal d’audit'],
  what: ['What', 'À traiter'],
  waiting: ['Waiting', 'En attente'],
  oldest: ['Oldest since', 'Le plus ancien depuis'],
  nothing_waits: ['Nothing', 'Rien'],
  live: ['Live', 'Réel'],
  sandbox: ['Sandbox', 'Test'],
  search: [
    'Username or e-mail address begins with',
    'Nom d’utilisateur ou adresse e-mail commençant par',
  ],
  find: ['Find', 'Chercher'],
  check: ['Identity check', 'Vérification d’identité'],
  created: ['Created', 'Créé'],
  active: ['Active', 'Actif'],
  frozen: ['Frozen', 'Gelé'],
  reason_hint: ['Kept in the audit log', 'Conservé dans le journal d’audit'],
  reason_second: [
    'For the second operator, where the amount needs one',
    'Pour le second opérateur, si le montant en exige un',
  ],
  reason_told: [
    'Told to the merchant, by mail and on the profile',
    'Communiqué au marchand, par e-mail et sur le profil',
  ],
  reason_missing: [
    'Give a reason of 1 to 500 characters.',
    'Indiquez un motif de 1 à 500 caractères.',
  ],
  freeze: ['Freeze', 'Geler'],
  unfreeze: ['Unfreeze', 'Dégeler'],
  freeze_lead: [
    'Its keys are refused and nothing leaves its wallets, from now on. Its links stay payable.',
    'Dès maintenant, ses clés sont refusées et rien ne quitte ses portefeuilles. Ses liens restent payables.',
  ],
  now_frozen: [
    (name: string) => `The account ${name} is frozen.`,
    (name) => `Le compte ${name} est gelé.`,
  ],
  now_active: [
    (name: string) => `The account ${name} is no longer frozen.`,
    (name) => `Le compte ${name} n’est plus gelé.`,
  ],
  revoked: ['Revoked', 'Révoquée'],
  endpoints: ['Webhook endpoints', 'Endpoints de webhooks'],
  healthy: ['Healthy', 'Fonctionne'],
  failing_since: ['Failing since', 'En échec depuis'],
  members: ['Team', 'Équipe'],
  is_operator: ['operator', 'opérateur'],
  yes: ['Yes', 'Oui'],
  no: ['No', 'Non'],
  transactions: ['Latest transactions', 'Dernières transactions'],
  audit_about: ['Latest in the audit log', 'Dernières lignes du journal d’audit'],
  submitted: ['Submitted', 'Soumise'],
  expires: ['Expires', 'Expire'],
  submitted_by: ['Submitted by', 'Soumise par'],
  decided: ['Decided', 'Décidée'],
  decided_by: ['Decided by', 'Décidée par'],
  status: ['Status', 'Statut'],
  data: ['What was submitted', 'Informations soumises'],
  data_hint: [
    'That you have seen this was recorded in the audit log.',
    'Cette consultation a été enregistrée dans le journal d’audit.',
  ],
  no_data: [
    'Nothing was submitted: an operator decided.',
    'Rien n’a été soumis : un opérateur a décidé.',
  ],
  decision: ['Decision', 'Décision'],
  check_approved: [
    (name: string) => `The identity check of ${name} is approved.`,
    (name) => `La vérification d’identité de ${name} est approuvée.`,
  ],
  check_rejected: [
    (name: string) => `The identity check of ${name} is rejected.`,
    (name) => `La vérification d’identité de ${name} est rejetée.`,
  ],
  check_gone: [
    'It was decided, or has expired, meanwhile: nothing was changed.',
    'Elle a été décidée ou a expiré entre-temps : rien n’a été modifié.',
  ],
  workflow: ['Workflow', 'Workflow'],
  merchant: ['Merchant', 'Marchand'],
  no_merchant: ['none', 'aucun'],
  refund: ['Refund', 'Remboursement'],
  item: ['Item', 'Élément'],
  decide: ['Decide', 'Décider'],
  show_all: ['Also what was decided', 'Aussi ce qui est décidé'],
  show_waiting: ['Only what waits', 'Seulement ce qui attend'],
  statuses: {
    held: ['Held', 'En suspens'],
    accepted: ['Accepted', 'Acceptés'],
    refunding: ['Being refunded', 'En cours de remboursement'],
    refunded: ['Refunded', 'Remboursés'],
    closed: ['Closed', 'Clos'],
  },
  refund_statuses: {
    ordered: ['Ordered', 'Demandé'],
    pending: ['Pending', 'En attente'],
    succeeded: ['Made', 'Effectué'],
    failed: ['Failed', 'Échoué'],
  },
  reasons: {
    late: ['Paid too late', 'Payé trop tard'],
    second_payment: ['Paid twice', 'Payé deux fois'],
    amount: ['Another amount', 'Autre montant'],
    currency: ['Another currency', 'Autre devise'],
    unknown_intent: ['No payment link of ours', 'Aucun lien de paiement chez nous'],
    balance_limit: ['The wallet cannot hold it', 'Le portefeuille ne peut pas le contenir'],
  },
  accept: ['Accept for the merchant', 'Accepter pour le marchand'],
  accept_lead: [
    'Credits the merchant’s wallet, without a fee.',
    'Crédite le portefeuille du marchand, sans frais.',
  ],
  accept_closing: ['Accept, and end the link', 'Accepter, et terminer le lien'],
  accept_closing_lead: [
    'The same, and the payment link ends as paid with this amount: merchant and customer are told.',
    'De même, et le lien de paiement se termine comme payé de ce montant : marchand et client le voient.',
  ],
  refund_do: ['Refund at the gateway', 'Rembourser par le prestataire'],
  refund_lead: [
    'Orders the refund; the gateway makes it, which may take days.',
    'Ordonne le remboursement ; le prestataire l’exécute, ce qui peut prendre plusieurs jours.',
  ],
  close: ['Close', 'Clore'],
  close_lead: [
    'The money was paid back outside of the gateway.',
    'L’argent a été rendu sans passer par le prestataire.',
  ],
  close_reference: ['Reference of that payment', 'Référence de ce paiement'],
  gateway_made_none: [
    'The gateway has made no refund, and never will',
    'Le prestataire n’a fait aucun remboursement et n’en fera pas',
  ],
  gateway_has: [
    (id: string) => `The gateway has the refund ${id} and will never make it`,
    (id) => `Le prestataire a enregistré le remboursement ${id} et ne l’exécutera jamais`,
  ],
  gateway: ['Gateway', 'Prestataire'],
  intent: ['Payment link', 'Lien de paiement'],
  done_accept: [
    'The money is in the merchant’s wallet.',
    'L’argent est dans le portefeuille du marchand.',
  ],
  done_refund: [
    'The refund is ordered. Its state is shown here.',
    'Le remboursement est ordonné. Son état est affiché ici.',
  ],
  done_close: ['The item is closed.', 'L’élément est clos.'],
  awaits: [
    'Your request waits for a second operator. Nothing was done yet.',
    'Votre demande attend un second opérateur. Rien n’a encore été fait.',
  ],
  other_awaits: [
    'Another decision about it waits under Approvals. Nothing was done.',
    'Une autre décision à ce sujet attend sous Approbations. Rien n’a été fait.',
  ],
  refused: {
    not_found: ['There is no such item.', 'Cet élément n’existe pas.'],
    no_merchant: [
      'It belongs to no merchant: refund it.',
      'Il n’appartient à aucun marchand : remboursez-le.',
    ],
    not_closable: [
      'The payment link has ended, or has another currency: it cannot end with this money.',
      'Le lien de paiement est terminé, ou d’une autre devise : il ne peut pas se terminer avec cet argent.',
    ],
    balance_limit: [
      'The wallet cannot hold that much.',
      'Le portefeuille ne peut pas contenir autant.',
    ],
    held: ['It is held.', 'Il est en suspens.'],
    accepted: ['It was accepted before.', 'Il a déjà été accepté.'],
    refunding: ['It is being refunded.', 'Il est en cours de remboursement.'],
    refunded: ['It was refunded before.', 'Il a déjà été remboursé.'],
    closed: ['It was closed before.', 'Il a déjà été clos.'],
    gateway_refused: [
      'The gateway made no refund; the item is held again.',
      'Le prestataire n’a fait aucun remboursement ; l’élément est de nouveau en suspens.',
    ],
    at_gateway: [
      'The gateway has its refund by now, and may still make it. Nothing was done.',
      'Le prestataire a maintenant enregistré son remboursement et peut encore l’exécuter. Rien n’a été fait.',
    ],
    gateway_is_asked: GATEWAY_IS_ASKED,
  },
  frozen_since: ['since', 'depuis le'],
  failures: ['Failures in a row', 'Échecs consécutifs'],
  deliveries_wait: ['Deliveries waiting', 'Livraisons en attente'],
  actions: ACTIONS,
  requested_by: ['Requested by', 'Demandée par'],
  requested: ['Requested', 'Demandée'],
  own: [
    'You requested it: another operator has to approve it.',
    'Vous l’avez demandée : un autre opérateur doit l’approuver.',
  ],
  approved_now: ['Approved, and done.', 'Approuvée et exécutée.'],
  rejected_now: ['Rejected: nothing was done.', 'Rejetée : rien n’a été fait.'],
  approval_refused: {
    not_found: ['There is no such request.', 'Cette demande n’existe pas.'],
    same_person: [
      'You requested it: another operator has to approve it.',
      'Vous l’avez demandée : un autre opérateur doit l’approuver.',
    ],
    approved: ['It was approved before.', 'Elle a déjà été approuvée.'],
    rejected: ['It was rejected before.', 'Elle a déjà été rejetée.'],
    expired: ['No operator approved it in time.', 'Personne ne l’a approuvée à temps.'],
    no_longer_possible: [
      'It is no longer possible, so nothing was done: look at it, and reject the request.',
      'Ce n’est plus possible, rien n’a été fait : examinez-la et rejetez la demande.',
    ],
    gateway_is_asked: GATEWAY_IS_ASKED,
    invalid_reason: ['The reason is too long.', 'Le motif est trop long.'],
  },
  actor: ['Operator', 'Opérateur'],
  subject: ['Subject', 'Objet'],
  details: ['Details', 'Détails'],
  user: ['Username', 'Nom d’utilisateur'],
  head: ['Hash of the newest seal', 'Empreinte du dernier sceau'],
  head_hint: [
    'Note it elsewhere from time to time: ledger verify --head finds rows that were changed or removed since.',
    'Notez-la ailleurs de temps en temps : ledger verify --head trouve les lignes modifiées ou supprimées depuis.',
  ],
  work: ['To do', 'À traiter'],
  search_all: ['Reference, amount, phone, e-mail or name', 'Référence, montant, téléphone, nom'],
  books: ['Ledger, and its last seal', 'Grand livre et dernier sceau'],
  books_hold: ['Holds', 'Intègre'],
  books_broken: ['Does not hold', 'Anomalies'],
  never_checked: ['Not checked yet', 'Premier contrôle à venir'],
  never_ran: ['None yet', 'Pas encore de rapprochement'],
  last_failure: ['Last failure', 'Dernier échec'],
  now_disabled: [
    (url: string) =>
      `The endpoint ${url} is disabled. Its deliveries are held until somebody enables it.`,
    (url) => `L’endpoint ${url} est désactivé. Ses livraisons attendent que quelqu’un le réactive.`,
  ],
  open_in_temporal: ['Open in Temporal', 'Voir dans Temporal'],
  found: ['Search', 'Recherche'],
  found_nothing: [
    'Nothing was found. A reference is typed whole, a phone with its country’s code, and an amount as it was paid.',
    'Rien n’a été trouvé. Une référence s’écrit en entier, un téléphone avec son indicatif, un montant tel qu’il a été payé.',
  ],
  kinds: {
    intent: ['Payment link', 'Lien de paiement'],
    transfer: ['Transfer', 'Transfert'],
    refund: ['Refund', 'Remboursement'],
    item: ['Suspense', 'Fonds en suspens'],
    payout: ['Payout', 'Envoi'],
  },
  approve_amount: [(amount: string) => `Approve ${amount}`, (amount) => `Approuver ${amount}`],
  approve_lead: [
    'It is done at once, in your name and that of the operator who requested it.',
    'L’opération est exécutée aussitôt, en votre nom et au nom de l’opérateur qui l’a demandée.',
  ],
  reject_reason: ['Why it was rejected', 'Motif du rejet'],
  approval_statuses: {
    waiting: ['Waiting', 'En attente'],
    approved: ['Approved', 'Approuvée'],
    rejected: ['Rejected', 'Rejetée'],
    expired: ['Expired', 'Expirée'],
  },
  expected: ['Expected', 'Montant attendu'],
  arrived: ['Arrived', 'Montant reçu'],
  difference: ['Difference', 'Écart'],
  link_state: ['State of the link', 'État du lien'],
  link_ends: ['The link ends', 'Fin du lien'],
  history: ['What happened', 'Historique'],
  see: ['View', 'Voir'],
  limits_lead: [
    'Amounts about which one operator decides alone, such as a credit:',
    'Montants sur lesquels un opérateur décide seul, par exemple d’un crédit :',
  ],
  no_limit: ['Any amount: no limit is set', 'Tout montant : aucune limite n’est fixée'],
  above: ['Up to', 'Jusqu’à'],
  not_now: ['No, go back', 'Non, revenir'],
  credit: ['Credit a wallet', 'Créditer un portefeuille'],
  credit_amount_wrong: [
    'Write an amount of this currency, in digits.',
    'Écrivez un montant dans cette devise, en chiffres.',
  ],
  credit_sure: [
    (amount: string, name: string) => `Credit ${amount} to the account ${name}?`,
    (amount, name) => `Créditer le compte ${name} de ${amount} ?`,
  ],
  credit_do: [(amount: string) => `Credit ${amount}`, (amount) => `Créditer ${amount}`],
  credit_at_once: [
    'The money is taken from the operator account, and is in the wallet at once. No second operator is asked.',
    'L’argent est prélevé sur le compte de l’opérateur et arrive aussitôt dans le portefeuille. Aucun second opérateur n’est consulté.',
  ],
  credit_waits: [
    'The amount is above the limit: a second operator has to approve it under Approvals, and nothing moves before.',
    'Le montant dépasse la limite : un second opérateur doit l’approuver sous Approbations, et rien ne bouge avant.',
  ],
  credited: [
    (amount: string) => `${amount} is in the wallet.`,
    (amount) => `Le portefeuille est crédité de ${amount}.`,
  ],
  credit_repeated: [
    'This credit was made before. Nothing was credited a second time.',
    'Ce crédit a déjà été fait. Rien n’a été crédité une seconde fois.',
  ],
  credit_refused: {
    balance_limit: [
      'The wallet cannot hold that much. Nothing was credited.',
      'Le portefeuille ne peut pas contenir autant. Rien n’a été crédité.',
    ],
    reference_used: [
      'This form has credited something else before. Open a new one.',
      'Ce formulaire a déjà servi à un autre crédit. Ouvrez-en un nouveau.',
    ],
    invalid_reference: ['Open a new form.', 'Ouvrez un nouveau formulaire.'],
  },
  pictures: ['Photos of the document', 'Photos de la pièce'],
  sides: {
    front: ['Front of the document', 'Recto de la pièce'],
    back: ['Back of the document', 'Verso de la pièce'],
  },
  no_pictures: [
    'The person has sent no photo of the document yet.',
    'La personne n’a pas encore envoyé de photo de la pièce.',
  ],
  approve_sure: [
    (name: string) => `Approve the identity of ${name}?`,
    (name) => `Approuver l’identité de ${name} ?`,
  ],
  approve_sure_lead: [
    (account: string) =>
      `From then on the account ${account} can move real money. You have compared the data with the document.`,
    (account) =>
      `Le compte ${account} pourra alors utiliser de l’argent réel. Vous avez comparé les données et la pièce.`,
  ],
  approve_name: [(name: string) => `Approve ${name}`, (name) => `Approuver ${name}`],
  decide_sure: {
    accept: [
      (amount: string, name: string) => `Accept ${amount} for ${name}?`,
      (amount, name) => `Accepter ${amount} pour ${name} ?`,
    ],
    accept_closing: [
      (amount: string, name: string) => `Accept ${amount} for ${name}, and end the link?`,
      (amount, name) => `Accepter ${amount} pour ${name}, et terminer le lien ?`,
    ],
    refund: [
      (amount: string, name: string) => `Refund ${amount} (${name})?`,
      (amount, name) => `Rembourser ${amount} (${name}) ?`,
    ],
  },
  sure_accept: [(amount: string) => `Accept ${amount}`, (amount) => `Accepter ${amount}`],
  sure_refund: [(amount: string) => `Refund ${amount}`, (amount) => `Rembourser ${amount}`],
  waits_for_approval: [
    'A decision about this item waits for a second operator. Until then nothing else can be decided.',
    'Une décision sur cet élément attend un second opérateur. D’ici là, rien d’autre ne peut être décidé.',
  ],
  to_approval: ['To the request', 'Voir la demande'],
});
