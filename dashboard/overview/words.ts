import { COUNT_LIMIT } from '../../db/people/attention';
import { formatCount, plural, translate, type Language } from '../../domain/language';

function shown(language: Language, count: number): string {
  if (count < COUNT_LIMIT) return formatCount(language, count);
  return `${formatCount(language, COUNT_LIMIT - 1)}+`;
}

export const WORDS = translate(
  {
    overview: 'Overview',
    no_account: 'You belong to no account. Ask its owner for an invitation.',
    welcome: 'Your first call',
    lead: 'Your sandbox wallets hold test money. Paste this into a terminal; after your first call this page becomes your overview.',
    curl: 'A first call with curl',
    key_is_in_it: 'Your new key is in it already.',
    your_key: 'Replace YOUR_TEST_KEY by a test key: keys are shown only when they are created.',
    make_key: 'Create a test key',
    wallets: 'Wallets',
    latest: 'Latest transactions',
    all_transactions: 'All transactions',
    attention: 'Needs your attention',
    failing_endpoints: (count: number): string =>
      `${shown('en', count)} ${plural('en', count, 'webhook endpoint is', 'webhook endpoints are')} failing.`,
    to_webhooks: 'Webhooks',
    held_payments: (count: number): string =>
      `${shown('en', count)} ${plural('en', count, 'payment could not be booked, and waits', 'payments could not be booked, and wait')} for an operator.`,
    to_links: 'Payment links',
    ending_links: (count: number): string =>
      `${shown('en', count)} open payment ${plural('en', count, 'link expires', 'links expire')} within a day.`,
    to_open_links: 'Open links',
    unverified_email: 'Your e-mail address is not confirmed.',
    to_security: 'Confirm it',
    kyc_missing: 'Live keys need an identity check.',
    kyc_pending: 'Your identity check is under way.',
    to_profile: 'Identity check',
  },
  {
    overview: 'Vue d’ensemble',
    no_account: 'Vous n’appartenez à aucun compte. Demandez une invitation à son propriétaire.',
    welcome: 'Votre premier appel',
    lead: 'Vos portefeuilles de test contiennent de l’argent fictif. Collez ceci dans un terminal ; après votre premier appel, cette page devient votre vue d’ensemble.',
    curl: 'Un premier appel avec curl',
    key_is_in_it: 'Votre nouvelle clé y figure déjà.',
    your_key:
      'Remplacez YOUR_TEST_KEY par une clé de test : une clé n’est affichée qu’à sa création.',
    make_key: 'Créer une clé de test',
    wallets: 'Portefeuilles',
    latest: 'Dernières transactions',
    all_transactions: 'Toutes les transactions',
    attention: 'À regarder',
    failing_endpoints: (count: number): string =>
      `${shown('fr', count)} ${plural('fr', count, 'webhook échoue', 'webhooks échouent')}.`,
    to_webhooks: 'Webhooks',
    held_payments: (count: number): string =>
      `${shown('fr', count)} ${plural('fr', count, 'paiement n’a pas pu être comptabilisé et attend', 'paiements n’ont pas pu être comptabilisés et attendent')} un opérateur.`,
    to_links: 'Liens de paiement',
    ending_links: (count: number): string =>
      `${shown('fr', count)} ${plural('fr', count, 'lien de paiement ouvert expire', 'liens de paiement ouverts expirent')} d’ici un jour.`,
    to_open_links: 'Liens ouverts',
    unverified_email: 'Votre adresse e-mail n’est pas confirmée.',
    to_security: 'La confirmer',
    kyc_missing: 'Les clés de production demandent une vérification d’identité.',
    kyc_pending: 'Votre vérification d’identité est en cours.',
    to_profile: 'Vérification d’identité',
  },
);
