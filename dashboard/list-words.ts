// The texts of lists: names of filters, what is wrong with one, and files.

import { translate } from '../domain/language';
import { VOCABULARY } from '../domain/vocabulary';

export const LIST_WORDS = translate({
  ...VOCABULARY,
  from: ['From', 'Du'],
  to: ['To', 'Au'],
  customer_email: ['Customer’s e-mail', 'E-mail du client'],
  all: ['All', 'Tout'],
  no_match: ['Nothing matches these filters.', 'Rien ne correspond à ces filtres.'],
  wrong_date: ['Write a date as YYYY-MM-DD.', 'Écrivez la date sous la forme AAAA-MM-JJ.'],
  too_long: ['This is too long.', 'Ce texte est trop long.'],
  export_spreadsheet: ['Download for Excel', 'Télécharger pour Excel (français)'],
  export_plain: ['Plain CSV', 'CSV brut'],
});
