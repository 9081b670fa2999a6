import { translate } from '../../domain/language';

export const WORDS = translate(
  {
    statements: 'Statements',
    lead: 'What each wallet held at the beginning and at the end of a month, and all that moved it. Months are those of UTC. A closed month never changes.',
    caption: 'Statements, newest first',
    month: 'Month',
    wallet: 'Wallet',
    opening: 'Opening balance',
    closing: 'Closing balance',
    state: 'State',
    closed: 'Closed',
    running: 'Running',
    files: 'Download',
    of: (form: string, currency: string, month: string) => `${form}: ${currency}, ${month}`,
    file: 'statement',
  },
  {
    statements: 'Relevés',
    lead: 'Ce que chaque portefeuille contenait au début et à la fin du mois, et tout ce qui l’a fait varier. Les mois sont ceux de l’heure UTC. Un mois clos ne change plus.',
    caption: 'Relevés, les plus récents d’abord',
    month: 'Mois',
    wallet: 'Portefeuille',
    opening: 'Solde initial',
    closing: 'Solde final',
    state: 'État',
    closed: 'Clos',
    running: 'En cours',
    files: 'Télécharger',
    of: (form: string, currency: string, month: string) => `${form} : ${currency}, ${month}`,
    file: 'releve',
  },
);
