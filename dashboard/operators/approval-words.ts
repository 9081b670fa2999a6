import { translate, type Pairs } from '../../domain/language';

/** The arguments of settings. */
const LABELS: Readonly<Record<string, Pairs<string>>> = {
  kind: ['Kind', 'Type'],
  percent: ['Percent', 'Pourcentage'],
  bank: ['Bank', 'Banque'],
  provider: ['Provider', 'Prestataire'],
  iban_end: ['End of the IBAN', 'Fin de l’IBAN'],
  file: ['File', 'Fichier'],
  as: ['How', 'Comment'],
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
