// The pay page's texts, in the languages of its customers. What a gateway says stays as it is.

import type { JSX } from 'preact';
import type { Currency } from '../../domain/currency';
import { counted, translate } from '../../domain/language';
import { CURRENCY_LABELS } from '../../pages/formats';

export const WORDS = translate(
  {
    other_language: 'Français',
    pay_to: (payee: JSX.Element): JSX.Element => <>Pay {payee}</>,
    pay: (amount: string): string => `Pay ${amount}`,
    title_open: (amount: string, payee: string): string => `Pay ${amount} to ${payee}`,
    title_closed: (heading: string, amount: string, payee: string): string =>
      `${heading}: ${amount} to ${payee}`,
    test_ribbon: 'Test payment: no real money',
    simulated_ribbon: 'Simulated gateway: no real money',
    simulated_next: 'A simulated checkout opens next. It takes no money.',
    next: 'The secure checkout of our payment partner opens next.',
    busy: 'One moment…',
    try_again: 'Try again',
    check_now: 'Check now',
    valid_until: 'Valid until',
    reference: 'Reference',
    country: 'Country',
    contact: 'Contact',
    date: 'Date',
    refunded: 'Refunded',
    refund_pending: 'on its way',
    receipt: 'Receipt',
    receipt_link: 'Receipt',
    receipt_of: (payee: JSX.Element): JSX.Element => <>Receipt from {payee}</>,
    receipt_text: 'This payment has arrived.',
    print: 'Print',
    back_to_payment: 'Back to the payment',
    qr: 'Pay with your phone',
    qr_label: 'QR code of this payment link',
    amount: 'Amount',
    to: 'To',
    for: 'For',
    failed_attempt: 'The last attempt did not go through.',
    choose_again: 'You can try again, or choose another way to pay.',
    paid_since: 'Have you paid since? Then wait a moment: this page will show it by itself.',
    checking: 'Checking your payment',
    just_paid: 'Have you just paid? Then wait a moment: this page will show it by itself.',
    not_paid: 'I have not paid yet',
    trouble: 'The checkout could not be opened',
    trouble_text: (seconds: number): string =>
      `Our payment partner does not answer just now, and nothing was charged by this attempt. Try again in ${counted('en', seconds, 'second', 'seconds')}.`,
    processing: 'Confirming your payment',
    processing_text: (): string =>
      'We are waiting for the confirmation, which can take a few minutes. You do not have to pay again: this page shows it by itself.',
    succeeded: 'Thank you',
    succeeded_text: (payee: JSX.Element): JSX.Element => <>Your payment to {payee} has arrived.</>,
    close: 'You can close this page.',
    goes_back: (shop: JSX.Element): JSX.Element => <>After you have paid, you go back to {shop}.</>,
    leaving: (shop: JSX.Element): JSX.Element => <>You go back to {shop} in a moment.</>,
    back_to: (shop: JSX.Element): JSX.Element => <>Back to {shop}</>,
    stay: 'Stay on this page',
    give_up: (shop: JSX.Element): JSX.Element => <>Cancel, and go back to {shop}</>,
    gave_up: 'You have not paid',
    gave_up_text: 'This payment link stays valid: you can still pay with it.',
    pay_after_all: 'Pay after all',
    mismatch: 'Another amount has arrived',
    arrived: (received: string, amount: string): string =>
      `${received} arrived instead of ${amount}.`,
    arrived_otherwise: 'A payment arrived that this link could not take.',
    ask_before_paying: (payee: JSX.Element): JSX.Element => (
      <>
        {payee} decides what becomes of it. Ask {payee} before you pay again.
      </>
    ),
    pay_all_the_same: (amount: string): string => `Pay ${amount} all the same`,
    arrived_in_all: (received: string, payee: JSX.Element): JSX.Element => (
      <>
        In all, {received} arrived for this link. Ask {payee} what becomes of it.
      </>
    ),
    failed: 'The payment did not go through',
    failed_text: (payee: JSX.Element, reason: string): JSX.Element => (
      <>
        {reason}This link cannot be used again. To pay, ask {payee} for a new one.
      </>
    ),
    expired: 'This payment link has expired',
    expired_text: (payee: JSX.Element): JSX.Element => (
      <>It can no longer be paid. To pay, ask {payee} for a new link.</>
    ),
    canceled: 'This payment was canceled',
    canceled_text: (payee: JSX.Element): JSX.Element => (
      <>{payee} has withdrawn this link. If you still want to pay, ask for a new one.</>
    ),
    or_by_phone: 'Or pay by mobile money',
    by_phone: 'Pay by mobile money',
    pay_by_phone: (amount: string): string => `Pay ${amount} by mobile money`,
    phone: 'Phone number',
    phone_hint:
      'The number of your mobile money account. From another country, with + and its code.',
    phone_short: 'Phone',
    phone_ends: (digits: string): string => `ends in ${digits}`,
    phone_wrong: 'This is no phone number of the operator’s country. Check it.',
    phone_tired: (minutes: number): string =>
      `Too many payments were begun with this number. Try again in ${counted('en', minutes, 'minute', 'minutes')}, or pay another way.`,
    operator: 'Operator',
    operator_in: (country: string): string => `Operator: ${country}`,
    other_countries: 'Operators of other countries',
    operator_closed: 'closed for now',
    operator_delayed: 'slow for now',
    operator_missing: 'Choose the operator of this number.',
    operator_is_closed: (name: string): string =>
      `No payment is possible with ${name} now. Choose another operator, or come back later.`,
    operator_bounds: (name: string): string => `This amount cannot be paid with ${name}.`,
    all_closed: 'Mobile money is closed for now. Come back later.',
    no_way: 'This link cannot be paid just now. Come back in a moment.',
    waiting_for: (operator: string): string =>
      `We are waiting for ${operator}. This page shows by itself what became of your payment.`,
    waiting_for_code: (operator: string): string => `${operator} is waiting for your code.`,
    another_way: (until: JSX.Element): JSX.Element => (
      <>
        This attempt waits until {until}. Nothing is charged that you do not confirm; to pay another
        way, wait until then.
      </>
    ),
    step_prompt: 'Confirm on your phone',
    step_dial: 'Dial this code',
    step_otp: 'Get your one-time code',
    step_redirect: 'Continue with your operator',
    do_prompt: (operator: string): string =>
      `Your phone shows a question of ${operator}. Confirm it with your secret code.`,
    do_dial: (): string => 'Dial it on the phone that pays, and confirm with your secret code.',
    do_otp: (): string =>
      'Dial this code on the phone that pays, then type the one-time code here.',
    do_redirect: (operator: string): string =>
      `Confirm the payment on the page of ${operator}. You come back here afterwards.`,
    go_to: (operator: string): string => `Continue with ${operator}`,
    otp: 'One-time code',
    send_otp: 'Confirm the payment',
    otp_wrong: 'The code has 4 to 8 digits.',
    otp_later: 'The operator cannot be asked just now. Try again in a moment.',
    quantity: 'Quantity',
    quantity_range: (minimum: number, maximum: number): string => `From ${minimum} to ${maximum}.`,
    choose_amount: 'Choose an amount',
    other_amount: 'Or another amount',
    amount_in: (currency: Currency): string => `Amount in ${CURRENCY_LABELS[currency]}`,
    amount_least: (amount: string): string => `At least ${amount}.`,
    amount_most: (amount: string): string => `At most ${amount}.`,
    optional: (label: string): string => `${label} (optional)`,
    answer_missing: 'Fill in this field.',
    answer_long: 'At most 200 characters.',
    go_on: 'Continue',
    link_title: (heading: string, payee: string): string => `${heading} · ${payee}`,
    link_later:
      'The payment cannot be prepared just now, and nothing was charged. Try again in a moment.',
    link_other_amount: 'Our payment partner does not take this amount. Choose another one.',
    link_inactive: 'This link takes no payments now',
    link_inactive_text: (payee: JSX.Element): JSX.Element => (
      <>To pay, ask {payee} for a new link.</>
    ),
    link_sold_out: 'Sold out',
    link_sold_out_text: (payee: JSX.Element): JSX.Element => (
      <>Everything is paid for, or is being paid for just now. Come back later, or ask {payee}.</>
    ),
    link_expired: 'This link has expired',
    link_expired_text: (payee: JSX.Element): JSX.Element => (
      <>It can no longer be paid. To pay, ask {payee} for a new link.</>
    ),
    unknown_title: 'Payment link not found',
    unknown: 'We cannot find this payment link',
    unknown_text:
      'Its address may be incomplete. Open the link once more from the message it came in, or ask the merchant for a new one.',
    broken_title: 'Something is not working',
    broken: 'We cannot show this payment just now',
    broken_text:
      'Something on our side is not working. If you have already paid, do not pay again. Open this link again in a moment.',
    method_title: 'Not possible here',
    method: 'This is not possible here',
    method_text: 'Open the payment link once more from the message it came in.',
    too_many_title: 'Too many requests',
    too_many: 'Too many requests came from your network',
    too_many_text:
      'If you have already paid, do not pay again. Open the payment link once more in a minute.',
  },
  {
    other_language: 'English',
    pay_to: (payee: JSX.Element): JSX.Element => <>Payer {payee}</>,
    pay: (amount: string): string => `Payer ${amount}`,
    title_open: (amount: string, payee: string): string => `Payer ${amount} à ${payee}`,
    title_closed: (heading: string, amount: string, payee: string): string =>
      `${heading} : ${amount} à ${payee}`,
    test_ribbon: 'Paiement de test : sans argent réel',
    simulated_ribbon: 'Paiement simulé : sans argent réel',
    simulated_next: 'Une page de paiement simulée s’ouvre ensuite. Aucun argent ne sera débité.',
    next: 'La page de paiement sécurisée de notre partenaire s’ouvre ensuite.',
    busy: 'Un instant…',
    try_again: 'Réessayer',
    check_now: 'Vérifier maintenant',
    valid_until: 'Valable jusqu’au',
    reference: 'Référence',
    country: 'Pays',
    contact: 'Contact',
    date: 'Date',
    refunded: 'Remboursé',
    refund_pending: 'en cours',
    receipt: 'Reçu',
    receipt_link: 'Reçu',
    receipt_of: (payee: JSX.Element): JSX.Element => <>Reçu délivré par {payee}</>,
    receipt_text: 'Ce paiement est arrivé.',
    print: 'Imprimer',
    back_to_payment: 'Revenir au paiement',
    qr: 'Payer avec votre téléphone',
    qr_label: 'Code QR de ce lien de paiement',
    amount: 'Montant',
    to: 'À',
    for: 'Pour',
    failed_attempt: 'La dernière tentative n’a pas abouti.',
    choose_again: 'Vous pouvez réessayer, ou choisir un autre moyen de paiement.',
    paid_since:
      'Avez-vous payé depuis ? Alors patientez un instant : cette page l’affichera d’elle-même.',
    checking: 'Vérification de votre paiement',
    just_paid:
      'Venez-vous de payer ? Alors patientez un instant : cette page l’affichera d’elle-même.',
    not_paid: 'Je n’ai pas encore payé',
    trouble: 'La page de paiement n’a pas pu s’ouvrir',
    trouble_text: (seconds: number): string =>
      `Notre partenaire de paiement ne répond pas pour le moment, et cette tentative n’a rien débité. Réessayez dans ${counted('fr', seconds, 'seconde', 'secondes')}.`,
    processing: 'Confirmation de votre paiement',
    processing_text: (): string =>
      'Nous attendons la confirmation, ce qui peut prendre quelques minutes. Vous n’avez pas à payer de nouveau : cette page l’affichera d’elle-même.',
    succeeded: 'Merci',
    succeeded_text: (payee: JSX.Element): JSX.Element => <>Votre paiement à {payee} est arrivé.</>,
    close: 'Vous pouvez fermer cette page.',
    goes_back: (shop: JSX.Element): JSX.Element => <>Après le paiement, vous revenez à {shop}.</>,
    leaving: (shop: JSX.Element): JSX.Element => <>Vous revenez à {shop} dans un instant.</>,
    back_to: (shop: JSX.Element): JSX.Element => <>Revenir à {shop}</>,
    stay: 'Rester sur cette page',
    give_up: (shop: JSX.Element): JSX.Element => <>Annuler, et revenir à {shop}</>,
    gave_up: 'Vous n’avez pas payé',
    gave_up_text: 'Ce lien de paiement reste valable : vous pouvez encore l’utiliser.',
    pay_after_all: 'Payer tout de même',
    mismatch: 'Un autre montant est arrivé',
    arrived: (received: string, amount: string): string =>
      `Montant reçu : ${received} au lieu de ${amount}.`,
    arrived_otherwise: 'Un paiement que ce lien ne pouvait pas recevoir est arrivé.',
    ask_before_paying: (payee: JSX.Element): JSX.Element => (
      <>
        {payee} décide de ce qu’il en advient. Demandez à {payee} avant de payer de nouveau.
      </>
    ),
    pay_all_the_same: (amount: string): string => `Payer ${amount} tout de même`,
    arrived_in_all: (received: string, payee: JSX.Element): JSX.Element => (
      <>
        Montant reçu en tout pour ce lien : {received}. Demandez à {payee} ce qu’il en advient.
      </>
    ),
    failed: 'Le paiement n’a pas abouti',
    failed_text: (payee: JSX.Element, reason: string): JSX.Element => (
      <>
        {reason}Ce lien ne peut plus servir. Pour payer, demandez-en un nouveau à {payee}.
      </>
    ),
    expired: 'Ce lien de paiement a expiré',
    expired_text: (payee: JSX.Element): JSX.Element => (
      <>Il ne peut plus être payé. Pour payer, demandez un nouveau lien à {payee}.</>
    ),
    canceled: 'Ce paiement a été annulé',
    canceled_text: (payee: JSX.Element): JSX.Element => (
      <>{payee} a retiré ce lien. Si vous souhaitez toujours payer, demandez-en un nouveau.</>
    ),
    or_by_phone: 'Ou payer par mobile money',
    by_phone: 'Payer par mobile money',
    pay_by_phone: (amount: string): string => `Payer ${amount} par mobile money`,
    phone: 'Numéro de téléphone',
    phone_hint: 'Le numéro de votre compte mobile money. D’un autre pays, avec + et son indicatif.',
    phone_short: 'Téléphone',
    phone_ends: (digits: string): string => `se termine par ${digits}`,
    phone_wrong: 'Ce n’est pas un numéro de téléphone du pays de l’opérateur. Vérifiez-le.',
    phone_tired: (minutes: number): string =>
      `Trop de paiements ont été commencés avec ce numéro. Réessayez dans ${counted('fr', minutes, 'minute', 'minutes')}, ou payez autrement.`,
    operator: 'Opérateur',
    operator_in: (country: string): string => `Opérateur : ${country}`,
    other_countries: 'Opérateurs d’autres pays',
    operator_closed: 'fermé pour le moment',
    operator_delayed: 'lent pour le moment',
    operator_missing: 'Choisissez l’opérateur de ce numéro.',
    operator_is_closed: (name: string): string =>
      `${name} ne prend pas de paiement pour le moment. Choisissez un autre opérateur, ou revenez plus tard.`,
    operator_bounds: (name: string): string => `${name} n’accepte pas ce montant.`,
    all_closed: 'Le mobile money est fermé pour le moment. Revenez plus tard.',
    no_way: 'Ce lien ne peut pas être payé pour le moment. Revenez dans un instant.',
    waiting_for: (operator: string): string =>
      `Nous attendons la réponse de votre opérateur, ${operator}. Cette page affichera d’elle-même le résultat de votre paiement.`,
    waiting_for_code: (operator: string): string => `${operator} attend votre code.`,
    another_way: (until: JSX.Element): JSX.Element => (
      <>
        Cette tentative est valable jusqu’au {until}. Rien n’est débité sans votre confirmation ;
        pour payer autrement, attendez cette échéance.
      </>
    ),
    step_prompt: 'Confirmez sur votre téléphone',
    step_dial: 'Composez ce code',
    step_otp: 'Obtenez votre code à usage unique',
    step_redirect: 'Continuez chez votre opérateur',
    do_prompt: (operator: string): string =>
      `${operator} affiche une demande sur votre téléphone. Validez-la avec votre code secret.`,
    do_dial: (): string =>
      'Composez-le sur le téléphone qui paie, et validez avec votre code secret.',
    do_otp: (): string =>
      'Composez ce code sur le téléphone qui paie, puis saisissez ici le code à usage unique.',
    do_redirect: (operator: string): string =>
      `Confirmez le paiement sur la page ${operator}. Vous revenez ici ensuite.`,
    go_to: (operator: string): string => `Continuer avec ${operator}`,
    otp: 'Code à usage unique',
    send_otp: 'Confirmer le paiement',
    otp_wrong: 'Le code a de 4 à 8 chiffres.',
    otp_later: 'L’opérateur ne répond pas pour le moment. Réessayez dans un instant.',
    quantity: 'Quantité',
    quantity_range: (minimum: number, maximum: number): string => `De ${minimum} à ${maximum}.`,
    choose_amount: 'Choisissez un montant',
    other_amount: 'Ou un autre montant',
    amount_in: (currency: Currency): string => `Montant en ${CURRENCY_LABELS[currency]}`,
    amount_least: (amount: string): string => `${amount} au moins.`,
    amount_most: (amount: string): string => `${amount} au plus.`,
    optional: (label: string): string => `${label} (facultatif)`,
    answer_missing: 'Remplissez ce champ.',
    answer_long: '200 caractères au plus.',
    go_on: 'Continuer',
    link_title: (heading: string, payee: string): string => `${heading} · ${payee}`,
    link_later:
      'Le paiement ne peut pas être préparé pour le moment, et rien n’a été débité. Réessayez dans un instant.',
    link_other_amount:
      'Notre partenaire de paiement n’accepte pas ce montant. Choisissez-en un autre.',
    link_inactive: 'Ce lien n’accepte pas de paiement pour le moment',
    link_inactive_text: (payee: JSX.Element): JSX.Element => (
      <>Pour payer, demandez un nouveau lien à {payee}.</>
    ),
    link_sold_out: 'Épuisé',
    link_sold_out_text: (payee: JSX.Element): JSX.Element => (
      <>
        Tout est payé, ou en cours de paiement. Revenez plus tard, ou renseignez-vous auprès de{' '}
        {payee}.
      </>
    ),
    link_expired: 'Ce lien a expiré',
    link_expired_text: (payee: JSX.Element): JSX.Element => (
      <>Il ne peut plus être payé. Pour payer, demandez un nouveau lien à {payee}.</>
    ),
    unknown_title: 'Lien de paiement introuvable',
    unknown: 'Ce lien de paiement est introuvable',
    unknown_text:
      'Son adresse est peut-être incomplète. Rouvrez le lien depuis le message où vous l’avez reçu, ou demandez-en un nouveau au marchand.',
    broken_title: 'Un problème est survenu',
    broken: 'Nous ne pouvons pas afficher ce paiement pour le moment',
    broken_text:
      'Un problème est survenu chez nous. Si vous avez déjà payé, ne payez pas de nouveau. Rouvrez ce lien dans un instant.',
    method_title: 'Impossible ici',
    method: 'Cela n’est pas possible ici',
    method_text: 'Rouvrez le lien de paiement depuis le message où vous l’avez reçu.',
    too_many_title: 'Trop de requêtes',
    too_many: 'Trop de requêtes sont venues de votre réseau',
    too_many_text:
      'Si vous avez déjà payé, ne payez pas de nouveau. Rouvrez le lien de paiement dans une minute.',
  },
);
