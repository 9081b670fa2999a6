import { counted, translate } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';
import type { IntentStatus } from '../../domain/intent';

export const STATUS_WORDS = translate<Readonly<Record<IntentStatus, string>>>({
  open: ['Open', 'Ouvert'],
  processing: ['Being paid', 'Paiement en cours'],
  succeeded: ['Paid', 'Payé'],
  failed: ['Failed', 'Échoué'],
  expired: ['Expired', 'Expiré'],
  canceled: ['Canceled', 'Annulé'],
});

export const WORDS = translate({
  ...VOCABULARY,
  lead: [
    'Create a link, send it to your customer, and the money arrives in your wallet.',
    'Créez un lien, envoyez-le à votre client, et l’argent arrive dans votre portefeuille.',
  ],
  make: ['New link', 'Nouveau lien'],
  caption: ['Payment links, newest first', 'Liens de paiement, les plus récents d’abord'],
  at: ['Created', 'Créé'],
  ends: ['Valid until', 'Valable jusqu’au'],
  email: ['Customer’s e-mail', 'E-mail du client'],
  new_link: ['New payment link', 'Nouveau lien de paiement'],
  description_hint: [
    'Shown to the customer, such as “Order 1042”.',
    'Visible par le client, par exemple « Commande 1042 ».',
  ],
  phone: ['Customer’s phone', 'Téléphone du client'],
  phone_hint: [
    'In international form, such as +221 77 123 45 67.',
    'Au format international, par exemple +221 77 123 45 67.',
  ],
  expires: ['Valid for', 'Valable'],
  hour: ['1 hour', '1 heure'],
  day: ['1 day', '1 jour'],
  week: ['7 days', '7 jours'],
  month: ['30 days', '30 jours'],
  return_url: ['Address after the payment', 'Adresse après le paiement'],
  return_url_hint: [
    'A page of your shop, such as https://shop.example/thanks. Without one, your customer stays on the payment page.',
    'Une page de votre boutique, par exemple https://boutique.example/merci. Sans elle, votre client reste sur la page de paiement.',
  ],
  cancel_url: ['Address for who gives up', 'Adresse en cas d’abandon'],
  cancel_url_hint: [
    'Such as the basket. The link stays open.',
    'Par exemple le panier. Le lien reste ouvert.',
  ],
  metadata: ['Metadata', 'Métadonnées'],
  metadata_hint: [
    'One “name=value” on each line. Your customer does not see it.',
    'Un « nom=valeur » par ligne. Votre client ne le voit pas.',
  ],
  create: ['Create the link', 'Créer le lien'],
  test_links: [
    (count: number): string =>
      `${counted('en', count, 'link', 'links')} of test mode can be made again for real money`,
    (count) =>
      `${counted('fr', count, 'lien du mode test peut être refait', 'liens du mode test peuvent être refaits')} pour de l’argent réel`,
  ],
  test_links_hint: [
    'Links and posters of test mode bring no real money. The new link has an address and a QR code of its own: print its poster and share it anew.',
    'Les liens et affiches du mode test n’apportent pas d’argent réel. Le nouveau lien a sa propre adresse et son propre code QR : imprimez son affiche et partagez-le à nouveau.',
  ],
  make_again: ['Make it for live', 'Refaire en mode réel'],
  made_again: [
    'This is the link for real money. Replace the poster and the links of test mode by it.',
    'Voici le lien pour de l’argent réel. Remplacez par lui l’affiche et les liens du mode test.',
  ],
  once: [
    'However often this form is sent, one link is created.',
    'Même si ce formulaire est envoyé plusieurs fois, un seul lien est créé.',
  ],
  frozen: [
    'This account is frozen, so it can create, change and cancel no links.',
    'Ce compte est gelé : il ne peut ni créer, ni modifier, ni annuler de liens.',
  ],
  fault_address: [
    'Write a whole address that begins with https://, without user name and password.',
    'Écrivez une adresse entière qui commence par https://, sans nom d’utilisateur ni mot de passe.',
  ],
  fault_metadata: [
    'Write “name=value” on each line: at most 50 lines, names of at most 40 and values of at most 500 characters.',
    'Écrivez « nom=valeur » sur chaque ligne : 50 lignes au plus, noms de 40 et valeurs de 500 caractères au plus.',
  ],
  fault_gateway: [
    'The payment gateway takes no such amount or currency.',
    'Le prestataire de paiement n’accepte pas ce montant ou cette devise.',
  ],
  no_gateway: [
    'No payment gateway is configured for this environment, so there can be no payment links.',
    'Aucun prestataire de paiement n’est configuré dans ce mode : il ne peut pas y avoir de liens de paiement.',
  ],
  not_made: [
    'The payment gateway did not answer in time, or refused. Send the form again: it makes the same link, not a second one.',
    'Le prestataire de paiement n’a pas répondu à temps, ou a refusé. Renvoyez le formulaire : il crée le même lien, pas un second.',
  ],
  made: ['The link was created.', 'Le lien a été créé.'],
  link: ['Payment link', 'Lien de paiement'],
  pay_url: ['Link for your customer', 'Lien pour votre client'],
  qr: ['QR code of the link', 'Code QR du lien'],
  print_poster: ['Print the poster', 'Imprimer l’affiche'],
  save_qr: ['Download the QR code', 'Télécharger le code QR'],
  scan: ['Scan to pay', 'Scannez pour payer'],
  reusable: ['Reusable link', 'Lien réutilisable'],
  share: ['Share', 'Partager'],
  message: [
    (amount: string | null, shop: string, about: string | null, url: string): string =>
      `Hello, here is the link to pay ${amount === null ? '' : `${amount} to `}${shop}${about === null ? '' : ` (${about})`}: ${url}`,
    (amount, shop, about, url) =>
      `Bonjour, voici le lien pour payer ${amount === null ? '' : `${amount} à `}${shop}${about === null ? '' : ` (${about})`} : ${url}`,
  ],
  email_hint: [
    'For the receipt; the link is not sent.',
    'Pour le reçu ; le lien n’est pas envoyé.',
  ],
  net: ['You get', 'Vous recevez'],
  kept: ['You keep', 'Il vous reste'],
  send_receipt: ['Send the receipt', 'Envoyer le reçu'],
  receipt_message: [
    (amount: string, shop: string, url: string): string =>
      `Hello, here is the receipt of your payment of ${amount} to ${shop}: ${url}`,
    (amount, shop, url) =>
      `Bonjour, voici le reçu de votre paiement de ${amount} à ${shop} : ${url}`,
  ],
  short_code: ['Code', 'Code'],
  last_error: ['Last attempt', 'Dernière tentative'],
  open_transaction: ['Open the transaction', 'Ouvrir la transaction'],
  timeline: ['What happened', 'Ce qui s’est passé'],
  cancel: ['Cancel this link', 'Annuler ce lien'],
  cancel_title: ['Cancel this payment link?', 'Annuler ce lien de paiement ?'],
  cancel_text: [
    'It can no longer be paid then, and this cannot be undone.',
    'Il ne pourra plus être payé, et cette action est définitive.',
  ],
  keep: ['Keep it', 'Conserver le lien'],
  canceled: ['The link was canceled.', 'Le lien a été annulé.'],
  not_cancelable: [
    (status: string) => `This link cannot be canceled any more: ${status}.`,
    (status) => `Ce lien ne peut plus être annulé : ${status}.`,
  ],
  not_canceled: [
    'The payment gateway or the service did not answer in time. The link may yet be canceled: try again.',
    'Le prestataire de paiement ou le service n’a pas répondu à temps. Le lien sera peut-être annulé : réessayez.',
  ],
});

/** A link's events, by source and kind. */
export const EVENT_WORDS = translate({
  requested: ['The link was asked for.', 'Le lien a été demandé.'],
  requested_again: ['The link was asked for again.', 'Le lien a été demandé de nouveau.'],
  checkout_opened: [
    'The gateway opened its checkout.',
    'Le prestataire de paiement a ouvert sa page de paiement.',
  ],
  abandoned: [
    'The gateway could not be reached, and the attempt was given up.',
    'Le prestataire de paiement n’était pas joignable, et la tentative a été abandonnée.',
  ],
  expired: ['The link expired.', 'Le lien a expiré.'],
  canceled: ['The link was canceled.', 'Le lien a été annulé.'],
  posted: [
    (amount: string, fee: string) => `${amount} arrived, of which ${fee} is the fee.`,
    (amount, fee) => `Montant reçu : ${amount}, dont ${fee} de frais.`,
  ],
  event: [
    (type: string) => `The event ${type} was written for your webhooks.`,
    (type) => `L’événement ${type} a été écrit pour vos webhooks.`,
  ],
  delivered: [
    (number: string) => `Webhook attempt ${number}: delivered.`,
    (number) => `Webhook, tentative ${number} : livré.`,
  ],
  not_delivered: [
    (number: string, why: string) => `Webhook attempt ${number}: ${why}.`,
    (number, why) => `Webhook, tentative ${number} : ${why}.`,
  ],
  held: [
    'The payment was received, and the operator of this service looks at it.',
    'Le paiement est reçu, et l’opérateur de ce service l’examine.',
  ],
  held_in_suspense: [
    (amount: string) =>
      `${amount} could not be booked for this link: an operator decides about it.`,
    (amount) =>
      `Un montant de ${amount} n’a pas pu être comptabilisé pour ce lien : un opérateur en décide.`,
  ],
  suspense_accepted: [
    'An operator accepted that money: it is in your wallet.',
    'Un opérateur a accepté cet argent : il est dans votre portefeuille.',
  ],
  suspense_refunded: ['That money was refunded.', 'Cet argent a été remboursé.'],
  suspense_refund_failed: [
    'Its refund failed: an operator looks after it.',
    'Son remboursement a échoué : un opérateur s’en occupe.',
  ],
  suspense_closed: [
    'An operator has settled that money outside of the gateway.',
    'Un opérateur a réglé cet argent sans passer par le prestataire de paiement.',
  ],
  dispute_opened: [
    (amount: string) => `The customer’s bank disputes ${amount}.`,
    (amount) => `La banque du client conteste ${amount}.`,
  ],
  dispute_won: [
    (amount: string) => `The dispute of ${amount} was won.`,
    (amount) => `La réclamation de ${amount} est gagnée.`,
  ],
  dispute_lost: [
    (amount: string) => `The dispute of ${amount} was lost.`,
    (amount) => `La réclamation de ${amount} est perdue.`,
  ],
  refund_requested: [
    (amount: string) => `A refund of ${amount} was ordered.`,
    (amount) => `Un remboursement de ${amount} a été demandé.`,
  ],
  refund_succeeded: [
    (amount: string) => `The gateway refunded ${amount}.`,
    (amount) => `Le prestataire de paiement a remboursé ${amount}.`,
  ],
  refund_failed: [
    (amount: string) => `A refund of ${amount} failed: the money is in your wallet again.`,
    (amount) =>
      `Un remboursement de ${amount} a échoué : l’argent est de nouveau dans votre portefeuille.`,
  ],
  attempt_begun: [
    (operator: string, end: string) =>
      `A customer was asked to pay through ${operator}, on a phone that ends in ${end}.`,
    (operator, end) =>
      `Un client a été invité à payer par ${operator}, sur un téléphone qui se termine par ${end}.`,
  ],
  attempt_succeeded: [
    (operator: string, end: string) =>
      `The customer paid through ${operator}, on the phone that ends in ${end}.`,
    (operator, end) =>
      `Le client a payé par ${operator}, sur le téléphone qui se termine par ${end}.`,
  ],
  attempt_failed: [
    (operator: string, why: string) => `The attempt to pay through ${operator} failed. ${why}`,
    (operator, why) => `La tentative de paiement par ${operator} n’a pas abouti. ${why}`,
  ],
  notified: {
    succeeded: [
      'The gateway reported the payment.',
      'Le prestataire de paiement a signalé le paiement.',
    ],
    failed: [
      'The gateway reported that the payment failed.',
      'Le prestataire de paiement a signalé l’échec du paiement.',
    ],
    attempt_failed: [
      'The gateway reported an attempt that failed.',
      'Le prestataire de paiement a signalé une tentative échouée.',
    ],
    processing: [
      'The gateway reported a payment under way.',
      'Le prestataire de paiement a signalé un paiement en cours.',
    ],
    held: [
      'The gateway reported a payment that the operator of this service looks at.',
      'Le prestataire de paiement a signalé un paiement que l’opérateur de ce service examine.',
    ],
    suspense: [
      'The gateway reported a payment that this link could not take.',
      'Le prestataire de paiement a signalé un paiement que ce lien ne pouvait pas recevoir.',
    ],
    duplicate: [
      'The gateway reported the same again.',
      'Le prestataire de paiement a signalé une seconde fois la même chose.',
    ],
    stale: [
      'The gateway reported something that was overtaken.',
      'Le prestataire de paiement a envoyé une information déjà dépassée.',
    ],
    mismatch: [
      'The gateway reported something that does not fit this link.',
      'Le prestataire de paiement a envoyé une information qui ne correspond pas à ce lien.',
    ],
    unknown_intent: [
      'The gateway reported something about an unknown link.',
      'Le prestataire de paiement a envoyé une information sur un lien inconnu.',
    ],
  },
  outcomes: {
    delivered: ['delivered', 'livré'],
    refused: ['refused', 'refusé'],
    timeout: ['no answer in time', 'pas de réponse à temps'],
    dns_failed: ['the host was not found', 'hôte introuvable'],
    connection_failed: ['no connection', 'pas de connexion'],
    tls_failed: ['no secure connection', 'pas de connexion sécurisée'],
    invalid_response: ['an answer that is no HTTP', 'une réponse qui n’est pas du HTTP'],
    blocked: ['an address that is not allowed', 'une adresse qui n’est pas permise'],
  },
});
