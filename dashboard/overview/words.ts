import { COUNT_LIMIT } from '../../db/people/attention';
import { counted, formatCount, plural, translate, type Language } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';

function shown(language: Language, count: number): string {
  if (count < COUNT_LIMIT) return formatCount(language, count);
  return `${formatCount(language, COUNT_LIMIT - 1)}+`;
}

export const WORDS = translate({
  ...VOCABULARY,
  overview: ['Overview', 'Accueil'],
  no_account: [
    'You belong to no account. Ask one of its owners for an invitation.',
    'Vous n’appartenez à aucun compte. Demandez une invitation à un de ses propriétaires.',
  ],
  make_link: ['Create a payment link', 'Créer un lien de paiement'],
  steps: ['First steps', 'Pour commencer'],
  steps_done: [
    (done: number, all: number): string => `${done} of ${all}`,
    (done, all) => `${done} sur ${all}`,
  ],
  done: ['(done)', '(fait)'],
  step_link: ['Create a payment link', 'Créez un lien de paiement'],
  step_try: ['Try it with a test payment', 'Essayez-le avec un paiement de test'],
  try_it: ['Open your link', 'Ouvrir votre lien'],
  in_test: ['In the sandbox', 'En mode test'],
  step_name: [
    'Give your shop’s name, which customers see',
    'Donnez le nom de votre commerce : vos clients le voient',
  ],
  name_it: ['Name and logo', 'Nom et logo'],
  step_identity: [
    'Have your identity checked, to take real money',
    'Faites vérifier votre identité pour encaisser de l’argent réel',
  ],
  kyc_rejected: ['Not approved.', 'Rejetée.'],
  kyc_rejected_for: [
    (reason: string): string => `Not approved: ${reason}.`,
    (reason) => `Rejetée : ${reason}.`,
  ],
  correct: ['Correct it', 'Corriger'],
  sales: {
    sandbox: ['Sandbox sales', 'Ventes de test'],
    live: ['Sales', 'Ventes'],
  },
  sales_hint: [
    'Payments that succeeded, before fees and refunds. The week begins on Monday; days are those of UTC, Dakar’s time.',
    'Paiements réussis, avant frais et remboursements. La semaine commence le lundi ; les jours sont ceux de Dakar (UTC).',
  ],
  sales_chart: [
    (currency: string, from: string, to: string, most: string, day: string): string =>
      `${currency}: what was sold on each day from ${from} to ${to}, at most ${most} on ${day}. The table below has every day.`,
    (currency, from, to, most, day) =>
      `${currency} : les ventes de chaque jour du ${from} au ${to}, au plus ${most} le ${day}. Le tableau ci-dessous donne chaque jour.`,
  ],
  sales_days: [
    (currency: string): string => `${currency}: sales of each of the last 30 days`,
    (currency) => `${currency} : ventes de chacun des 30 derniers jours`,
  ],
  paid: ['Payments', 'Paiements'],
  periods: {
    today: ['Today', 'Aujourd’hui'],
    week: ['This week', 'Cette semaine'],
    month: ['This month', 'Ce mois-ci'],
  },
  payments: [
    (count: number): string => counted('en', count, 'payment', 'payments'),
    (count) => counted('fr', count, 'paiement', 'paiements'),
  ],
  wallets: {
    sandbox: ['Sandbox wallets', 'Mon argent de test'],
    live: ['Live wallets', 'Mon argent'],
  },
  latest: ['Latest transactions', 'Dernières transactions'],
  all_transactions: ['All transactions', 'Toutes les transactions'],
  attention: ['Needs your attention', 'À regarder'],
  failing_endpoints: [
    (count: number): string =>
      `${shown('en', count)} ${plural('en', count, 'webhook endpoint is', 'webhook endpoints are')} failing.`,
    (count) =>
      `${shown('fr', count)} ${plural('fr', count, 'webhook échoue', 'webhooks échouent')}.`,
  ],
  to_webhooks: ['Webhooks', 'Webhooks'],
  payouts_to_approve: [
    (count: number): string =>
      `${shown('en', count)} ${plural('en', count, 'payout waits', 'payouts wait')} for approval.`,
    (count) =>
      `${shown('fr', count)} ${plural('fr', count, 'envoi est', 'envois sont')} à approuver.`,
  ],
  to_payouts: ['Payouts to approve', 'Envois à approuver'],
  payout_batches_to_approve: [
    (count: number): string =>
      `${shown('en', count)} ${plural('en', count, 'payout batch waits', 'payout batches wait')} for approval.`,
    (count) =>
      `${shown('fr', count)} ${plural('fr', count, 'envoi groupé est', 'envois groupés sont')} à approuver.`,
  ],
  to_payout_batches: ['Payout batches', 'Envois groupés'],
  open_disputes: [
    (count: number): string =>
      `${shown('en', count)} ${plural('en', count, 'payment is', 'payments are')} disputed.`,
    (count) =>
      `${shown('fr', count)} ${plural('fr', count, 'paiement est contesté', 'paiements sont contestés')}.`,
  ],
  to_disputes: ['Disputes', 'Réclamations'],
  held_payments: [
    (count: number): string =>
      `${shown('en', count)} ${plural('en', count, 'payment could not be booked, and waits', 'payments could not be booked, and wait')} for an operator.`,
    (count) =>
      `${shown('fr', count)} ${plural('fr', count, 'paiement n’a pas pu être comptabilisé et attend', 'paiements n’ont pas pu être comptabilisés et attendent')} un opérateur.`,
  ],
  to_links: ['Payment links', 'Liens de paiement'],
  ending_links: [
    (count: number): string =>
      `${shown('en', count)} open payment ${plural('en', count, 'link expires', 'links expire')} within a day.`,
    (count) =>
      `${shown('fr', count)} ${plural('fr', count, 'lien de paiement ouvert expire', 'liens de paiement ouverts expirent')} d’ici un jour.`,
  ],
  to_open_links: ['Open links', 'Liens ouverts'],
  unverified_email: [
    'Your e-mail address is not confirmed.',
    'Votre adresse e-mail n’est pas confirmée.',
  ],
  to_security: ['Confirm it', 'La confirmer'],
  kyc_pending: ['Your identity check is under way.', 'Votre vérification d’identité est en cours.'],
  to_profile: ['Identity check', 'Vérification d’identité'],
});
