import { counted, translate } from '../../domain/language';
import { ERRORS } from '../../domain/errors';
import { VOCABULARY } from '../../domain/vocabulary';

export const WORDS = translate({
  ...VOCABULARY,
  send: ['Transfer to an account', 'Transférer à un compte'],
  lead: [
    'To another account of this service. You see the fee before anything is sent.',
    'À un autre compte de ce service. Vous voyez les frais avant tout envoi.',
  ],
  sandbox: [
    'In the sandbox a transfer is simulated: it gets a reference and shows in the history, and no balance changes.',
    'En mode test, un transfert est simulé : il reçoit une référence et figure dans l’historique, et aucun solde ne change.',
  ],
  to: ['Recipient’s username', 'Nom d’utilisateur du destinataire'],
  many: ['Send to many, by a file', 'Envoyer à plusieurs, par un fichier'],
  frozen: ERRORS.account_frozen.shown,
  missing_recipient: [
    'Write the recipient’s username.',
    'Indiquez le nom d’utilisateur du destinataire.',
  ],
  unknown_recipient: ERRORS.recipient_not_found.shown,
  self: [
    'This is your own username: money cannot be sent to yourself.',
    'C’est votre propre nom d’utilisateur : on ne peut pas s’envoyer de l’argent à soi-même.',
  ],
  unknown_limit: [
    (minutes: number) =>
      `Too many unknown usernames were tried in the last hour. Check the name, and try again in ${counted('en', minutes, 'minute', 'minutes')}.`,
    (minutes) =>
      `Trop de noms d’utilisateur inconnus ont été essayés au cours de la dernière heure. Vérifiez le nom et réessayez dans ${counted('fr', minutes, 'minute', 'minutes')}.`,
  ],
  insufficient: [
    (balance: string) => `Your wallet holds only ${balance}.`,
    (balance) => `Votre portefeuille ne contient que ${balance}.`,
  ],
  insufficient_now: ERRORS.insufficient_funds.shown,
  preview: ['Check and send', 'Vérifier et envoyer'],
  recipient_gets: ['The recipient gets', 'Le destinataire reçoit'],
  balance_now: ['Your balance now', 'Votre solde actuel'],
  unchanged: ['unchanged: simulated', 'inchangé : simulé'],
  send_now: [(amount: string) => `Send ${amount}`, (amount) => `Envoyer ${amount}`],
  sent: ['The transfer was carried out.', 'Le transfert a été effectué.'],
  sent_simulated: ['The transfer was simulated.', 'Le transfert a été simulé.'],
  transfer: ['Transfer', 'Transfert'],
  completed: ['Completed', 'Effectué'],
  reversed: ['Reversed', 'Annulé'],
  simulated: ['Simulated', 'Simulé'],
  held: ['Being checked', 'En vérification'],
  refused: ['Refused', 'Refusé'],
  is_held: [
    'The operator of this service looks at the transfer before the recipient gets it. The money is set aside, and comes back if it is not allowed.',
    'L’opérateur de ce service examine le transfert avant que le destinataire ne le reçoive. L’argent est mis de côté et vous revient s’il n’est pas autorisé.',
  ],
  from: ['From', 'De'],
  you: ['you', 'vous'],
  history: ['All transactions', 'Toutes les transactions'],
  another: ['Send another', 'Faire un autre envoi'],
});
