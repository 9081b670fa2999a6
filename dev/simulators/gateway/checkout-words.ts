// The texts of the simulator's checkout.

import { translate } from '../../../domain/language';
import type { Action } from './actions';
import type { DisputeCourse } from './disputes';
import type { RefundCourse, SessionStatus } from './store';

type Ending = Exclude<SessionStatus, 'open'>;

export interface CheckoutWords {
  readonly title: string;
  readonly sign_live: readonly [string, string];
  readonly sign_sandbox: readonly [string, string];
  readonly sign: readonly [string, string];
  readonly missing: readonly [string, string];
  readonly failed: string;
  readonly pay: (amount: string) => string;
  readonly reference: string;
  readonly country: string;
  readonly contact: string;
  readonly customer: string;
  readonly amount: string;
  readonly others: string;
  readonly sent_back: (host: string) => string;
  readonly how_refund: string;
  readonly how_long: string;
  readonly go_back: string;
  /** The label of each action, and what it does. */
  readonly choices: Readonly<Record<Action, readonly [string, string]>>;
  readonly refunds: Readonly<Record<'works' | RefundCourse['course'], string>>;
  readonly bank: string;
  readonly disputes: Readonly<Record<DisputeCourse, string>>;
  readonly endings: Readonly<Record<Ending, readonly [string, string]>>;
}

export const WORDS = translate<CheckoutWords>(
  {
    title: 'Checkout (simulator)',
    sign_live: [
      'Payment simulator, live account.',
      'This page stands in for the live payment gateway. No real money moves.',
    ],
    sign_sandbox: ['Payment simulator, sandbox account.', 'No real money moves.'],
    sign: ['Payment simulator.', 'No real money moves.'],
    missing: [
      'No such checkout',
      'The address is incomplete, or the simulator has been started with an empty journal since.',
    ],
    failed: 'The last attempt failed.',
    pay: (amount) => `Pay ${amount}`,
    reference: 'Reference',
    country: 'Country',
    contact: 'Contact',
    customer: 'Customer',
    amount: 'Amount',
    others: 'Or let something else happen',
    sent_back: (host) => `Then you are sent back to ${host}.`,
    how_refund: 'How a refund goes',
    how_long: 'How long it takes',
    go_back: 'Go back',
    choices: {
      pay: [
        'Pay, and choose its refunds',
        'One payment. Refunds of it then work, fail, or stay pending.',
      ],
      pay_slowly: [
        'Pay, but it takes a while',
        'Pending now, paid after the chosen time: like a bank transfer.',
      ],
      decline_slowly: [
        'Pending, then declined',
        'Pending now, refused for good after the chosen time.',
      ],
      pay_notify_twice: [
        'Pay, and notify twice',
        'One payment; the same notification is delivered two times.',
      ],
      pay_twice: [
        'Pay twice',
        'Two payments, each with its own id: the second one is a double payment. Choose how a refund of it goes.',
      ],
      decline_retry: [
        'Decline, and let me try again',
        'The attempt fails; the checkout stays open.',
      ],
      decline: ['Decline for good', 'The payment fails, and this checkout ends.'],
      come_back_later: ['Come back later', 'Goes back without doing anything.'],
    },
    refunds: {
      works: 'Refunds work',
      slow: 'Refunds take 5 s',
      fail: 'Refunds fail after 5 s',
      fail_later: 'Refunds work, and fail 5 s later',
      pending: 'Refunds stay pending',
      needs_customer: 'Refunds wait for the customer',
    },
    bank: 'Or be the customer’s bank',
    disputes: {
      open: 'Dispute this payment',
      won: 'Decide for the merchant',
      lost: 'Decide for the customer',
    },
    endings: {
      paid: ['This payment was made', 'There is nothing more to pay here.'],
      pending: [
        'This payment is pending',
        'It was started and takes a while. There is nothing more to do here.',
      ],
      failed: ['This payment was refused', 'It cannot be tried again in this checkout.'],
      closed: ['This checkout is closed', 'The shop has closed it. It can no longer be paid.'],
      lapsed: ['This checkout has expired', 'It can no longer be paid.'],
    },
  },
  {
    title: 'Page de paiement (simulateur)',
    sign_live: [
      'Simulateur de paiement, compte réel.',
      'Cette page remplace le vrai prestataire de paiement. Aucun argent réel ne circule.',
    ],
    sign_sandbox: ['Simulateur de paiement, compte de test.', 'Aucun argent réel ne circule.'],
    sign: ['Simulateur de paiement.', 'Aucun argent réel ne circule.'],
    missing: [
      'Page de paiement introuvable',
      'L’adresse est incomplète, ou le simulateur a redémarré depuis avec un journal vide.',
    ],
    failed: 'La dernière tentative a échoué.',
    pay: (amount) => `Payer ${amount}`,
    reference: 'Référence',
    country: 'Pays',
    contact: 'Contact',
    customer: 'Client',
    amount: 'Montant',
    others: 'Ou faites se produire autre chose',
    sent_back: (host) => `Vous revenez ensuite à ${host}.`,
    how_refund: 'Déroulement d’un remboursement',
    how_long: 'Durée',
    go_back: 'Retour',
    choices: {
      pay: [
        'Payer, et choisir ses remboursements',
        'Un seul paiement. Ses remboursements aboutissent, échouent ou restent en attente.',
      ],
      pay_slowly: [
        'Payer, mais cela prend du temps',
        'En attente à présent, payé après le délai choisi : comme un virement.',
      ],
      decline_slowly: [
        'En attente, puis refusé',
        'En attente à présent, refusé définitivement après le délai choisi.',
      ],
      pay_notify_twice: [
        'Payer, et notifier deux fois',
        'Un seul paiement ; la même notification est livrée deux fois.',
      ],
      pay_twice: [
        'Payer deux fois',
        'Deux paiements, chacun avec son identifiant : le second est un double paiement. Choisissez comment se passe son remboursement.',
      ],
      decline_retry: [
        'Refuser, et me laisser réessayer',
        'La tentative échoue ; la page de paiement reste ouverte.',
      ],
      decline: [
        'Refuser définitivement',
        'Le paiement échoue, et cette page de paiement se ferme.',
      ],
      come_back_later: ['Revenir plus tard', 'Retourne sans rien faire.'],
    },
    refunds: {
      works: 'Les remboursements aboutissent',
      slow: 'Les remboursements prennent 5 s',
      fail: 'Les remboursements échouent après 5 s',
      fail_later: 'Les remboursements aboutissent, et échouent 5 s plus tard',
      pending: 'Les remboursements restent en attente',
      needs_customer: 'Les remboursements attendent le client',
    },
    bank: 'Ou jouez la banque du client',
    disputes: {
      open: 'Contester ce paiement',
      won: 'Trancher pour le marchand',
      lost: 'Trancher pour le client',
    },
    endings: {
      paid: ['Ce paiement a été effectué', 'Il n’y a plus rien à payer ici.'],
      pending: [
        'Ce paiement est en attente',
        'Il a commencé et prend du temps. Il n’y a plus rien à faire ici.',
      ],
      failed: [
        'Ce paiement a été refusé',
        'Il ne peut plus être tenté sur cette page de paiement.',
      ],
      closed: [
        'Cette page de paiement est fermée',
        'La boutique l’a fermée. Elle ne peut plus être payée.',
      ],
      lapsed: ['Cette page de paiement a expiré', 'Elle ne peut plus être payée.'],
    },
  },
);
