import { translate } from '../../domain/language';

export const WORDS = translate({
  mails: ['Mails', 'Messages'],
  lead: [
    'This installation has no mail server (SMTP_URL), so what it would have sent is shown here, to everybody. In production this page does not exist.',
    'Cette installation n’a pas de serveur de messagerie (SMTP_URL) : ce qu’elle aurait envoyé est affiché ici, pour tout le monde. En production, cette page n’existe pas.',
  ],
  link: [
    'Read here the mails that this service would have sent.',
    'Lisez ici les messages que ce service aurait envoyés.',
  ],
  to: ['To', 'À'],
  at: ['Written', 'Écrit'],
  find: ['Find', 'Rechercher'],
  none: ['No mail was written yet.', 'Aucun message pour l’instant.'],
});
