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
  payouts: ['envoi', 'envois'],
  payout_batches: ['envoi groupé', 'envois groupés'],
  refunds: ['remboursement', 'remboursements'],
};

export const WORDS = translate({
  title: ['Rehearse', 'Simulations'],
  lead: [
    'Try out what seldom happens, and what takes days, before your customers meet it. Everything here is of the sandbox: no real money, and nothing in live mode changes.',
    'Essayez ce qui arrive rarement, ou ce qui prend des jours, avant que vos clients ne le rencontrent. Tout ici relève du mode test : aucun argent réel, et rien ne change en mode réel.',
  ],
  in_live: [
    'Rehearsals are for the sandbox: there you move the clock, order faults and add play money. Nothing of it exists in live mode.',
    'Les simulations sont réservées au mode test : c’est là que vous avancez l’horloge, programmez des pannes et ajoutez de l’argent fictif. Rien de cela n’existe en mode réel.',
  ],
  to_sandbox: ['Switch to the sandbox', 'Passer en mode test'],
  clock: ['Clock', 'Horloge'],
  clock_lead: [
    'The sandbox of this account has one clock. Move it forward, and links expire, webhooks are sent again, payouts come back and approvals lapse, as they would after that time.',
    'Le mode test de ce compte a une horloge. Avancez-la : les liens expirent, les webhooks sont renvoyés, des envois reviennent et des approbations arrivent à échéance, comme ils le feraient une fois ce temps écoulé.',
  ],
  its_time: ['Clock of the sandbox', 'Horloge du mode test'],
  real_time: ['Real time', 'Heure réelle'],
  ahead: ['Ahead by', 'Avance'],
  not_ahead: ['Nothing: it was never moved', 'Aucune : elle n’a pas encore été avancée'],
  advance_by: ['Advance by', 'Avancer de'],
  to_next: ['Advance to what is due next', 'Avancer jusqu’à la prochaine échéance'],
  hours: ['Number of hours', 'Nombre d’heures'],
  forward_only: [
    'The clock only moves forward, 400 days in all.',
    'L’horloge ne fait qu’avancer, de 400 jours en tout.',
  ],
  advance: ['Advance the clock', 'Avancer l’horloge'],
  bad_hours: [
    (most: number) => `Write a whole number of hours, from 1 to ${formatCount('en', most)}.`,
    (most) => `Écrivez un nombre entier d’heures, de 1 à ${formatCount('fr', most)}.`,
  ],
  too_far: [
    (days: number) =>
      `The clock moves ${counted('en', days, 'day', 'days')} in all, and this would be more.`,
    (days) =>
      `L’horloge avance de ${counted('fr', days, 'jour', 'jours')} en tout, et ce serait davantage.`,
  ],
  moving: [
    'The clock of this account is being moved already: wait until that is over.',
    'L’horloge de ce compte est déjà en train d’avancer : attendez que ce soit terminé.',
  ],
  advanced: [
    (span: string) => `The clock was advanced by ${span}.`,
    (span) => `L’horloge a avancé de ${span}.`,
  ],
  moved: [
    (moved: Moved) => {
      const text = movedText('en', moved, EN);
      return text === '' ? 'Nothing was waiting for it.' : `Came nearer: ${text}.`;
    },
    (moved) => {
      const text = movedText('fr', moved, FR);
      return text === '' ? 'Rien n’attendait.' : `Échéances rapprochées : ${text}.`;
    },
  ],
  settled: [
    'All that became due is done, with its webhooks.',
    'Tout ce qui est arrivé à échéance est fait, webhooks compris.',
  ],
  not_settled: [
    'Not all that became due is done yet: reload this page in a moment.',
    'Tout ce qui est arrivé à échéance n’est pas encore fait : rechargez cette page dans un instant.',
  ],
  waiting: ['What waits', 'Ce qui attend'],
  what: ['What', 'Objet'],
  due: ['Due', 'Échéance'],
  in_how_long: ['In', 'Dans'],
  at_work: ['Due now', 'Échu'],
  types: {
    transfer: ['Transfer', 'Transfert'],
    payment_intent: ['Payment link', 'Lien de paiement'],
    webhook_delivery: ['Webhook', 'Webhook'],
    payment_attempt: ['Payment by phone', 'Paiement par téléphone'],
    payout: ['Payout', 'Envoi'],
    payout_batch: ['Payout batch', 'Envois groupés'],
  },
  first_of_more: [
    (shown: number) => `These are the first ${shown}; more are due later.`,
    (shown) => `D’autres arrivent à échéance plus tard : la liste s’arrête à ${shown}.`,
  ],
  faults: ['Faults', 'Pannes'],
  faults_lead: [
    'Make the next calls with a test key go wrong. The faults of an operation are used up in their order, one for each call.',
    'Faites échouer les prochains appels avec une clé de test. Les pannes d’une opération servent dans leur ordre, une par appel.',
  ],
  operation: ['Operation', 'Opération'],
  fault: ['Fault', 'Panne'],
  ms: ['Milliseconds', 'Millisecondes'],
  ms_hint: ['Only for slow and slow-after.', 'Seulement pour slow et slow-after.'],
  times: ['For how many calls', 'Pour combien d’appels'],
  order: ['Order the fault', 'Programmer la panne'],
  ordered: [
    (operation: string, fault: string) =>
      `${operation}: the next call gets ${fault}, after those that were ordered before.`,
    (operation, fault) =>
      `${operation} : le prochain appel subira ${fault} (après les pannes programmées avant).`,
  ],
  choose: ['Choose one of the list.', 'Choisissez dans la liste.'],
  bad_ms: [
    (most: number) => `Write a whole number of milliseconds, ${formatCount('en', most)} at most.`,
    (most) => `Écrivez un nombre entier de millisecondes, ${formatCount('fr', most)} au plus.`,
  ],
  bad_times: [
    (most: number) => `Write a whole number from 1 to ${most}.`,
    (most) => `Écrivez un nombre entier de 1 à ${most}.`,
  ],
  too_many_faults: [
    (most: number) =>
      `An account has at most ${counted('en', most, 'fault', 'faults')} at once: end them first.`,
    (most) =>
      `Un compte a au plus ${counted('fr', most, 'panne', 'pannes')} à la fois : mettez-y fin d’abord.`,
  ],
  takes_no_key: [
    'This fault is for operations that take an Idempotency-Key.',
    'Cette panne ne vaut que pour les opérations qui prennent une Idempotency-Key.',
  ],
  calls_no_gateway: [
    'This fault is for operations that call a gateway: payment links, attempts to pay them, their cancellation and refunds, and payouts.',
    'Cette panne ne vaut que pour les opérations qui appellent une passerelle : liens de paiement, tentatives de les payer, leur annulation et leurs remboursements, et envois.',
  ],
  left_faults: ['Faults that are left', 'Pannes restantes'],
  left: ['Calls left', 'Appels restants'],
  left_of: [
    (left: number, times: number) => `${left} of ${times}`,
    (left, times) => `${left} sur ${times}`,
  ],
  end_all: ['End all faults', 'Mettre fin à toutes les pannes'],
  ended: [
    (count: number) => `${counted('en', count, 'fault', 'faults')} ended.`,
    (count) =>
      `${counted('fr', count, 'panne', 'pannes')} ${plural('fr', count, 'retirée', 'retirées')}.`,
  ],
  by_header: [
    'A single call goes wrong by a header of its own, which uses up none of them:',
    'Un appel peut aussi échouer par son propre en-tête, qui ne consomme aucune panne programmée :',
  ],
  values: ['Values that mean something', 'Valeurs qui ont un sens'],
  phones: [
    'Phones and bank accounts that are paid',
    'Téléphones et comptes bancaires qui sont payés',
  ],
  phones_text: [
    'The last three digits decide what happens to a payout. Any other number gets the money within two seconds.',
    'Les trois derniers chiffres décident du sort d’un envoi. Tout autre numéro reçoit l’argent en deux secondes.',
  ],
  paying_phones: ['Phones of customers who pay', 'Téléphones des clients qui paient'],
  paying_phones_text: [
    'The last three digits decide what happens. Any other number pays within two seconds. Every one-time code of 4 to 8 digits is right but 000000.',
    'Les trois derniers chiffres décident de la suite. Tout autre numéro paie en deux secondes. Tout code à usage unique de 4 à 8 chiffres est bon, sauf 000000.',
  ],
  buttons: ['Buttons of the checkout', 'Boutons de la page de paiement'],
  buttons_text: [
    'Create a payment link and open its pay_url: the checkout has a button for each of these. In a scene, “with” names one.',
    'Créez un lien de paiement et ouvrez son pay_url : la page de paiement a un bouton pour chacun de ces cas. Dans une scène, « with » en nomme un.',
  ],
  refunds: ['Refunds', 'Remboursements'],
  refunds_text: [
    'The checkout also asks how refunds of the payment go, and how long slow things take. In a scene, “refunds” and “delay_ms” say it.',
    'La page de paiement demande aussi le sort des remboursements et la durée de ce qui est lent. Dans une scène, « refunds » et « delay_ms » le précisent.',
  ],
  number: ['Number', 'Numéro'],
  button: ['Button', 'Bouton'],
  happens: ['What happens', 'Effet'],
  fund: ['Play money', 'Argent fictif'],
  fund_lead: [
    (left: number, most: number) =>
      `Add money of the sandbox to a wallet: ${counted('en', most, 'credit', 'credits')} in 24 hours at most. You have ${left} left.`,
    (left, most) =>
      `Ajoutez de l’argent du mode test à un portefeuille : ${counted('fr', most, 'crédit', 'crédits')} au plus en 24 heures. Il vous en reste ${left}.`,
  ],
  currency: ['Wallet', 'Portefeuille'],
  amount: ['Amount', 'Montant'],
  add: ['Add to the wallet', 'Créditer le portefeuille'],
  funded: [
    (amount: string) => `${amount} of play money are in the wallet.`,
    (amount) => `${amount} d’argent fictif sont dans le portefeuille.`,
  ],
  no_funds_left: [
    'None is left for now: try again when one of them is 24 hours old.',
    'Il n’en reste plus pour le moment : réessayez quand l’un d’eux aura 24 heures.',
  ],
  wallet_full: [
    'The wallet would hold more than a wallet may.',
    'Le portefeuille contiendrait plus que ce qui est permis.',
  ],
  unknown: ['The outcome is not known', 'Issue inconnue'],
  unknown_text: [
    'The service could not be reached to the end, and it may have been done all the same. Look at the page before you repeat it.',
    'Le service n’a pas pu être joint jusqu’au bout, et cela a peut-être été fait quand même. Regardez la page avant de recommencer.',
  ],
  unknown_fund: [
    'The wallet may have been credited all the same. The button asks for the same once more, and never credits twice.',
    'Le portefeuille a peut-être été crédité quand même. Le bouton redemande la même chose, et ne crédite jamais deux fois.',
  ],
  ask_again: ['Ask again', 'Redemander'],
});
