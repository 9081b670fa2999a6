// What mails say of what was done, in both languages.

import type { Language } from '../../domain/language';
import { MAIL_TEXTS } from '../../use-cases/mail-texts';

it.each<[Language, readonly string[]]>([
  [
    'en',
    [
      'API keys are revoked',
      'webhook endpoints disabled',
      'reusable links taken out of use',
      'open payment links ended',
      'public name, contact and logo removed',
      'other members and open invitations are gone',
    ],
  ],
  [
    'fr',
    [
      'clés d’API sont révoquées',
      'endpoints de webhooks et ses liens réutilisables désactivés',
      'liens de paiement ouverts arrêtés',
      'nom public, son contact et son logo supprimés',
      'les autres membres et les invitations en attente ont été retirés',
    ],
  ],
])('a first proof of an address names all that it ends, in %s', (language, ends) => {
  const text = (is_first_proof: boolean): string =>
    MAIL_TEXTS[language].password_changed('https://pay.example.com', is_first_proof).text;
  for (const end of ends) {
    expect(text(true)).toContain(end);
    expect(text(false)).not.toContain(end);
  }
});
