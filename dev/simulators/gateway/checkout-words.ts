// The texts of the simulator's checkout.

import { translate, type Pairs } from '../../../domain/language';
import type { Action, DisputeCourse, RefundCourse } from './courses';
import type { SessionStatus } from './store';

export const WORDS = translate({
  title: ['Checkout (simulator)', 'Page de paiement (simulateur)'],
  sign_live: [
    [
      'Payment simulator, live account.',
      'This page stands in for the live payment gateway. No real money moves.',
    ],
    [
      'Simulateur de paiement, compte réel.',
      'Cette page remplace le vrai prestataire de paiement. Aucun argent réel ne circule.',
    ],
  ],
  sign_sandbox: [
    ['Payment simulator, sandbox account.', 'No real money moves.'],
    ['Simulateur de paiement, compte de test.', 'Aucun argent réel ne circule.'],
  ],
  sign: [
    ['Payment simulator.', 'No real money moves.'],
    ['Simulateur de paiement.', 'Aucun argent réel ne circule.'],
  ],
  missing: [
    [
      'No such checkout',
      'The address is incomplete, or the simulator has been started with an empty journal since.',
    ],
    [
      'Page de paiement introuvable',
      'L’adresse est incomplète, ou le simulateur a redémarré depuis avec un journal vide.',
    ],
  ],
  failed: ['The last attempt failed.', 'La dernière tentative a échoué.'],
  pay: [(amount: string) => `Pay ${amount}`, (amount) => `Payer ${amount}`],
  reference: ['Reference', 'Référence'],
  country: ['Country', 'Pays'],
  contact: ['Contact', 'Contact'],
  customer: ['Customer', 'Client'],
  amount: ['Amount', 'Montant'],
  others: ['Or let something else happen', 'Ou faites se produire autre chose'],
  sent_back: [
    (host: string) => `Then you are sent back to ${host}.`,
    (host) => `Vous revenez ensuite à ${host}.`,
  ],
  how_refund: ['How a refund goes', 'Déroulement d’un remboursement'],
  how_long: ['How long it takes', 'Durée'],
  go_back: ['Go back', 'Retour'],
  choices: {
    pay: [
      [
        'Pay, and choose its refunds',
        'One payment. Refunds of it then work, fail, or stay pending.',
      ],
      [
        'Payer, et choisir ses remboursements',
        'Un seul paiement. Ses remboursements aboutissent, échouent ou restent en attente.',
      ],
    ],
    pay_slowly: [
      [
        'Pay, but it takes a while',
        'Pending now, paid after the chosen time: like a bank transfer.',
      ],
      [
        'Payer, mais cela prend du temps',
        'En attente à présent, payé après le délai choisi : comme un virement.',
      ],
    ],
    decline_slowly: [
      ['Pending, then declined', 'Pending now, refused for good after the chosen time.'],
      [
        'En attente, puis refusé',
        'En attente à présent, refusé définitivement après le délai choisi.',
      ],
    ],
    pay_notify_twice: [
      ['Pay, and notify twice', 'One payment; the same notification is delivered two times.'],
      [
        'Payer, et notifier deux fois',
        'Un seul paiement ; la même notification est livrée deux fois.',
      ],
    ],
    pay_twice: [
      [
        'Pay twice',
        'Two payments, each with its own id: the second one is a double payment. Choose how a refund of it goes.',
      ],
      [
        'Payer deux fois',
        'Deux paiements, chacun avec son identifiant : le second est un double paiement. Choisissez comment se passe son remboursement.',
      ],
    ],
    decline_retry: [
      ['Decline, and let me try again', 'The attempt fails; the checkout stays open.'],
      [
        'Refuser, et me laisser réessayer',
        'La tentative échoue ; la page de paiement reste ouverte.',
      ],
    ],
    decline: [
      ['Decline for good', 'The payment fails, and this checkout ends.'],
      ['Refuser définitivement', 'Le paiement échoue, et cette page de paiement se ferme.'],
    ],
    come_back_later: [
      ['Come back later', 'Goes back without doing anything.'],
      ['Revenir plus tard', 'Retourne sans rien faire.'],
    ],
  } satisfies Pairs<Record<Action, readonly [string, string]>>,
  refunds: {
    works: ['Refunds work', 'Les remboursements aboutissent'],
    slow: ['Refunds take 5 s', 'Les remboursements prennent 5 s'],
    fail: ['Refunds fail after 5 s', 'Les remboursements échouent après 5 s'],
    fail_later: [
      'Refunds work, and fail 5 s later',
      'Les remboursements aboutissent, et échouent 5 s plus tard',
    ],
    pending: ['Refunds stay pending', 'Les remboursements restent en attente'],
    needs_customer: ['Refunds wait for the customer', 'Les remboursements attendent le client'],
  } satisfies Pairs<Record<'works' | RefundCourse, string>>,
  bank: ['Or be the customer’s bank', 'Ou jouez la banque du client'],
  disputes: {
    open: ['Dispute this payment', 'Contester ce paiement'],
    won: ['Decide for the merchant', 'Trancher pour le marchand'],
    lost: ['Decide for the customer', 'Trancher pour le client'],
  } satisfies Pairs<Record<DisputeCourse, string>>,
  endings: {
    paid: [
      ['This payment was made', 'There is nothing more to pay here.'],
      ['Ce paiement a été effectué', 'Il n’y a plus rien à payer ici.'],
    ],
    pending: [
      [
        'This payment is pending',
        'It was started and takes a while. There is nothing more to do here.',
      ],
      [
        'Ce paiement est en attente',
        'Il a commencé et prend du temps. Il n’y a plus rien à faire ici.',
      ],
    ],
    failed: [
      ['This payment was refused', 'It cannot be tried again in this checkout.'],
      ['Ce paiement a été refusé', 'Il ne peut plus être tenté sur cette page de paiement.'],
    ],
    closed: [
      ['This checkout is closed', 'The shop has closed it. It can no longer be paid.'],
      [
        'Cette page de paiement est fermée',
        'La boutique l’a fermée. Elle ne peut plus être payée.',
      ],
    ],
    lapsed: [
      ['This checkout has expired', 'It can no longer be paid.'],
      ['Cette page de paiement a expiré', 'Elle ne peut plus être payée.'],
    ],
  } satisfies Pairs<Record<Exclude<SessionStatus, 'open'>, readonly [string, string]>>,
});

export type CheckoutWords = (typeof WORDS)['en'];
