// The words that every form has: about a field that is wrong, and an order whose outcome is not known yet.

import { counted, formatCount, translate } from '../domain/language';
import { VOCABULARY } from '../domain/vocabulary';

export const FORM_WORDS = translate({
  ...VOCABULARY,
  more: ['More fields', 'Autres champs'],
  missing: ['Fill this in.', 'Remplissez ce champ.'],
  none_chosen: ['Choose at least one.', 'Choisissez-en au moins un.'],
  too_long: [
    (most: number) => `At most ${counted('en', most, 'character', 'characters')}.`,
    (most) => `${counted('fr', most, 'caractère', 'caractères')} au plus.`,
  ],
  no_count: [
    (from: number, to: number) =>
      `Write a whole number from ${formatCount('en', from)} to ${formatCount('en', to)}.`,
    (from, to) =>
      `Écrivez un nombre entier de ${formatCount('fr', from)} à ${formatCount('fr', to)}.`,
  ],
  no_email: ['This is not an e-mail address.', 'Ce n’est pas une adresse e-mail.'],
  no_phone: [
    'Write it in international form, such as +221 77 123 45 67.',
    'Écrivez-le au format international, par exemple +221 77 123 45 67.',
  ],
  frozen: [
    'This account is frozen, so this is not possible.',
    'Ce compte est gelé : cette opération n’est pas possible.',
  ],
  wrong: ['This cannot be taken.', 'Cette valeur n’est pas acceptée.'],
  unknown: ['It is not known yet', 'Résultat encore inconnu'],
  unknown_text: [
    'We could not find out in time whether this was done. Do not begin a new one: ask again here. It is done at most once.',
    'Nous n’avons pas pu savoir à temps si c’est fait. N’en commencez pas un autre : vérifiez de nouveau ici. Rien n’est fait deux fois.',
  ],
});
