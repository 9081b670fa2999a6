import { translate } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';

export const WORDS = translate({
  ...VOCABULARY,
  lead: [
    'What each wallet held at the beginning and at the end of a month, and all that moved it. Months are those of UTC. A closed month never changes.',
    'Ce que chaque portefeuille contenait au début et à la fin du mois, et tout ce qui l’a fait varier. Les mois sont ceux de l’heure UTC. Un mois clos ne change plus.',
  ],
  caption: ['Statements, newest first', 'Relevés, les plus récents d’abord'],
  month: ['Month', 'Mois'],
  wallet: ['Wallet', 'Portefeuille'],
  closed: ['Closed', 'Clos'],
  running: ['Running', 'En cours'],
  files: ['Download', 'Télécharger'],
  of: [
    (form: string, currency: string, month: string) => `${form}: ${currency}, ${month}`,
    (form, currency, month) => `${form} : ${currency}, ${month}`,
  ],
  file: ['statement', 'releve'],
});
