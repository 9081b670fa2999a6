import { counted, translate, type Pairs } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';
import type { PaymentLinkStatus } from '../../domain/payment-link';

export const STATUS_WORDS = translate<Readonly<Record<PaymentLinkStatus, string>>>({
  active: ['Active', 'Actif'],
  inactive: ['Out of use', 'Désactivé'],
  sold_out: ['Sold out', 'Épuisé'],
  expired: ['Expired', 'Expiré'],
});

export const WORDS = translate({
  ...VOCABULARY,
  links: ['Reusable links', 'Liens réutilisables'],
  lead: [
    'A link that any number of customers may pay: print it for your counter, or send it to a group.',
    'Un lien que plusieurs clients peuvent payer : affichez-le à votre comptoir, ou envoyez-le à un groupe.',
  ],
  make: ['New reusable link', 'Nouveau lien réutilisable'],
  caption: ['Reusable links, newest first', 'Liens réutilisables, les plus récents d’abord'],
  price: ['Price', 'Prix'],
  open: ['Free amount', 'Montant libre'],
  payments: ['Payments', 'Paiements'],
  count: [
    (count: number): string => counted('en', count, 'payment', 'payments'),
    (count) => counted('fr', count, 'paiement', 'paiements'),
  ],
  amount_hint: [
    'The price of one. Leave it empty, and your customers choose the amount.',
    'Le prix à l’unité. Laissez-le vide pour que vos clients choisissent le montant.',
  ],
  required: [
    (question: string): string => `${question} must be answered`,
    (question) => `Réponse obligatoire : ${question}`,
  ],
  questions: ['Questions', 'Questions'],
  labels: {
    title: ['Title', 'Titre'],
    description: ['Description', 'Description'],
    max_payments: ['Maximum number of payments', 'Nombre maximum de paiements'],
    active_until: ['Active until (UTC)', 'Actif jusqu’au (UTC)'],
    minimum: ['Minimum amount', 'Montant minimum'],
    maximum: ['Maximum amount', 'Montant maximum'],
    suggestions: ['Suggested amounts', 'Montants proposés'],
    quantity_minimum: ['Minimum quantity', 'Quantité minimum'],
    quantity_maximum: ['Maximum quantity', 'Quantité maximum'],
    question_1: ['Question 1', 'Question 1'],
    question_2: ['Question 2', 'Question 2'],
    question_3: ['Question 3', 'Question 3'],
    return_url: ['Address after the payment', 'Adresse après le paiement'],
  },
  hints: {
    title: [
      'What your customers pay for, such as “Coffee”.',
      'Ce que vos clients paient, par exemple « Café ».',
    ],
    description: ['Shown below the title.', 'Affichée sous le titre.'],
    max_payments: [
      'Such as the number of seats. Leave it empty for no limit.',
      'Par exemple le nombre de places. Laissez-le vide s’il n’y a pas de limite.',
    ],
    minimum: [
      'When your customers choose the amount.',
      'Quand vos clients choisissent le montant.',
    ],
    suggestions: [
      'At most 4, with a semicolon between them: 100; 200; 500.',
      '4 au plus, séparés par un point-virgule : 100 ; 200 ; 500.',
    ],
    quantity_minimum: [
      'When there is a price. Leave it empty if each customer pays for one.',
      'Quand il y a un prix. Laissez-la vide si chaque client paie une seule unité.',
    ],
    question_1: [
      'Asked before the payment, such as “Table number”.',
      'Posée avant le paiement, par exemple « Numéro de table ».',
    ],
  } as Pairs<Readonly<Record<string, string>>>,
  active_until: ['Active until', 'Actif jusqu’au'],
  fault_title: ['Write what your customers pay for.', 'Écrivez ce que vos clients paient.'],
  fault_time: ['Choose a time that is later than now.', 'Choisissez un moment à venir.'],
  fault_open: [
    'Leave it empty, or leave the amount empty.',
    'Laissez ce champ vide, ou bien le montant.',
  ],
  fault_maximum: ['At least the minimum amount.', 'Au moins le montant minimum.'],
  fault_suggestions: [
    'Each must lie between the minimum and the maximum amount.',
    'Chacun doit être compris entre le montant minimum et le montant maximum.',
  ],
  fault_quantity: [
    'It needs a price, and must be at least the minimum quantity. The price of so many must not be more than a payment may be.',
    'Il faut un prix, et au moins la quantité minimum. Le prix de l’ensemble ne doit pas dépasser le maximum d’un paiement.',
  ],
  print: [
    'Printed, this page is a poster for your counter. The link takes many payments.',
    'Imprimée, cette page est une affiche pour votre comptoir. Le lien sert à plusieurs paiements.',
  ],
  change_title: ['Change the link', 'Modifier le lien'],
  change_note: [
    'Its price and its questions stay as they are.',
    'Son prix et ses questions ne changent pas.',
  ],
  changed: ['The link was changed.', 'Le lien a été modifié.'],
  take_out: ['Take out of use', 'Désactiver'],
  put_back: ['Put back in use', 'Réactiver'],
  is_taken_out: [
    'The link is out of use. Who is already paying may finish.',
    'Le lien n’est plus en service. Les clients en train de payer peuvent terminer.',
  ],
  is_put_back: ['The link is back in use.', 'Le lien est de nouveau en service.'],
});
