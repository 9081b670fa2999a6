// Words of settlement files that doors share.

import { translate } from './language';

/** Behind the line and the column. */
export const FILE_FAULTS = translate({
  too_large: ['the file has more than 64 MiB', 'le fichier dépasse 64 Mio'],
  encoding: [
    'the file is not in the encoding of its format',
    'le fichier n’est pas dans l’encodage de son format',
  ],
  empty: ['the file has no line that counts', 'le fichier n’a aucune ligne à comparer'],
  too_many: ['the file has more than 200,000 lines', 'le fichier dépasse 200 000 lignes'],
  header: [
    'the header must have this column once',
    'l’en-tête doit avoir cette colonne une seule fois',
  ],
  columns: [
    'the line has not as many columns as the header',
    'la ligne n’a pas les colonnes de l’en-tête',
  ],
  syntax: ['this is not CSV', 'ce n’est pas du CSV'],
  text: ['the text is missing or too long', 'le texte manque ou est trop long'],
  number: ['this is no amount by the format', 'ce n’est pas un montant selon le format'],
  date: ['this is no date by the format', 'ce n’est pas une date selon le format'],
  currency: ['this must be XOF, EUR or USD', 'ce doit être XOF, EUR ou USD'],
});
