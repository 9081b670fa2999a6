import { translate } from '../../domain/language';

export const WORDS = translate(
  {
    mails: 'Mails',
    lead: 'This installation has no mail server (SMTP_URL), so what it would have sent is shown here, to everybody. In production this page does not exist.',
    link: 'Mails are not sent here: read them.',
    to: 'To',
    at: 'Written',
  },
  {
    mails: 'Messages',
    lead: 'Cette installation n’a pas de serveur de messagerie (SMTP_URL) : ce qu’elle aurait envoyé est affiché ici, pour tout le monde. En production, cette page n’existe pas.',
    link: 'Les messages ne sont pas envoyés ici : lisez-les.',
    to: 'À',
    at: 'Écrit',
  },
);
