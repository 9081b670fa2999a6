import type { RailState } from '../../domain/payout';
import { VOCABULARY } from '../../domain/vocabulary';
import { formatCount, labelled, type Pairs, translate } from '../../domain/language';

const RAILS: Pairs<Readonly<Record<RailState, string>>> = {
  open: ['Open', 'Ouvert'],
  delayed: ['Delayed', 'Ralenti'],
  closed: ['Closed', 'Fermé'],
};

export const PAYOUT_WORDS = translate({
  in_doubt: ['Payouts in doubt', 'Envois d’issue inconnue'],
  in_doubt_lead: [
    'Not answered, still on their way or not taken back by the provider after 24 hours, or paid by it after the money was given back. On their way to a bank they may be for longer, if the provider says so.',
    'Restés sans réponse du prestataire, encore en route ou non repris après 24 heures, ou payés par lui alors que l’argent avait été rendu. Vers une banque, un envoi peut rester en route plus longtemps, si le prestataire l’annonce.',
  ],
  none_in_doubt: ['No payout is in doubt.', 'Aucun envoi d’issue inconnue.'],
  all: ['All payouts', 'Tous les envois'],
  only_in_doubt: ['Only those in doubt', 'Seulement ceux d’issue inconnue'],
  of_user: [(username: string) => `Payouts of ${username}`, (username) => `Envois de ${username}`],
  ordered: ['Ordered', 'Demandé'],
  recipient: ['Recipient', 'Bénéficiaire'],
  recipient_gets: ['The recipient gets', 'Le bénéficiaire reçoit'],
  fee: ['Fee', 'Frais'],
  tax: VOCABULARY.tax,
  provider: ['Provider', 'Prestataire'],
  provider_payment: ['Provider’s ID', 'Identifiant chez le prestataire'],
  none_yet: ['none yet', 'aucun pour l’instant'],
  asked: ['Last asked', 'Dernière vérification'],
  times: [(count: number) => `${count}×`, (count) => `${count} fois`],
  detail: ['Last fault', 'Dernière erreur'],
  failure: ['Why it failed', 'Cause de l’échec'],
  loss: ['Paid, and given back', 'Payé alors que l’argent était rendu'],
  loss_lead: [
    'The provider has paid what the merchant has again. Ask the merchant for it outside of the ledger, or have the provider take it back; what is left is your loss.',
    'Le prestataire a payé ce que le marchand a déjà récupéré. Réclamez-le au marchand en dehors du grand livre, ou faites-le reprendre par le prestataire ; le reste est votre perte.',
  ],
  settle_loss: ['Settle as a loss', 'Solder comme perte'],
  reason_read: [
    'Kept in the audit log. The merchant reads it too: of a payout that was not paid, as why it failed.',
    'Conservé dans le journal d’audit. Le marchand le lit aussi : pour un envoi non payé, comme cause de l’échec.',
  ],
  settle: ['What became of it?', 'Qu’est-il devenu ?'],
  settle_lead: [
    'Look at the provider first. Should it say otherwise later, a payout settled as paid is a return, and one settled as not paid a loss.',
    'Vérifiez d’abord chez le prestataire. S’il dit autre chose plus tard, un envoi déclaré payé devient un retour, et un envoi déclaré non payé une perte.',
  ],
  paid: ['It was paid', 'Il a été payé'],
  not_paid: ['It was not paid', 'Il n’a pas été payé'],
  have_looked: [
    (id: string) => `I have looked at the provider, under ${id}`,
    (id) => `J’ai vérifié chez le prestataire, sous ${id}`,
  ],
  done_paid: ['Settled: the payout has succeeded.', 'C’est fait : l’envoi est effectué.'],
  done_not_paid: [
    'Settled: the payout has failed, and the money is back in the wallet.',
    'C’est fait : l’envoi a échoué et l’argent est revenu au portefeuille.',
  ],
  done_loss: ['Settled: the loss is in the books.', 'C’est fait : la perte est comptabilisée.'],
  stages: {
    queued: ['Queued', 'En file d’attente'],
    sent: ['Sent', 'Envoyé'],
  },
  rails: RAILS,
  providers: ['Providers', 'Prestataires'],
  no_providers: [
    'No provider of payouts is configured.',
    'Aucun prestataire d’envois n’est configuré.',
  ],
  float: ['Float', 'Solde disponible'],
  operators: ['Operators and banks', 'Opérateurs et banques'],
  open_rails: [
    (open: number, all: number) => `Open: ${formatCount('en', open)} of ${formatCount('en', all)}`,
    (open, all) =>
      labelled('fr', 'Ouverts', `${formatCount('fr', open)} sur ${formatCount('fr', all)}`),
  ],
  banks: ['Banks', 'Banques'],
  no_answer: ['It does not answer', 'Ne répond pas'],
  refused: {
    held: [
      'It waits for a decision about its case. Nothing was done.',
      'Il attend la décision sur son dossier. Rien n’a été fait.',
    ],
    requires_approval: [
      'It waits for its approval. Nothing was done.',
      'Il attend son approbation. Rien n’a été fait.',
    ],
    requires_confirmation: [
      'It waits for its confirmation. Nothing was done.',
      'Il attend sa confirmation. Rien n’a été fait.',
    ],
    succeeded: [
      'It has succeeded meanwhile. Nothing was done.',
      'Il a été effectué entre-temps. Rien n’a été fait.',
    ],
    failed: [
      'It has failed meanwhile. Nothing was done.',
      'Il a échoué entre-temps. Rien n’a été fait.',
    ],
    canceled: [
      'It was canceled meanwhile. Nothing was done.',
      'Il a été annulé entre-temps. Rien n’a été fait.',
    ],
    returned: [
      'It was returned meanwhile. Nothing was done.',
      'Il a été retourné entre-temps. Rien n’a été fait.',
    ],
    not_asked: [
      'Nothing was asked of its provider: its merchant can cancel it.',
      'Rien n’a été demandé au prestataire : le marchand peut l’annuler.',
    ],
    at_provider: [
      'The provider has it under another ID by now. Nothing was done: look again.',
      'Le prestataire l’a entre-temps sous un autre identifiant. Rien n’a été fait : vérifiez de nouveau.',
    ],
    limit_exceeded: [
      'The wallet cannot hold that much.',
      'Le portefeuille ne peut pas contenir autant.',
    ],
    gateway_is_asked: [
      'The provider was asked about it less than half a minute ago, and may be paying it. Nothing was done. At first it is asked often: look there again in a few minutes.',
      'Le prestataire a été interrogé il y a moins de trente secondes et le paie peut-être. Rien n’a été fait. Au début, il est interrogé souvent : vérifiez de nouveau dans quelques minutes.',
    ],
    no_loss: [
      'Nothing waits to be settled: it was settled before, or has come back.',
      'Rien n’est à solder : c’est déjà fait, ou l’argent est revenu.',
    ],
  },
});
