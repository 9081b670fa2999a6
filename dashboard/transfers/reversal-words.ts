import { translate } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';

export const REVERSAL_WORDS = translate({
  ...VOCABULARY,
  reverse: ['Give it back', 'Rendre ce transfert'],
  reversals: ['Given back', 'Montants rendus'],
  caption: ['What was given back, oldest first', 'Ce qui a été rendu, le plus ancien d’abord'],
  title: ['Give this transfer back', 'Rendre ce transfert'],
  lead: [
    'The sender gets the amount at once, from your wallet. The fee of the transfer is not given back, and this cannot be undone.',
    'L’expéditeur reçoit le montant aussitôt, depuis votre portefeuille. Les frais du transfert ne sont pas rendus, et c’est définitif.',
  ],
  sender: ['Sender', 'Expéditeur'],
  received: ['Sent to you', 'Montant reçu'],
  reversed: ['Given back until now', 'Déjà rendu'],
  left: ['Can still be given back', 'Peut encore être rendu'],
  reason_hint: [
    'Shown in the history of both sides.',
    'Visible dans l’historique des deux comptes.',
  ],
  confirm_title: ['Give this transfer back?', 'Rendre ce transfert ?'],
  reverse_now: [
    (amount: string) => `Give ${amount} back now`,
    (amount) => `Rendre ${amount} maintenant`,
  ],
  once: [
    'However often this form is sent, the money is given back once.',
    'Même si ce formulaire est envoyé plusieurs fois, l’argent n’est rendu qu’une fois.',
  ],
  back: ['Back to the transfer', 'Retour au transfert'],
  done: ['The money was given back.', 'L’argent a été rendu.'],
  done_simulated: ['The reversal was simulated.', 'L’annulation a été simulée.'],
  not_recipient: [
    'Only the recipient of a transfer can give it back.',
    'Seul le destinataire d’un transfert peut le rendre.',
  ],
  nothing_left: ['All of this transfer was given back.', 'Ce transfert a été rendu en entier.'],
  too_much: [
    (amount: string) => `At most ${amount} of this transfer can still be given back.`,
    (amount) => `On peut encore rendre ${amount} au plus.`,
  ],
  insufficient: [
    'Your wallet does not hold enough for this. Nothing was given back.',
    'Votre portefeuille ne suffit pas pour ce montant. Rien n’a été rendu.',
  ],
  sender_full: [
    'The sender’s wallet cannot take this amount. Nothing was given back.',
    'Le portefeuille de l’expéditeur ne peut pas recevoir ce montant. Rien n’a été rendu.',
  ],
});
