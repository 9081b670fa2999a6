// The operators and kinds of bank that the simulator pays, what it knows of a destination, and how the operators
// take payments.

import type { Currency } from '../../../domain/currency';
import type { Minor } from '../../../domain/money';
import type { DestinationToCheck, PayoutDestination, Rail } from '../../../domain/payout';
import type { PaymentMethod, PaymentStep } from '../../../domain/payment-attempt';
import { testOutcomeOf } from '../../../domain/test-phones';

/** A number as it stands in bodies and addresses. */
export const PHONE = /^\+[1-9]\d{6,14}$/;

interface Country {
  readonly code: string;
  /** The digits after the country's own. */
  readonly lengths: readonly number[];
  /**
   * The prefixes of each operator's numbers, apart by blanks; the most used operator first. Wave has none of its own: its wallets are on the numbers of
   * others, so that it must be named.
   */
  readonly operators: Readonly<Record<string, string>>;
}

const COUNTRIES: Readonly<Record<string, Country>> = {
  '+221': {
    code: 'SN',
    lengths: [9],
    operators: { wave_sn: '', orange_sn: '77 78', free_sn: '76', expresso_sn: '70' },
  },
  '+223': {
    code: 'ML',
    lengths: [8],
    operators: { orange_ml: '7 82 83 90 91', moov_ml: '6 89', wave_ml: '' },
  },
  '+225': {
    code: 'CI',
    lengths: [10],
    operators: { wave_ci: '', orange_ci: '07', mtn_ci: '05', moov_ci: '01' },
  },
  '+226': {
    code: 'BF',
    lengths: [8],
    operators: {
      orange_bf: '05 06 07 54 55 56 57 64 65 66 67 74 75 76 77',
      moov_bf: '01 02 03 50 51 52 53 60 61 62 63 70 71 72 73',
      telecel_bf: '58 68 69 78 79',
      wave_bf: '',
    },
  },
  '+227': {
    code: 'NE',
    lengths: [8],
    operators: {
      airtel_ne: '86 87 88 89 96 97 98 99',
      moov_ne: '84 85 94 95',
      zamani_ne: '80 81 90 91 92',
    },
  },
  '+228': {
    code: 'TG',
    lengths: [8],
    operators: {
      yas_tg: '70 71 90 91 92 93',
      moov_tg: '79 96 97 98 99',
    },
  },
  '+229': {
    code: 'BJ',
    // Ten since November 2024: 01 was put before the eight of before.
    lengths: [8, 10],
    operators: {
      mtn_bj: '42 46 50 51 52 53 54 56 57 59 61 62 66 67 69 90 91 96 97',
      moov_bj: '45 55 58 60 63 64 65 68 94 95 98 99',
    },
  },
};

interface Brand {
  /** The name that customers know. */
  readonly name: string;
  readonly step: PaymentStep;
  /** Customers dial this to make their one-time code or to pay, where it is the same in all countries. */
  readonly code?: string;
}

const BRANDS: Readonly<Record<string, Brand>> = {
  orange: { name: 'Orange Money', step: 'otp', code: '#144*82#' },
  // Free Money until the end of 2024.
  free: { name: 'Mixx by Yas', step: 'prompt' },
  expresso: { name: 'Expresso', step: 'prompt' },
  wave: { name: 'Wave', step: 'redirect' },
  moov: { name: 'Moov Money', step: 'dial', code: '*155#' },
  mtn: { name: 'MTN MoMo', step: 'prompt' },
  telecel: { name: 'Telecel', step: 'prompt' },
  airtel: { name: 'Airtel Money', step: 'prompt' },
  zamani: { name: 'Zamani', step: 'prompt' },
  yas: { name: 'Mixx by Yas', step: 'prompt' },
};

const CODES: Readonly<Record<string, string>> = { orange_sn: '#144*391#' };

/** A way to pay, with what the customer dials, for `dial` too. */
export type Method = PaymentMethod & { readonly code: string | null };

export const METHODS: readonly Method[] = Object.entries(COUNTRIES).flatMap(
  ([dialed, { code: country, operators }]) =>
    Object.entries(operators).map(([operator, prefixes]): Method => {
      const { name, step, code: usual = null } = BRANDS[operator.split('_')[0]!]!;
      const code = CODES[operator] ?? usual;
      const own = prefixes.split(' ').filter((prefix) => prefix !== '');
      const ten = country === 'BJ' ? own.map((prefix) => `01${prefix}`) : [];
      return {
        operator,
        name,
        country,
        currency: 'XOF',
        prefixes: [...own, ...ten].map((prefix) => dialed + prefix),
        minimum: 100_00n as Minor,
        maximum: 2_000_000_00n as Minor,
        step,
        state: 'open',
        otp_code: step === 'otp' ? code : null,
        code,
      };
    }),
);

/** These do not tell whose a number is. */
const WITHOUT_NAMES: ReadonlySet<string> = new Set(['telecel_bf', 'zamani_ne']);

const bank = (rail: Pick<Rail, 'currency' | 'decimals' | 'minimum' | 'maximum' | 'name_check'>) =>
  ({ type: 'bank', operator: null, country: null, state: 'open', ...rail }) as const;
const CENTS = { decimals: 2, minimum: 1_00n, maximum: 100_000_00n, name_check: 'none' } as const;

const BANKS: readonly Rail[] = [
  bank({
    currency: 'XOF',
    decimals: 0,
    minimum: 1_000_00n,
    maximum: 50_000_000_00n,
    name_check: 'before',
  }),
  bank({ currency: 'EUR', ...CENTS }),
  bank({ currency: 'USD', ...CENTS }),
];

const PHONES: readonly Rail[] = METHODS.map(
  ({ operator, country, currency, minimum, maximum, state }) => ({
    type: 'mobile_money',
    operator,
    country,
    currency,
    decimals: 0,
    minimum,
    maximum,
    state,
    name_check: WITHOUT_NAMES.has(operator) ? 'none' : 'before',
  }),
);

export const RAILS: readonly Rail[] = [...PHONES, ...BANKS];

/** The rail of a destination, as it is for it; undefined when it is not paid in this currency. */
export function railOf(destination: PayoutDestination, currency: Currency): Rail | undefined {
  if (destination.type === 'bank') return BANKS.find((rail) => rail.currency === currency);
  const operator = operatorOf(destination.phone, destination.operator);
  const rail = PHONES.find((one) => one.operator === operator && one.currency === currency);
  const isClosed = testOutcomeOf(destination.phone) === 'closed';
  return rail && isClosed ? { ...rail, state: 'closed' } : rail;
}

/** The operator that was named, if the number's country has it; else that of the prefix. */
function operatorOf(phone: string, named: string | null): string | undefined {
  const country = COUNTRIES[phone.slice(0, '+221'.length)];
  const digits = phone.slice('+221'.length);
  if (!country?.lengths.includes(digits.length)) return undefined;
  if (named !== null) return Object.hasOwn(country.operators, named) ? named : undefined;
  const old = country.code === 'BJ' && digits.length === 10 ? digits.slice('01'.length) : digits;
  return Object.entries(country.operators).find(
    ([, prefixes]) =>
      prefixes !== '' && prefixes.split(' ').some((prefix) => old.startsWith(prefix)),
  )?.[0];
}

/** How a phone pays; undefined when it is no phone of this operator's country. Its own operator without a name. */
export function methodOf(phone: string, named: string | null): Method | undefined {
  const operator = operatorOf(phone, named);
  return METHODS.find((method) => method.operator === operator);
}

export function numberOf(destination: PayoutDestination): string {
  return destination.type === 'bank' ? destination.account : destination.phone;
}

/** The holder as the operator has it; without a name to compare with it is always the same. */
export function nameFound({ destination, name }: DestinationToCheck, rail: Rail): string | null {
  const given = name ?? (destination.type === 'bank' ? destination.name : 'Awa Diop');
  if (rail.name_check === 'none') return null;
  switch (testOutcomeOf(numberOf(destination))) {
    case 'not_found':
      return null;
    case 'other_name':
      return given === 'Moussa Sarr' ? 'Fatou Bâ' : 'Moussa Sarr';
    case 'close_name':
      return withoutOneLetter(given);
    default:
      return given;
  }
}

/** Shortens the longest part: a part of two letters that lacks one is another name. */
function withoutOneLetter(name: string): string {
  const [longest = ''] = name.split(/\s+/).sort((a, b) => b.length - a.length);
  return longest.length > 1 ? name.replace(longest, longest.replace(/.$/u, '')) : `${name}a`;
}
