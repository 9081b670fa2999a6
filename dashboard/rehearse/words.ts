import { counted, formatCount, plural, translate, type Language } from '../../domain/language';
import type { MovedClock } from '../../use-cases/sandbox/clock';

type Moved = Extract<MovedClock, { ok: true }>['moved'];
type Nouns = Readonly<Record<keyof Moved, readonly [one: string, more: string]>>;

const UNITS = [
  { seconds: 86_400, en: ['day', 'days'], fr: ['jour', 'jours'] },
  { seconds: 3_600, en: ['hour', 'hours'], fr: ['heure', 'heures'] },
  { seconds: 60, en: ['minute', 'minutes'], fr: ['minute', 'minutes'] },
  { seconds: 1, en: ['second', 'seconds'], fr: ['seconde', 'secondes'] },
] as const;

/** `7 days`, `1 day 4 hours`: what begins, and what follows it. */
export function spanText(language: Language, seconds: number): string {
  const whole = Math.ceil(seconds);
  const first = UNITS.findIndex((unit) => unit.seconds <= whole);
  return UNITS.slice(first, first + 2)
    .map((unit, at) => ({
      count: Math.floor((at === 0 ? whole : whole % UNITS[first]!.seconds) / unit.seconds),
      nouns: unit[language],
    }))
    .filter(({ count }) => count > 0)
    .map(({ count, nouns: [one, more] }) => counted(language, count, one, more))
    .join(' ');
}

/** `2 payment links, 1 webhook`; empty for none. */
function movedText(language: Language, moved: Moved, nouns: Nouns): string {
  return (Object.keys(nouns) as (keyof Moved)[])
    .filter((name) => moved[name] > 0)
    .map((name) => counted(language, moved[name], ...nouns[name]))
    .join(', ');
}

const EN: Nouns = {
  payment_intents: ['payment link', 'payment links'],
  webhook_deliveries: ['webhook', 'webhooks'],
  payment_attempts: ['payment by phone', 'payments by phone'],
  payouts: ['payout', 'payouts'],
  payout_batches: ['payout batch', 'payout batches'],
  refunds: ['refund', 'refunds'],
};
const FR: Nouns = {
  payment_intents: ['lien de paiement', 'liens de paiement'],
  webhook_deliveries: ['webhook', 'webhooks'],
  payment_attempts: ['paiement par téléphone', 'paiements par téléphone'],
  payouts: ['versement', 'versements'],
  payout_batches: ['envoi de versements groupés', 'envois de versements groupés'],
  refunds: ['remboursement', 'remboursements'],
};

export const WORDS = translate(
  {
    title: 'Rehearse',
    lead: 'Try out what seldom happens, and what takes days, before your customers meet it. Everything here is of the sandbox: no real money, and nothing in live mode changes.',
    in_live:
      'Rehearsals are for the sandbox: there you move the clock, order faults and add play money. Nothing of it exists in live mode.',
    to_sandbox: 'Switch to the sandbox',
    may_not: 'Owners and developers of the account can change what stands here.',
    clock: 'Clock',
    clock_lead:
      'The sandbox of this account has one clock. Move it forward, and links expire, webhooks are sent again, payouts come back and approvals lapse, as they would after that time.',
    its_time: 'Clock of the sandbox',
    real_time: 'Real time',
    ahead: 'Ahead by',
    not_ahead: 'Nothing: it was never moved',
    advance_by: 'Advance by',
    to_next: 'Advance to what is due next',
    hours: 'Number of hours',
    forward_only: 'The clock only moves forward, 400 days in all.',
    advance: 'Advance the clock',
    bad_hours: (most: number) =>
      `Write a whole number of hours, from 1 to ${formatCount('en', most)}.`,
    too_far: (days: number) =>
      `The clock moves ${counted('en', days, 'day', 'days')} in all, and this would be more.`,
    moving: 'The clock of this account is being moved already: wait until that is over.',
    advanced: (span: string) => `The clock was advanced by ${span}.`,
    moved: (moved: Moved) => {
      const text = movedText('en', moved, EN);
      return text === '' ? 'Nothing was waiting for it.' : `Came nearer: ${text}.`;
    },
    settled: 'All that became due is done, with its webhooks.',
    not_settled: 'Not all that became due is done yet: reload this page in a moment.',
    waiting: 'What waits',
    what: 'What',
    due: 'Due',
    in_how_long: 'In',
    at_work: 'Due now',
    types: {
      payment_intent: 'Payment link',
      webhook_delivery: 'Webhook',
      payment_attempt: 'Payment by phone',
      payout: 'Payout',
      payout_batch: 'Payout batch',
    },
    first_of_more: (shown: number) => `These are the first ${shown}; more are due later.`,
    faults: 'Faults',
    faults_lead:
      'Make the next calls with a test key go wrong. The faults of an operation are used up in their order, one for each call.',
    operation: 'Operation',
    fault: 'Fault',
    ms: 'Milliseconds',
    ms_hint: 'Only for slow and slow-after.',
    times: 'For how many calls',
    order: 'Order the fault',
    ordered: (operation: string, fault: string) =>
      `${operation}: the next call gets ${fault}, after those that were ordered before.`,
    choose: 'Choose one of the list.',
    bad_ms: (most: number) =>
      `Write a whole number of milliseconds, ${formatCount('en', most)} at most.`,
    bad_times: (most: number) => `Write a whole number from 1 to ${most}.`,
    too_many_faults: (most: number) =>
      `An account has at most ${counted('en', most, 'fault', 'faults')} at once: end them first.`,
    takes_no_key: 'This fault is for operations that take an Idempotency-Key.',
    calls_no_gateway:
      'This fault is for operations that call a gateway: payment links, attempts to pay them, their cancellation and refunds, and payouts.',
    left_faults: 'Faults that are left',
    left: 'Calls left',
    left_of: (left: number, times: number) => `${left} of ${times}`,
    end_all: 'End all faults',
    ended: (count: number) => `${counted('en', count, 'fault', 'faults')} ended.`,
    by_header: 'A single call goes wrong by a header of its own, which uses up none of them:',
    values: 'Values that mean something',
    phones: 'Phones and bank accounts that are paid',
    phones_text:
      'The last three digits decide what happens to a payout. Any other number gets the money within two seconds.',
    paying_phones: 'Phones of customers who pay',
    paying_phones_text:
      'The last three digits decide what happens. Any other number pays within two seconds. Every one-time code of 4 to 8 digits is right but 000000.',
    buttons: 'Buttons of the checkout',
    buttons_text:
      'Create a payment link and open its pay_url: the checkout has a button for each of these. In a scene, “with” names one.',
    number: 'Number',
    button: 'Button',
    happens: 'What happens',
    sample: (path: string) => `A call of ${path} with curl`,
    fund: 'Play money',
    fund_lead: (left: number, most: number) =>
      `Add money of the sandbox to a wallet: ${counted('en', most, 'credit', 'credits')} in 24 hours at most. You have ${left} left.`,
    currency: 'Wallet',
    amount: 'Amount',
    add: 'Add to the wallet',
    funded: (amount: string) => `${amount} of play money are in the wallet.`,
    no_funds_left: 'None is left for now: try again when one of them is 24 hours old.',
    wallet_full: 'The wallet would hold more than a wallet may.',
    reused: 'This form was sent before with another amount. Send it once more to add this one.',
    unknown: 'The outcome is not known',
    unknown_text:
      'The service could not be reached to the end, and it may have been done all the same. Look at the page before you repeat it.',
    unknown_fund:
      'The wallet may have been credited all the same. The button asks for the same once more, and never credits twice.',
    ask_again: 'Ask again',
  },
  {
    title: 'Simulations',
    lead: 'Essayez ce qui arrive rarement, ou ce qui prend des jours, avant que vos clients ne le rencontrent. Tout ici relève du mode test : aucun argent réel, et rien ne change en mode réel.',
    in_live:
      'Les simulations sont réservées au mode test : c’est là que vous avancez l’horloge, programmez des pannes et ajoutez de l’argent fictif. Rien de cela n’existe en mode réel.',
    to_sandbox: 'Passer en mode test',
    may_not: 'Seuls les propriétaires et les développeurs du compte peuvent agir ici.',
    clock: 'Horloge',
    clock_lead:
      'Le mode test de ce compte a une horloge. Avancez-la : les liens expirent, les webhooks sont renvoyés, des versements reviennent et des approbations arrivent à échéance, comme ils le feraient une fois ce temps écoulé.',
    its_time: 'Horloge du mode test',
    real_time: 'Heure réelle',
    ahead: 'Avance',
    not_ahead: 'Aucune : elle n’a pas encore été avancée',
    advance_by: 'Avancer de',
    to_next: 'Avancer jusqu’à la prochaine échéance',
    hours: 'Nombre d’heures',
    forward_only: 'L’horloge ne fait qu’avancer, de 400 jours en tout.',
    advance: 'Avancer l’horloge',
    bad_hours: (most: number) =>
      `Écrivez un nombre entier d’heures, de 1 à ${formatCount('fr', most)}.`,
    too_far: (days: number) =>
      `L’horloge avance de ${counted('fr', days, 'jour', 'jours')} en tout, et ce serait davantage.`,
    moving: 'L’horloge de ce compte est déjà en train d’avancer : attendez que ce soit terminé.',
    advanced: (span: string) => `L’horloge a avancé de ${span}.`,
    moved: (moved: Moved) => {
      const text = movedText('fr', moved, FR);
      return text === '' ? 'Rien n’attendait.' : `Échéances rapprochées : ${text}.`;
    },
    settled: 'Tout ce qui est arrivé à échéance est fait, webhooks compris.',
    not_settled:
      'Tout ce qui est arrivé à échéance n’est pas encore fait : rechargez cette page dans un instant.',
    waiting: 'Ce qui attend',
    what: 'Objet',
    due: 'Échéance',
    in_how_long: 'Dans',
    at_work: 'Échu',
    types: {
      payment_intent: 'Lien de paiement',
      webhook_delivery: 'Webhook',
      payment_attempt: 'Paiement par téléphone',
      payout: 'Versement',
      payout_batch: 'Versements groupés',
    },
    first_of_more: (shown: number) =>
      `D’autres arrivent à échéance plus tard : la liste s’arrête à ${shown}.`,
    faults: 'Pannes',
    faults_lead:
      'Faites échouer les prochains appels avec une clé de test. Les pannes d’une opération servent dans leur ordre, une par appel.',
    operation: 'Opération',
    fault: 'Panne',
    ms: 'Millisecondes',
    ms_hint: 'Seulement pour slow et slow-after.',
    times: 'Pour combien d’appels',
    order: 'Programmer la panne',
    ordered: (operation: string, fault: string) =>
      `${operation} : le prochain appel subira ${fault} (après les pannes programmées avant).`,
    choose: 'Choisissez dans la liste.',
    bad_ms: (most: number) =>
      `Écrivez un nombre entier de millisecondes, ${formatCount('fr', most)} au plus.`,
    bad_times: (most: number) => `Écrivez un nombre entier de 1 à ${most}.`,
    too_many_faults: (most: number) =>
      `Un compte a au plus ${counted('fr', most, 'panne', 'pannes')} à la fois : mettez-y fin d’abord.`,
    takes_no_key: 'Cette panne ne vaut que pour les opérations qui prennent une Idempotency-Key.',
    calls_no_gateway:
      'Cette panne ne vaut que pour les opérations qui appellent une passerelle : liens de paiement, tentatives de les payer, leur annulation et leurs remboursements, et versements.',
    left_faults: 'Pannes restantes',
    left: 'Appels restants',
    left_of: (left: number, times: number) => `${left} sur ${times}`,
    end_all: 'Mettre fin à toutes les pannes',
    ended: (count: number) =>
      `${counted('fr', count, 'panne', 'pannes')} ${plural('fr', count, 'retirée', 'retirées')}.`,
    by_header:
      'Un appel peut aussi échouer par son propre en-tête, qui ne consomme aucune panne programmée :',
    values: 'Valeurs qui ont un sens',
    phones: 'Téléphones et comptes bancaires qui sont payés',
    phones_text:
      'Les trois derniers chiffres décident du sort d’un versement. Tout autre numéro reçoit l’argent en deux secondes.',
    paying_phones: 'Téléphones des clients qui paient',
    paying_phones_text:
      'Les trois derniers chiffres décident de la suite. Tout autre numéro paie en deux secondes. Tout code à usage unique de 4 à 8 chiffres est bon, sauf 000000.',
    buttons: 'Boutons de la page de paiement',
    buttons_text:
      'Créez un lien de paiement et ouvrez son pay_url : la page de paiement a un bouton pour chacun de ces cas. Dans une scène, « with » en nomme un.',
    number: 'Numéro',
    button: 'Bouton',
    happens: 'Effet',
    sample: (path: string) => `Un appel de ${path} avec curl`,
    fund: 'Argent fictif',
    fund_lead: (left: number, most: number) =>
      `Ajoutez de l’argent du mode test à un portefeuille : ${counted('fr', most, 'crédit', 'crédits')} au plus en 24 heures. Il vous en reste ${left}.`,
    currency: 'Portefeuille',
    amount: 'Montant',
    add: 'Créditer le portefeuille',
    funded: (amount: string) => `${amount} d’argent fictif sont dans le portefeuille.`,
    no_funds_left: 'Il n’en reste plus pour le moment : réessayez quand l’un d’eux aura 24 heures.',
    wallet_full: 'Le portefeuille contiendrait plus que ce qui est permis.',
    reused:
      'Ce formulaire a déjà été envoyé avec un autre montant. Envoyez-le encore une fois pour ajouter celui-ci.',
    unknown: 'Issue inconnue',
    unknown_text:
      'Le service n’a pas pu être joint jusqu’au bout, et cela a peut-être été fait quand même. Regardez la page avant de recommencer.',
    unknown_fund:
      'Le portefeuille a peut-être été crédité quand même. Le bouton redemande la même chose, et ne crédite jamais deux fois.',
    ask_again: 'Redemander',
  },
);
