// The operators of the simulated account, and what becomes of a phone's transactions.

import { testOutcomeOf } from '../../../domain/test-phones';

export interface Operator {
  readonly country: string;
  readonly prefix: string;
  readonly provider: string;
  readonly name: string;
  readonly currency: string;
  readonly decimals: 'NONE' | 'TWO_PLACES';
  readonly minimum: string;
  readonly maximum: string;
  /** How its numbers begin, for the prediction; none has to be named. */
  readonly numbers: RegExp | null;
  /** How its customers agree to pay. */
  readonly agreement: object;
}

const line = (text: string) => ({ text, template: text });
const dialed = (title: readonly [en: string, fr: string], code: string) => ({
  channels: [
    {
      type: 'USSD',
      displayName: { en: title[0], fr: title[1] },
      instructions: {
        en: [line(`Dial ${code}`), line('Enter PIN')],
        fr: [line(`Composez ${code}`), line('Entrez le code PIN')],
      },
    },
  ],
});
const AUTOMATIC = { authType: 'PROVIDER_AUTH', pinPrompt: 'AUTOMATIC', pinPromptRevivable: false };
const NO_PROMPT = [
  'Did not get a PIN prompt?',
  'Vous n’avez pas reçu la demande de code PIN ?',
] as const;
const FOLLOW = ['Follow the instructions', 'Suivez les instructions'] as const;

function operator(
  [country, prefix]: readonly [country: string, prefix: string],
  provider: string,
  name: string,
  numbers: RegExp | null,
  agreement: object = AUTOMATIC,
): Operator {
  const bounds = { minimum: '100', maximum: '2000000' };
  return {
    country,
    prefix,
    provider,
    name,
    currency: 'XOF',
    decimals: 'NONE',
    ...bounds,
    numbers,
    agreement,
  };
}

const [BEN, BFA, CIV, SEN] = [
  ['BEN', '229'],
  ['BFA', '226'],
  ['CIV', '225'],
  ['SEN', '221'],
] as const;
const MANUAL = {
  authType: 'PROVIDER_AUTH',
  pinPrompt: 'MANUAL',
  pinPromptRevivable: true,
  pinPromptInstructions: dialed(FOLLOW, '*133#'),
};
const REVIVABLE = {
  ...AUTOMATIC,
  pinPromptRevivable: true,
  pinPromptInstructions: dialed(NO_PROMPT, '*840#'),
};
const PREAUTH = { authType: 'PREAUTH', authTokenInstructions: dialed(FOLLOW, '*144*4*6#') };
const REDIRECT = { authType: 'REDIRECT_AUTH' };

export const OPERATORS: readonly Operator[] = [
  operator(BEN, 'MTN_MOMO_BEN', 'MTN', /^229(01)?(5[0-46-79]|6[1267]|9[0167])/, REVIVABLE),
  operator(BEN, 'MOOV_BEN', 'Moov', /^229(01)?(45|5[58]|6[03-58]|9[4589])/),
  operator(BFA, 'ORANGE_BFA', 'Orange', /^226(0[5-7]|5[4-7]|6[4-7]|7[4-7])/, PREAUTH),
  operator(BFA, 'MOOV_BFA', 'Moov', /^226(0[1-3]|5[0-3]|6[0-3]|7[0-3])/),
  operator(CIV, 'ORANGE_CIV', 'Orange', /^22507/),
  operator(CIV, 'MTN_MOMO_CIV', 'MTN', /^22505/, MANUAL),
  operator(CIV, 'WAVE_CIV', 'Wave', null, REDIRECT),
  operator(SEN, 'ORANGE_SEN', 'Orange', /^2217[78]/),
  operator(SEN, 'FREE_SEN', 'Free', /^22176/),
  operator(SEN, 'WAVE_SEN', 'Wave', null, REDIRECT),
  {
    ...operator(['COD', '243'], 'VODACOM_MPESA_COD', 'M-Pesa', /^2438[1-3]/),
    currency: 'USD',
    decimals: 'TWO_PLACES',
    minimum: '1',
    maximum: '2500',
  },
  // In a currency that this service does not have.
  { ...operator(['RWA', '250'], 'MTN_MOMO_RWA', 'MTN', /^25078/), currency: 'RWF' },
];

/** The end of an order: a failure code, or how it goes otherwise. */
export type Course = { readonly fails: string } | 'paid' | 'stuck' | 'closed';

/** Failures by the last three digits of numbers of pawaPay's own sandbox. */
const OF_PAWAPAY: Readonly<Record<'deposit' | 'payout', Readonly<Record<string, string>>>> = {
  deposit: {
    '019': 'PAYER_LIMIT_REACHED',
    '029': 'PAYER_NOT_FOUND',
    '039': 'PAYMENT_NOT_APPROVED',
    '049': 'INSUFFICIENT_BALANCE',
    '069': 'UNSPECIFIED_FAILURE',
  },
  payout: {
    '089': 'RECIPIENT_NOT_FOUND',
    '099': 'WALLET_LIMIT_REACHED',
    '109': 'RECIPIENT_LIMIT_REACHED',
    '119': 'UNSPECIFIED_FAILURE',
  },
};
const STUCK = ['129', '013'];

export function courseOf(kind: 'deposit' | 'payout', phone: string): Course {
  const digits = phone.slice(-3);
  if (STUCK.includes(digits)) return 'stuck';
  const code = OF_PAWAPAY[kind][digits];
  if (code !== undefined) return { fails: code };
  const is_deposit = kind === 'deposit';
  switch (testOutcomeOf(phone)) {
    case 'not_found':
      return { fails: is_deposit ? 'PAYER_NOT_FOUND' : 'RECIPIENT_NOT_FOUND' };
    case 'over_limit':
      return { fails: is_deposit ? 'PAYER_LIMIT_REACHED' : 'RECIPIENT_LIMIT_REACHED' };
    case 'fails':
      return { fails: is_deposit ? 'PAYMENT_NOT_APPROVED' : 'UNSPECIFIED_FAILURE' };
    // pawaPay has no code for it.
    case 'blocked':
    case 'lost_not_paid':
      return { fails: 'UNSPECIFIED_FAILURE' };
    case 'closed':
      return 'closed';
    default:
      return 'paid';
  }
}
