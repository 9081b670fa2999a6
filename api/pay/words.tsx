// The pay page's texts, in the languages of its customers. What a gateway says stays as it is.

import type { JSX } from 'preact';
import type { Currency } from '../../domain/currency';
import { counted, translate } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';
import { CURRENCY_LABELS } from '../../pages/formats';

export const WORDS = translate({
  ...VOCABULARY,
  other_language: ['Français', 'English'],
  pay_to: [(payee: JSX.Element) => <>Pay {payee}</>, (payee) => <>Payer {payee}</>],
  pay: [(amount: string): string => `Pay ${amount}`, (amount) => `Payer ${amount}`],
  title_open: [
    (amount: string, payee: string): string => `Pay ${amount} to ${payee}`,
    (amount, payee) => `Payer ${amount} à ${payee}`,
  ],
  title_closed: [
    (heading: string, amount: string, payee: string): string => `${heading}: ${amount} to ${payee}`,
    (heading, amount, payee) => `${heading} : ${amount} à ${payee}`,
  ],
  test_ribbon: ['Test payment: no real money', 'Paiement de test : sans argent réel'],
  simulated_ribbon: ['Simulated gateway: no real money', 'Paiement simulé : sans argent réel'],
  simulated_next: [
    'A simulated checkout opens next. It takes no money.',
    'Une page de paiement simulée s’ouvre ensuite. Aucun argent ne sera débité.',
  ],
  next: [
    'The secure checkout of our payment partner opens next.',
    'La page de paiement sécurisée de notre partenaire s’ouvre ensuite.',
  ],
  busy: ['One moment…', 'Un instant…'],
  try_again: ['Try again', 'Réessayer'],
  check_now: ['Check now', 'Vérifier maintenant'],
  valid_until: ['Valid until', 'Valable jusqu’au'],
  refunded: ['Refunded', 'Remboursé'],
  refund_pending: ['on its way', 'en cours'],
  receipt: ['Receipt', 'Reçu'],
  receipt_link: ['Receipt', 'Reçu'],
  receipt_of: [
    (payee: JSX.Element) => <>Receipt from {payee}</>,
    (payee) => <>Reçu délivré par {payee}</>,
  ],
  receipt_text: ['This payment has arrived.', 'Ce paiement est arrivé.'],
  print: ['Print', 'Imprimer'],
  back_to_payment: ['Back to the payment', 'Revenir au paiement'],
  qr: ['Pay with your phone', 'Payer avec votre téléphone'],
  qr_label: ['QR code of this payment link', 'Code QR de ce lien de paiement'],
  to: ['To', 'À'],
  for: ['For', 'Pour'],
  failed_attempt: ['The last attempt did not go through.', 'La dernière tentative n’a pas abouti.'],
  choose_again: [
    'You can try again, or choose another way to pay.',
    'Vous pouvez réessayer, ou choisir un autre moyen de paiement.',
  ],
  paid_since: [
    'Have you paid since? Then wait a moment: this page will show it by itself.',
    'Avez-vous payé depuis ? Alors patientez un instant : cette page l’affichera d’elle-même.',
  ],
  checking: ['Checking your payment', 'Vérification de votre paiement'],
  just_paid: [
    'Have you just paid? Then wait a moment: this page will show it by itself.',
    'Venez-vous de payer ? Alors patientez un instant : cette page l’affichera d’elle-même.',
  ],
  not_paid: ['I have not paid yet', 'Je n’ai pas encore payé'],
  trouble: ['The checkout could not be opened', 'La page de paiement n’a pas pu s’ouvrir'],
  trouble_text: [
    (seconds: number): string =>
      `Our payment partner does not answer just now, and nothing was charged by this attempt. Try again in ${counted('en', seconds, 'second', 'seconds')}.`,
    (seconds) =>
      `Notre partenaire de paiement ne répond pas pour le moment, et cette tentative n’a rien débité. Réessayez dans ${counted('fr', seconds, 'seconde', 'secondes')}.`,
  ],
  processing: ['Confirming your payment', 'Confirmation de votre paiement'],
  processing_text: [
    (): string =>
      'We are waiting for the confirmation, which can take a few minutes. You do not have to pay again: this page shows it by itself.',
    () =>
      'Nous attendons la confirmation, ce qui peut prendre quelques minutes. Vous n’avez pas à payer de nouveau : cette page l’affichera d’elle-même.',
  ],
  held: ['Your payment is being checked', 'Vérification de votre paiement en cours'],
  held_text: [
    'Your payment was received and is being checked, which may take up to three days. You do not have to pay again: this page shows how it ends.',
    'Votre paiement est reçu et fait l’objet d’une vérification, qui peut prendre jusqu’à trois jours. Vous n’avez pas à payer de nouveau : cette page en affichera l’issue.',
  ],
  succeeded: ['Thank you', 'Merci'],
  succeeded_text: [
    (payee: JSX.Element) => <>Your payment to {payee} has arrived.</>,
    (payee) => <>Votre paiement à {payee} est arrivé.</>,
  ],
  close: ['You can close this page.', 'Vous pouvez fermer cette page.'],
  goes_back: [
    (shop: JSX.Element) => <>After you have paid, you go back to {shop}.</>,
    (shop) => <>Après le paiement, vous revenez à {shop}.</>,
  ],
  leaving: [
    (shop: JSX.Element) => <>You go back to {shop} in a moment.</>,
    (shop) => <>Vous revenez à {shop} dans un instant.</>,
  ],
  back_to: [(shop: JSX.Element) => <>Back to {shop}</>, (shop) => <>Revenir à {shop}</>],
  stay: ['Stay on this page', 'Rester sur cette page'],
  give_up: [
    (shop: JSX.Element) => <>Cancel, and go back to {shop}</>,
    (shop) => <>Annuler, et revenir à {shop}</>,
  ],
  gave_up: ['You have not paid', 'Vous n’avez pas payé'],
  gave_up_text: [
    'This payment link stays valid: you can still pay with it.',
    'Ce lien de paiement reste valable : vous pouvez encore l’utiliser.',
  ],
  pay_after_all: ['Pay after all', 'Payer tout de même'],
  mismatch: ['Another amount has arrived', 'Un autre montant est arrivé'],
  arrived: [
    (received: string, amount: string): string => `${received} arrived instead of ${amount}.`,
    (received, amount) => `Montant reçu : ${received} au lieu de ${amount}.`,
  ],
  received: ['Your payment was received', 'Votre paiement a été reçu'],
  received_text: [
    (payee: JSX.Element) => (
      <>It is on its way to {payee}, and takes a little longer. Do not pay again.</>
    ),
    (payee) => (
      <>
        Il est en cours de transmission à {payee}, ce qui demande un peu plus de temps. Ne payez pas
        une seconde fois.
      </>
    ),
  ],
  arrived_otherwise: [
    'A payment arrived that this link could not take.',
    'Un paiement que ce lien ne pouvait pas recevoir est arrivé.',
  ],
  ask_before_paying: [
    (payee: JSX.Element) => (
      <>
        {payee} decides what becomes of it. Ask {payee} before you pay again.
      </>
    ),
    (payee) => (
      <>
        {payee} décide de ce qu’il en advient. Demandez à {payee} avant de payer de nouveau.
      </>
    ),
  ],
  pay_all_the_same: [
    (amount: string): string => `Pay ${amount} all the same`,
    (amount) => `Payer ${amount} tout de même`,
  ],
  arrived_in_all: [
    (received: string, payee: JSX.Element) => (
      <>
        In all, {received} arrived for this link. Ask {payee} what becomes of it.
      </>
    ),
    (received, payee) => (
      <>
        Montant reçu en tout pour ce lien : {received}. Demandez à {payee} ce qu’il en advient.
      </>
    ),
  ],
  failed: ['The payment did not go through', 'Le paiement n’a pas abouti'],
  failed_text: [
    (payee: JSX.Element, reason: string) => (
      <>
        {reason}This link cannot be used again. To pay, ask {payee} for a new one.
      </>
    ),
    (payee, reason) => (
      <>
        {reason}Ce lien ne peut plus servir. Pour payer, demandez-en un nouveau à {payee}.
      </>
    ),
  ],
  expired: ['This payment link has expired', 'Ce lien de paiement a expiré'],
  expired_text: [
    (payee: JSX.Element) => <>It can no longer be paid. To pay, ask {payee} for a new link.</>,
    (payee) => <>Il ne peut plus être payé. Pour payer, demandez un nouveau lien à {payee}.</>,
  ],
  canceled: ['This payment was canceled', 'Ce paiement a été annulé'],
  canceled_text: [
    (payee: JSX.Element) => (
      <>{payee} has withdrawn this link. If you still want to pay, ask for a new one.</>
    ),
    (payee) => (
      <>{payee} a retiré ce lien. Si vous souhaitez toujours payer, demandez-en un nouveau.</>
    ),
  ],
  or_by_phone: ['Or pay by mobile money', 'Ou payer par mobile money'],
  by_phone: ['Pay by mobile money', 'Payer par mobile money'],
  pay_by_phone: [
    (amount: string): string => `Pay ${amount} by mobile money`,
    (amount) => `Payer ${amount} par mobile money`,
  ],
  card: ['Bank card', 'Carte bancaire'],
  phone_hint: [
    (example: string | undefined): string =>
      `The number of your mobile money account${example ? `, such as ${example}` : ''}. From another country, with + and its code.`,
    (example) =>
      `Le numéro de votre compte mobile money${example ? `, par exemple ${example}` : ''}. D’un autre pays, avec + et son indicatif.`,
  ],
  phone_short: ['Phone', 'Téléphone'],
  phone_ends: [
    (digits: string): string => `ends in ${digits}`,
    (digits) => `se termine par ${digits}`,
  ],
  phone_wrong: [
    'This is no phone number of the operator’s country. Check it.',
    'Ce n’est pas un numéro de téléphone du pays de l’opérateur. Vérifiez-le.',
  ],
  phone_tired: [
    (minutes: number): string =>
      `Too many payments were begun with this number. Try again in ${counted('en', minutes, 'minute', 'minutes')}, or pay another way.`,
    (minutes) =>
      `Trop de paiements ont été commencés avec ce numéro. Réessayez dans ${counted('fr', minutes, 'minute', 'minutes')}, ou payez autrement.`,
  ],
  operator_in: [
    (country: string): string => `Operator: ${country}`,
    (country) => `Opérateur : ${country}`,
  ],
  other_countries: ['Operators of other countries', 'Opérateurs d’autres pays'],
  operator_closed: ['closed for now', 'fermé pour le moment'],
  operator_delayed: ['slow for now', 'lent pour le moment'],
  operator_missing: ['Choose the operator of this number.', 'Choisissez l’opérateur de ce numéro.'],
  operator_is_closed: [
    (name: string): string =>
      `No payment is possible with ${name} now. Choose another operator, or come back later.`,
    (name) =>
      `${name} ne prend pas de paiement pour le moment. Choisissez un autre opérateur, ou revenez plus tard.`,
  ],
  operator_bounds: [
    (name: string): string => `This amount cannot be paid with ${name}.`,
    (name) => `${name} n’accepte pas ce montant.`,
  ],
  all_closed: [
    'Mobile money is closed for now. Come back later.',
    'Le mobile money est fermé pour le moment. Revenez plus tard.',
  ],
  no_way: [
    'This link cannot be paid just now. Come back in a moment.',
    'Ce lien ne peut pas être payé pour le moment. Revenez dans un instant.',
  ],
  waiting_for: [
    (operator: string): string =>
      `We are waiting for ${operator}. This page shows by itself what became of your payment.`,
    (operator) =>
      `Nous attendons la réponse de votre opérateur, ${operator}. Cette page affichera d’elle-même le résultat de votre paiement.`,
  ],
  waiting_for_code: [
    (operator: string): string => `${operator} is waiting for your code.`,
    (operator) => `${operator} attend votre code.`,
  ],
  waits_until: [
    (until: JSX.Element) => (
      <>This attempt waits until {until}. Nothing is charged that you do not confirm.</>
    ),
    (until) => (
      <>Cette tentative est valable jusqu’au {until}. Rien n’est débité sans votre confirmation.</>
    ),
  ],
  change_way: ['Change the way to pay', 'Changer de moyen de paiement'],
  change_asked: [
    (operator: string): string =>
      `If you change, do not confirm the request of ${operator} any more: you would pay twice.`,
    (operator) =>
      `Si vous changez, ne validez plus la demande de ${operator} : vous paieriez deux fois.`,
  ],
  change_later: [
    (operator: string, until: JSX.Element) => (
      <>
        {operator} is processing your payment. So that you do not pay twice, you can choose another
        way only once the result is known, by {until} at the latest.
      </>
    ),
    (operator, until) => (
      <>
        {operator} traite votre paiement. Pour que vous ne payiez pas deux fois, un autre moyen
        n’est possible qu’une fois le résultat connu : le {until} au plus tard.
      </>
    ),
  ],
  step_prompt: ['Confirm on your phone', 'Confirmez sur votre téléphone'],
  step_dial: ['Dial this code', 'Composez ce code'],
  step_otp: ['Get your one-time code', 'Obtenez votre code à usage unique'],
  step_redirect: ['Continue with your operator', 'Continuez chez votre opérateur'],
  do_prompt: [
    (operator: string): string =>
      `Your phone shows a question of ${operator}. Confirm it with your secret code.`,
    (operator) =>
      `${operator} affiche une demande sur votre téléphone. Validez-la avec votre code secret.`,
  ],
  do_dial: [
    (): string => 'Dial it on the phone that pays, and confirm with your secret code.',
    () => 'Composez-le sur le téléphone qui paie, et validez avec votre code secret.',
  ],
  do_otp: [
    (): string => 'Dial this code on the phone that pays, then type the one-time code here.',
    () => 'Composez ce code sur le téléphone qui paie, puis saisissez ici le code à usage unique.',
  ],
  do_redirect: [
    (operator: string): string =>
      `Confirm the payment on the page of ${operator}. You come back here afterwards.`,
    (operator) => `Confirmez le paiement sur la page ${operator}. Vous revenez ici ensuite.`,
  ],
  go_to: [
    (operator: string): string => `Continue with ${operator}`,
    (operator) => `Continuer avec ${operator}`,
  ],
  otp: ['One-time code', 'Code à usage unique'],
  send_otp: ['Confirm the payment', 'Confirmer le paiement'],
  otp_wrong: ['The code has 4 to 8 digits.', 'Le code a de 4 à 8 chiffres.'],
  otp_later: [
    'The operator cannot be asked just now. Try again in a moment.',
    'L’opérateur ne répond pas pour le moment. Réessayez dans un instant.',
  ],
  quantity_range: [
    (minimum: number, maximum: number): string => `From ${minimum} to ${maximum}.`,
    (minimum, maximum) => `De ${minimum} à ${maximum}.`,
  ],
  choose_amount: ['Choose an amount', 'Choisissez un montant'],
  other_amount: ['Or another amount', 'Ou un autre montant'],
  amount_in: [
    (currency: Currency): string => `Amount in ${CURRENCY_LABELS[currency]}`,
    (currency) => `Montant en ${CURRENCY_LABELS[currency]}`,
  ],
  amount_least: [
    (amount: string): string => `At least ${amount}.`,
    (amount) => `${amount} au moins.`,
  ],
  amount_most: [(amount: string): string => `At most ${amount}.`, (amount) => `${amount} au plus.`],
  optional: [(label: string): string => `${label} (optional)`, (label) => `${label} (facultatif)`],
  answer_missing: ['Fill in this field.', 'Remplissez ce champ.'],
  answer_long: ['At most 200 characters.', '200 caractères au plus.'],
  link_title: [
    (heading: string, payee: string): string => `${heading} · ${payee}`,
    (heading, payee) => `${heading} · ${payee}`,
  ],
  link_later: [
    'The payment cannot be prepared just now, and nothing was charged. Try again in a moment.',
    'Le paiement ne peut pas être préparé pour le moment, et rien n’a été débité. Réessayez dans un instant.',
  ],
  link_other_amount: [
    'Our payment partner does not take this amount. Choose another one.',
    'Notre partenaire de paiement n’accepte pas ce montant. Choisissez-en un autre.',
  ],
  link_begun: ['You have already begun a payment here', 'Vous avez déjà commencé un paiement ici'],
  link_begun_text: [
    'Look at it first: once it is paid, nothing is left to do.',
    'Regardez d’abord où il en est : s’il est payé, vous n’avez plus rien à faire.',
  ],
  link_see_payment: ['See this payment', 'Voir ce paiement'],
  link_pay_again: ['Make another payment', 'Faire un autre paiement'],
  link_inactive: [
    'This link takes no payments now',
    'Ce lien n’accepte pas de paiement pour le moment',
  ],
  link_inactive_text: [
    (payee: JSX.Element) => <>To pay, ask {payee} for a new link.</>,
    (payee) => <>Pour payer, demandez un nouveau lien à {payee}.</>,
  ],
  link_sold_out: ['Sold out', 'Épuisé'],
  link_sold_out_text: [
    (payee: JSX.Element) => (
      <>Everything is paid for, or is being paid for just now. Come back later, or ask {payee}.</>
    ),
    (payee) => (
      <>
        Tout est payé, ou en cours de paiement. Revenez plus tard, ou renseignez-vous auprès de{' '}
        {payee}.
      </>
    ),
  ],
  link_expired: ['This link has expired', 'Ce lien a expiré'],
  link_expired_text: [
    (payee: JSX.Element) => <>It can no longer be paid. To pay, ask {payee} for a new link.</>,
    (payee) => <>Il ne peut plus être payé. Pour payer, demandez un nouveau lien à {payee}.</>,
  ],
  unknown_title: ['Payment link not found', 'Lien de paiement introuvable'],
  unknown: ['We cannot find this payment link', 'Ce lien de paiement est introuvable'],
  unknown_text: [
    'Its address may be incomplete. Open the link once more from the message it came in, or ask the merchant for a new one.',
    'Son adresse est peut-être incomplète. Rouvrez le lien depuis le message où vous l’avez reçu, ou demandez-en un nouveau au marchand.',
  ],
  broken_title: ['Something is not working', 'Un problème est survenu'],
  broken: [
    'We cannot show this payment just now',
    'Nous ne pouvons pas afficher ce paiement pour le moment',
  ],
  broken_text: [
    'Something on our side is not working. If you have already paid, do not pay again. Open this link again in a moment.',
    'Un problème est survenu chez nous. Si vous avez déjà payé, ne payez pas de nouveau. Rouvrez ce lien dans un instant.',
  ],
  method_title: ['Not possible here', 'Impossible ici'],
  method: ['This is not possible here', 'Cela n’est pas possible ici'],
  method_text: [
    'Open the payment link once more from the message it came in.',
    'Rouvrez le lien de paiement depuis le message où vous l’avez reçu.',
  ],
  too_many_title: ['Too many requests', 'Trop de requêtes'],
  too_many: [
    'Too many requests came from your network',
    'Trop de requêtes sont venues de votre réseau',
  ],
  too_many_text: [
    'If you have already paid, do not pay again. Open the payment link once more in a minute.',
    'Si vous avez déjà payé, ne payez pas de nouveau. Rouvrez le lien de paiement dans une minute.',
  ],
});
