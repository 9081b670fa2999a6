import { counted, translate } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';

export const WORDS = translate({
  ...VOCABULARY,
  title: ['Wallet statement', 'Relevé de compte'],
  test: ['Test environment: no real money', 'Environnement de test : sans argent réel'],
  period: [
    (first: string, last: string) => `${first} to ${last} (UTC)`,
    (first, last) => `Du ${first} au ${last} (UTC)`,
  ],
  running: [
    (at: string) => `Provisional: the month is not over. As of ${at}.`,
    (at) => `Provisoire : le mois n’est pas terminé. Situation au ${at}.`,
  ],
  at: ['Date (UTC)', 'Date (UTC)'],
  type: ['Type', 'Nature'],
  what: ['Transaction', 'Opération'],
  credit: ['In', 'Crédit'],
  debit: ['Out', 'Débit'],
  totals: ['Totals', 'Totaux'],
  count: ['Count', 'Nombre'],
  none: ['No transaction in this month.', 'Aucune opération ce mois-ci.'],
  too_many: [
    (most: number) =>
      `Only the first ${counted('en', most, 'transaction is', 'transactions are')} listed here. The CSV file has all of them; the totals below cover all.`,
    (most) =>
      `Seules les premières opérations (${counted('fr', most, 'ligne', 'lignes')}) figurent ici. Le fichier CSV les contient toutes ; les totaux ci-dessous portent sur l’ensemble.`,
  ],
  lossy: [
    'Letters that this document cannot show stand here as “?”. The CSV file has them.',
    'Les caractères que ce document ne peut pas afficher sont remplacés par « ? ». Le fichier CSV les contient.',
  ],
  page: [(number: number) => `Page ${number}`, (number) => `Page ${number}`],
});
