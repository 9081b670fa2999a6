// Reads by operator what pawaPay's account can do: names, bounds, state, and how a customer agrees to pay. Its active
// configuration has the availability too.

import { isCurrency, type Currency } from '../../domain/currency';
import type { Minor } from '../../domain/money';
import type { NextStep, PaymentStep } from '../../domain/payment-attempt';
import type { RailState } from '../../domain/payout';
import { FieldFault, isObject, listField, objectField, textField, type Fields } from '../fields';
import { callPawapay, type PawapayAccount } from './call';
import { readAmount } from './transactions';

export interface Operation {
  /** pawaPay's name: `ORANGE_CIV`. */
  readonly provider: string;
  /** Ours: `orange_ci`. */
  readonly operator: string;
  /** The one that customers know. */
  readonly name: string;
  readonly country: string;
  /** `+225` */
  readonly calling_code: string;
  readonly prefixes: readonly string[];
  readonly currency: Currency;
  /** Digits after the point on the wire. */
  readonly decimals: number;
  readonly minimum: Minor;
  readonly maximum: Minor;
  readonly state: RailState;
  /** Undefined for payouts, to which the recipient need not agree. */
  readonly step: PaymentStep | undefined;
  /** The customer dials this, where that is a step. */
  readonly code: string | null;
  readonly instructions: NextStep['instructions'];
}

type OperationType = 'DEPOSIT' | 'PAYOUT';

interface KnownOperator {
  readonly operator: string;
  /** How its numbers begin after the country's digits; apart by blanks. Wave has none of its own. */
  readonly prefixes: string;
}

/**
 * In the order in which a country's are offered: the most used first. One that is not here comes last, under pawaPay's
 * name in lower case.
 */
const OPERATORS: Readonly<Record<string, KnownOperator>> = {
  MTN_MOMO_BEN: {
    operator: 'mtn_bj',
    prefixes:
      '0142 0146 0150 0151 0152 0153 0154 0156 0157 0159 0161 0162 0166 0167 0169 0190 0191 0196 0197',
  },
  MOOV_BEN: {
    operator: 'moov_bj',
    prefixes: '0145 0155 0158 0160 0163 0164 0165 0168 0194 0195 0198 0199',
  },
  ORANGE_BFA: {
    operator: 'orange_bf',
    prefixes: '05 06 07 54 55 56 57 64 65 66 67 74 75 76 77',
  },
  MOOV_BFA: {
    operator: 'moov_bf',
    prefixes: '01 02 03 50 51 52 53 60 61 62 63 70 71 72 73',
  },
  WAVE_CIV: { operator: 'wave_ci', prefixes: '' },
  ORANGE_CIV: { operator: 'orange_ci', prefixes: '07' },
  MTN_MOMO_CIV: { operator: 'mtn_ci', prefixes: '05' },
  WAVE_SEN: { operator: 'wave_sn', prefixes: '' },
  ORANGE_SEN: { operator: 'orange_sn', prefixes: '77 78' },
  FREE_SEN: { operator: 'free_sn', prefixes: '76' },
};

/** The countries where people pay in currencies of ours; pawaPay writes three letters. */
const COUNTRIES: Readonly<Record<string, string>> = {
  BEN: 'BJ',
  BFA: 'BF',
  CIV: 'CI',
  COD: 'CD',
  GNB: 'GW',
  MLI: 'ML',
  NER: 'NE',
  SEN: 'SN',
  TGO: 'TG',
};

const STATES: Readonly<Record<string, RailState>> = { OPERATIONAL: 'open', DELAYED: 'delayed' };

/** Bounds and steps change rarely, and pawaPay checks them again. */
const RECENT_MS = 60_000;

export interface Configuration {
  now(): Promise<readonly Operation[]>;
  /** Those of the last minute. */
  recent(): Promise<readonly Operation[]>;
}

/** Both @throws GatewayError */
export function createConfiguration(account: PawapayAccount, type: OperationType): Configuration {
  let kept: { readonly at: number; readonly operations: readonly Operation[] } | undefined;
  const path = `/v2/active-conf?operationType=${type}`;
  const now = async (): Promise<readonly Operation[]> => {
    const call = { method: 'GET', path, body: null } as const;
    const operations = await callPawapay(account, call, (body) => readOperations(body, type));
    kept = { at: performance.now(), operations };
    return operations;
  };
  return {
    now,
    recent: async () => (kept && performance.now() - kept.at < RECENT_MS ? kept.operations : now()),
  };
}

export function findOperation(
  operations: readonly Operation[],
  of: { readonly currency: Currency } & (
    { readonly operator: string } | { readonly provider: unknown }
  ),
): Operation | undefined {
  return operations.find(
    (one) =>
      one.currency === of.currency &&
      ('operator' in of ? one.operator === of.operator : one.provider === of.provider),
  );
}

export function readOperations(body: Fields['value'], type: OperationType): readonly Operation[] {
  const operations = listField(body, 'countries').flatMap((country) =>
    listField(country, 'providers').flatMap((provider) =>
      listField(provider, 'currencies').flatMap((currency) => {
        try {
          return readOperation(type, country, provider, currency) ?? [];
        } catch (error) {
          // One that is described in words of tomorrow takes no other one with it.
          if (error instanceof FieldFault) return [];
          throw error;
        }
      }),
    ),
  );
  const known = Object.keys(OPERATORS);
  const placeOf = ({ provider }: Operation) =>
    known.includes(provider) ? known.indexOf(provider) : known.length;
  return operations.sort((a, b) => placeOf(a) - placeOf(b));
}

function readOperation(
  type: OperationType,
  in_country: Fields['value'],
  of: Fields['value'],
  entry: Fields['value'],
): Operation | undefined {
  const country = COUNTRIES[textField(in_country, 'country', 3)];
  const currency = textField(entry, 'currency', 3);
  const operation = objectField(entry, 'operationTypes')[type];
  if (country === undefined || !isCurrency(currency) || !isObject(operation)) return undefined;
  const provider = textField(of, 'provider', 100);
  const calling_code = `+${textField(in_country, 'prefix', 4)}`;
  const { operator, prefixes } = OPERATORS[provider] ?? {
    operator: provider.toLowerCase(),
    prefixes: '',
  };
  const step = type === 'DEPOSIT' ? stepOf(operation) : undefined;
  if (type === 'DEPOSIT' && step === undefined) return undefined;
  return {
    provider,
    operator,
    name: textField(of, 'displayName', 100),
    country,
    calling_code,
    prefixes: prefixes.split(' ').flatMap((prefix) => (prefix ? [calling_code + prefix] : [])),
    currency,
    decimals: operation['decimalsInAmount'] === 'TWO_PLACES' ? 2 : 0,
    minimum: readAmount(operation, 'minAmount'),
    maximum: readAmount(operation, 'maxAmount'),
    state: STATES[textField(operation, 'status', 100)] ?? 'closed',
    step,
    ...wordsOf(operation, step),
  };
}

/** Undefined for a way that was made after this was written. */
function stepOf(operation: Fields['value']): PaymentStep | undefined {
  switch (operation['authType']) {
    case 'PROVIDER_AUTH':
      return operation['pinPrompt'] === 'MANUAL' ? 'dial' : 'prompt';
    case 'PREAUTH':
      return 'otp';
    case 'REDIRECT_AUTH':
      return 'redirect';
    default:
      return undefined;
  }
}

const DIALED = /[*#][0-9*]+#/;

function wordsOf(
  operation: Fields['value'],
  step: PaymentStep | undefined,
): Pick<Operation, 'code' | 'instructions'> {
  const words = operation[step === 'otp' ? 'authTokenInstructions' : 'pinPromptInstructions'];
  const channels = isObject(words) ? listField(words, 'channels') : [];
  const [channel] = channels;
  if (channel === undefined) return { code: null, instructions: { fr: [], en: [] } };
  const all = objectField(channel, 'instructions');
  const lines = (language: 'fr' | 'en'): string[] => {
    const texts = listField(all, language).map((line) => textField(line, 'text', 500));
    // A prompt's instructions are for when it does not come, which the title says.
    const title = step === 'prompt' ? objectField(channel, 'displayName') : undefined;
    return title ? [textField(title, language, 500), ...texts] : texts;
  };
  const instructions = { fr: lines('fr'), en: lines('en') };
  const code = DIALED.exec(instructions.en.join('\n'))?.[0] ?? null;
  return { code: step === 'prompt' ? null : code, instructions };
}
