import { translate, type Pairs } from '../../domain/language';

/** The arguments of settings. */
const LABELS: Readonly<Record<string, Pairs<string>>> = {
  tax: ['Tax', 'Taxe'],
  kind: ['Kind', 'Type'],
  percent: ['Percent', 'Pourcentage'],
  name: ['Name', 'Nom'],
  watches: ['Looks at', 'Examine'],
  decision: ['Decision', 'Décision'],
  above_minor: ['Above (hundredths)', 'Au-dessus de (centièmes)'],
  counted_by: ['Counted by', 'Compté par'],
  window_seconds: ['Window (seconds)', 'Période (secondes)'],
  most_count: ['Count', 'Nombre'],
  most_minor: ['Sum (hundredths)', 'Somme (centièmes)'],
  threshold_minor: ['Threshold (hundredths)', 'Seuil (centièmes)'],
  margin_percent: ['Margin (percent)', 'Marge (pour cent)'],
  url: ['URL', 'URL'],
  deadline_ms: ['Deadline (ms)', 'Délai (ms)'],
  on_silence: ['On silence', 'En cas de silence'],
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
  bank: ['Bank', 'Banque'],
  provider: ['Provider', 'Prestataire'],
  iban_end: ['End of the IBAN', 'Fin de l’IBAN'],
  file: ['File', 'Fichier'],
  as: ['How', 'Comment'],
  fixed_minor: ['For each one, in hundredths', 'Par opération, en centièmes'],
  minimum_minor: ['At least, in hundredths', 'Au moins, en centièmes'],
  maximum_minor: ['At most, in hundredths', 'Au plus, en centièmes'],
  username: ['Account', 'Compte'],
  method: ['Method', 'Moyen'],
  amount_from_minor: [
    'For amounts from, in hundredths',
    'Pour les montants à partir de, en centièmes',
  ],
  amount_below_minor: [
    'For amounts below, in hundredths',
    'Pour les montants en dessous de, en centièmes',
  ],
  bearer: ['Borne by', 'À la charge de'],
  base: ['Percentage of', 'Pourcentage appliqué à'],
  valid_from: ['From', 'À partir du'],
  valid_until: ['Until', 'Jusqu’au'],
  at: ['At', 'Le'],
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
