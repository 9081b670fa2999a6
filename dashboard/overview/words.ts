import { COUNT_LIMIT } from '../../db/people/attention';
import { counted, formatCount, plural, translate, type Language } from '../../domain/language';

function shown(language: Language, count: number): string {
  if (count < COUNT_LIMIT) return formatCount(language, count);
  return `${formatCount(language, COUNT_LIMIT - 1)}+`;
}

export const WORDS = translate(
  {
    overview: 'Overview',
    no_account: 'You belong to no account. Ask one of its owners for an invitation.',
    make_link: 'Create a payment link',
    steps: 'First steps',
    steps_done: (done: number, all: number): string => `${done} of ${all}`,
    done: '(done)',
    step_link: 'Create a payment link',
    step_try: 'Try it with a test payment',
    try_it: 'Open your link',
    in_test: 'In the sandbox',
    step_name: 'Give your shop’s name, which customers see',
    name_it: 'Name and logo',
    step_identity: 'Have your identity checked, to take real money',
    kyc_rejected: 'Not approved.',
    kyc_rejected_for: (reason: string): string => `Not approved: ${reason}.`,
    correct: 'Correct it',
    for_developers: 'For developers: a first call',
    lead: 'Your sandbox wallets hold test money. This shows them.',
    first_call: 'A first call',
    key_is_in_it: 'Your new key is in it already.',
    make_key: 'Create a test key',
    sales: { sandbox: 'Sandbox sales', live: 'Sales' },
    sales_hint:
      'Payments that succeeded, before fees and refunds. The week begins on Monday; days are those of UTC, Dakar’s time.',
    periods: { today: 'Today', week: 'This week', month: 'This month' },
    payments: (count: number): string => counted('en', count, 'payment', 'payments'),
    wallets: { sandbox: 'Sandbox wallets', live: 'Live wallets' },
    latest: 'Latest transactions',
    all_transactions: 'All transactions',
    attention: 'Needs your attention',
    failing_endpoints: (count: number): string =>
      `${shown('en', count)} ${plural('en', count, 'webhook endpoint is', 'webhook endpoints are')} failing.`,
    to_webhooks: 'Webhooks',
    payouts_to_approve: (count: number): string =>
      `${shown('en', count)} ${plural('en', count, 'payout waits', 'payouts wait')} for approval.`,
    to_payouts: 'Payouts to approve',
    payout_batches_to_approve: (count: number): string =>
      `${shown('en', count)} ${plural('en', count, 'payout batch waits', 'payout batches wait')} for approval.`,
    to_payout_batches: 'Payout batches',
    open_disputes: (count: number): string =>
      `${shown('en', count)} ${plural('en', count, 'payment is', 'payments are')} disputed.`,
    to_disputes: 'Disputes',
    held_payments: (count: number): string =>
      `${shown('en', count)} ${plural('en', count, 'payment could not be booked, and waits', 'payments could not be booked, and wait')} for an operator.`,
    to_links: 'Payment links',
    ending_links: (count: number): string =>
      `${shown('en', count)} open payment ${plural('en', count, 'link expires', 'links expire')} within a day.`,
    to_open_links: 'Open links',
    unverified_email: 'Your e-mail address is not confirmed.',
    to_security: 'Confirm it',
    kyc_pending: 'Your identity check is under way.',
    to_profile: 'Identity check',
  },
  {
    overview: 'Vue d’ensemble',
    no_account:
      'Vous n’appartenez à aucun compte. Demandez une invitation à un de ses propriétaires.',
    make_link: 'Créer un lien de paiement',
    steps: 'Pour commencer',
    steps_done: (done: number, all: number): string => `${done} sur ${all}`,
    done: '(fait)',
    step_link: 'Créez un lien de paiement',
    step_try: 'Essayez-le avec un paiement de test',
    try_it: 'Ouvrir votre lien',
    in_test: 'En mode test',
    step_name: 'Donnez le nom de votre commerce : vos clients le voient',
    name_it: 'Nom et logo',
    step_identity: 'Faites vérifier votre identité pour encaisser de l’argent réel',
    kyc_rejected: 'Rejetée.',
    kyc_rejected_for: (reason: string): string => `Rejetée : ${reason}.`,
    correct: 'Corriger',
    for_developers: 'Pour les développeurs : un premier appel',
    lead: 'Vos portefeuilles de test contiennent de l’argent fictif. Voici comment les afficher.',
    first_call: 'Un premier appel',
    key_is_in_it: 'Votre nouvelle clé y figure déjà.',
    make_key: 'Créer une clé de test',
    sales: { sandbox: 'Ventes de test', live: 'Ventes' },
    sales_hint:
      'Paiements réussis, avant frais et remboursements. La semaine commence le lundi ; les jours sont ceux de Dakar (UTC).',
    periods: { today: 'Aujourd’hui', week: 'Cette semaine', month: 'Ce mois-ci' },
    payments: (count: number): string => counted('fr', count, 'paiement', 'paiements'),
    wallets: { sandbox: 'Portefeuilles de test', live: 'Portefeuilles réels' },
    latest: 'Dernières transactions',
    all_transactions: 'Toutes les transactions',
    attention: 'À regarder',
    failing_endpoints: (count: number): string =>
      `${shown('fr', count)} ${plural('fr', count, 'webhook échoue', 'webhooks échouent')}.`,
    to_webhooks: 'Webhooks',
    payouts_to_approve: (count: number): string =>
      `${shown('fr', count)} ${plural('fr', count, 'versement est', 'versements sont')} à approuver.`,
    to_payouts: 'Versements à approuver',
    payout_batches_to_approve: (count: number): string =>
      `${shown('fr', count)} ${plural('fr', count, 'envoi de versements groupés est', 'envois de versements groupés sont')} à approuver.`,
    to_payout_batches: 'Versements groupés',
    open_disputes: (count: number): string =>
      `${shown('fr', count)} ${plural('fr', count, 'paiement est contesté', 'paiements sont contestés')}.`,
    to_disputes: 'Litiges',
    held_payments: (count: number): string =>
      `${shown('fr', count)} ${plural('fr', count, 'paiement n’a pas pu être comptabilisé et attend', 'paiements n’ont pas pu être comptabilisés et attendent')} un opérateur.`,
    to_links: 'Liens de paiement',
    ending_links: (count: number): string =>
      `${shown('fr', count)} ${plural('fr', count, 'lien de paiement ouvert expire', 'liens de paiement ouverts expirent')} d’ici un jour.`,
    to_open_links: 'Liens ouverts',
    unverified_email: 'Votre adresse e-mail n’est pas confirmée.',
    to_security: 'La confirmer',
    kyc_pending: 'Votre vérification d’identité est en cours.',
    to_profile: 'Vérification d’identité',
  },
);
