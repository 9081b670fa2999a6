import { translate, type Pairs } from '../../domain/language';

/** The arguments of settings. */
const LABELS: Readonly<Record<string, Pairs<string>>> = {
  kind: ['Kind', 'Type'],
  percent: ['Percent', 'Pourcentage'],
  tier: ['Tier', 'Catégorie'],
  tiers: ['Tiers', 'Catégories'],
  profile: ['Profile', 'Profil'],
  balance: ['Balance', 'Solde'],
  single_in: ['Received at once', 'Reçu en une fois'],
  daily_in: ['Received in a day', 'Reçu par jour'],
  monthly_in: ['Received in a month', 'Reçu par mois'],
  single_out: ['Sent at once', 'Envoyé en une fois'],
  daily_out: ['Sent in a day', 'Envoyé par jour'],
  monthly_out: ['Sent in a month', 'Envoyé par mois'],
};

export const SETTING_LABELS = translate(LABELS);

export const APPROVAL_WORDS = translate({
  loss: ['Loss', 'Perte'],
  source: ['Taken from', 'Prélevé sur'],
  sources: {
    operator: ['The operator account', 'Le compte de l’opérateur'],
    sandbox_source: ['Play money of test mode', 'L’argent fictif du mode test'],
  },
  closes_link: ['It ends as paid with this amount', 'Il se termine comme payé de ce montant'],
  paid_back: ['Paid back under the reference', 'Rendu sous la référence'],
  key: ['Idempotency key', 'Clé d’idempotence'],
  at_command_line: [
    (name: string) => `${name} (at the command line)`,
    (name) => `${name} (en ligne de commande)`,
  ],
});
