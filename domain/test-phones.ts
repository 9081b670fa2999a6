// The last three digits of a sandbox phone or account number say how it pays and is paid. The
// simulator does what these tables say, and pages show them.

export interface TestPhone<Outcome extends string = TestOutcome> {
  readonly digits: string;
  readonly outcome: Outcome;
  readonly en: string;
  readonly fr: string;
}

export type TestOutcome =
  | 'not_found'
  | 'blocked'
  | 'over_limit'
  | 'other_name'
  | 'close_name'
  | 'fails'
  | 'closed'
  | 'lost_paid'
  | 'lost_not_paid'
  | 'comes_back'
  | 'no_callback'
  | 'two_callbacks';

/** `asks`: nothing happens before somebody presses a button of the simulated phone. */
export type PayingOutcome =
  Exclude<TestOutcome, 'other_name' | 'close_name' | 'comes_back'> | 'asks';

export const TEST_PHONES: readonly TestPhone[] = [
  {
    digits: '001',
    outcome: 'not_found',
    en: 'Nobody has this number: the check says so, and a payout fails.',
    fr: 'Ce numéro n’est pas attribué : la vérification le dit, et l’envoi échoue.',
  },
  {
    digits: '002',
    outcome: 'blocked',
    en: 'The recipient is blocked: the check says so, and a payout fails.',
    fr: 'Le bénéficiaire est bloqué : la vérification le dit, et l’envoi échoue.',
  },
  {
    digits: '003',
    outcome: 'over_limit',
    en: 'The recipient may not receive so much: the payout fails.',
    fr: 'Le bénéficiaire a atteint son plafond : l’envoi échoue.',
  },
  {
    digits: '004',
    outcome: 'other_name',
    en: 'The number belongs to somebody else: the name does not match.',
    fr: 'Le numéro est celui de quelqu’un d’autre : le nom ne correspond pas.',
  },
  {
    digits: '005',
    outcome: 'close_name',
    en: 'The name is close: it differs in one letter.',
    fr: 'Le nom est proche : une lettre diffère.',
  },
  {
    digits: '006',
    outcome: 'fails',
    en: 'The payout is sent, then it fails.',
    fr: 'L’envoi part, puis échoue.',
  },
  {
    digits: '007',
    outcome: 'closed',
    en: 'The operator is closed for an hour: the payout waits, can be canceled, and is paid afterwards.',
    fr: 'L’opérateur est fermé pendant une heure : l’envoi attend, peut être annulé, et est payé ensuite.',
  },
  {
    digits: '008',
    outcome: 'lost_paid',
    en: 'The operator’s answer is lost; the payout was paid.',
    fr: 'La réponse de l’opérateur se perd ; l’envoi a été payé.',
  },
  {
    digits: '009',
    outcome: 'lost_not_paid',
    en: 'The operator’s answer is lost; the payout was not paid, and fails.',
    fr: 'La réponse de l’opérateur se perd ; l’envoi n’a pas été payé, et échoue.',
  },
  {
    digits: '010',
    outcome: 'comes_back',
    en: 'The payout is paid, and all of it comes back a day later.',
    fr: 'L’envoi est payé, et revient en entier un jour plus tard.',
  },
  {
    digits: '011',
    outcome: 'no_callback',
    en: 'The payout is paid, and the operator never calls back.',
    fr: 'L’envoi est payé, et l’opérateur n’envoie jamais de notification.',
  },
  {
    digits: '012',
    outcome: 'two_callbacks',
    en: 'The payout is paid, and the operator calls back twice.',
    fr: 'L’envoi est payé, et l’opérateur envoie sa notification deux fois.',
  },
];

/** The phones of customers, who pay an intent. */
export const PAYING_PHONES: readonly TestPhone<PayingOutcome>[] = [
  {
    digits: '001',
    outcome: 'not_found',
    en: 'The operator knows nobody with this number: the attempt fails at once.',
    fr: 'L’opérateur ne connaît pas ce numéro : la tentative échoue aussitôt.',
  },
  {
    digits: '002',
    outcome: 'blocked',
    en: 'The customer is blocked: the attempt fails at once.',
    fr: 'Le client est bloqué : la tentative échoue aussitôt.',
  },
  {
    digits: '003',
    outcome: 'over_limit',
    en: 'The customer may not pay so much: the attempt fails at once.',
    fr: 'Le client a atteint son plafond : la tentative échoue aussitôt.',
  },
  {
    digits: '006',
    outcome: 'fails',
    en: 'The customer is asked, then declines.',
    fr: 'Le client est sollicité, puis refuse.',
  },
  {
    digits: '007',
    outcome: 'closed',
    en: 'The operator takes no payment for now: the attempt fails at once.',
    fr: 'L’opérateur ne prend aucun paiement pour le moment : la tentative échoue aussitôt.',
  },
  {
    digits: '008',
    outcome: 'lost_paid',
    en: 'The operator’s answer is lost; the customer has paid.',
    fr: 'La réponse de l’opérateur se perd ; le client a payé.',
  },
  {
    digits: '009',
    outcome: 'lost_not_paid',
    en: 'The operator’s answer is lost; the customer has not paid, and the attempt fails.',
    fr: 'La réponse de l’opérateur se perd ; le client n’a pas payé, et la tentative échoue.',
  },
  {
    digits: '011',
    outcome: 'no_callback',
    en: 'The customer pays, and the operator never calls back.',
    fr: 'Le client paie, et l’opérateur n’envoie jamais de notification.',
  },
  {
    digits: '012',
    outcome: 'two_callbacks',
    en: 'The customer pays, and the operator calls back twice.',
    fr: 'Le client paie, et l’opérateur envoie sa notification deux fois.',
  },
  {
    digits: '013',
    outcome: 'asks',
    en: 'The simulator’s page /phones/{number} asks: confirm, decline or let it expire there, within five minutes.',
    fr: 'La page /phones/{numéro} du simulateur attend : confirmez, refusez ou laissez expirer, dans les cinq minutes.',
  },
];

/** Returns `paid` for all other numbers: they pay within two seconds. */
export function payingOutcomeOf(number: string): PayingOutcome | 'paid' {
  return PAYING_PHONES.find(({ digits }) => number.endsWith(digits))?.outcome ?? 'paid';
}

/** Returns `paid` for all other numbers: they are paid within two seconds. */
export function testOutcomeOf(number: string): TestOutcome | 'paid' {
  return TEST_PHONES.find(({ digits }) => number.endsWith(digits))?.outcome ?? 'paid';
}
