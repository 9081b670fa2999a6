// The fields of a key, new or changed: what it may do, until when, how much a day, and from where.

import { requestAmount } from '../../api/schemas';
import type { ApiKeyRow, DailyLimit } from '../../db/keys/api-keys';
import { CURRENCIES } from '../../domain/currency';
import type { Language } from '../../domain/language';
import { scopesFor } from '../../domain/members';
import { MAX_MINOR, type Minor } from '../../domain/money';
import { DEFAULT_SCOPES, SCOPE_TEXTS, SCOPES } from '../../domain/scopes';
import { typedAmount } from '../../pages/amounts';
import { CURRENCY_LABELS, formatTime } from '../../pages/formats';
import { MAX_ACTIVE_KEYS, MAX_KEY_NAME, type createKey } from '../../use-cases/api-keys';
import type { MemberVisit } from '../context';
import type { Read, Shape, Shapes } from '../form-fields';
import type { Faulty } from '../form-page';
import { WORDS } from './words';

const EXPIRY_DAYS = [30, 90, 365] as const;
const NEVER = 'never';
const AS_BEFORE = 'as_before';

export const EXPIRES = {
  type: 'string',
  enum: [NEVER, AS_BEFORE, ...EXPIRY_DAYS.map(String)],
} as const;

export const KEY = {
  type: 'object',
  required: ['name', 'scopes'],
  properties: {
    name: { type: 'string', maxLength: MAX_KEY_NAME },
    scopes: { type: 'array', minItems: 1, items: { type: 'string', enum: SCOPES } },
    expires: EXPIRES,
    daily_XOF: requestAmount,
    daily_EUR: requestAmount,
    daily_USD: requestAmount,
    allowed_ips: { type: 'string', maxLength: 2_000 },
  },
} as const;

/** `key`: one that is there already. A person gives a key no scope that they may not have. */
export function keyShapes({ account, session, language }: MemberVisit, key?: ApiKeyRow): Shapes {
  const words = WORDS[language];
  const { environment } = session;
  const allowed = scopesFor(account.role, environment);
  const daily = CURRENCIES.map((currency, index): [string, Shape] => {
    const most = key?.daily_limit?.[currency];
    const label = `${words.daily_limit} · ${CURRENCY_LABELS[currency]}`;
    const value = most === undefined ? '' : typedAmount(BigInt(most) as Minor, currency);
    const hint = index === 0 ? words.daily_limit_hint : undefined;
    return [`daily_${currency}`, { label, value, hint, currency, most: MAX_MINOR }];
  });
  return {
    name: { label: words.name, hint: words.name_hint, value: key?.name, fault: words.no_name },
    scopes: {
      label: words.scopes,
      options: allowed
        .filter((scope) => scope !== 'sandbox' || environment === 'sandbox')
        .map((value) => ({ value, label: SCOPE_TEXTS[language][value], hint: value })),
      value: key?.scopes ?? DEFAULT_SCOPES,
      fault: words.no_scope,
    },
    expires: {
      ...expiryShape(language, key && key.expires_at),
      before: !allowed.includes('transfers:write') && <p class="field">{words.no_money}</p>,
    },
    ...Object.fromEntries(daily),
    allowed_ips: {
      label: words.allowed_ips,
      hint: words.allowed_ips_hint,
      rows: 3,
      value: key?.allowed_ips?.join('\n') ?? '',
      fault: words.invalid_allowed_ips,
    },
  };
}

/** `expires_at`: of a key that is there already. */
export function expiryShape(language: Language, expires_at?: string | null): Shape {
  const words = WORDS[language];
  const time = expires_at ? formatTime(language, expires_at) : null;
  return {
    label: words.expires,
    hint: words.expires_hint,
    options: [
      ...(expires_at === undefined ? [] : [{ value: AS_BEFORE, label: words.expires_at(time) }]),
      ...(expires_at === null ? [] : [{ value: NEVER, label: words.expires_at(null) }]),
      ...EXPIRY_DAYS.map((days) => ({ value: String(days), label: words.in_days(days) })),
    ],
    value: expires_at === undefined ? NEVER : AS_BEFORE,
  };
}

/** Empty when it stays as it is. */
export function readExpiry(chosen: string | undefined): {
  readonly expires_in_days?: number | null;
} {
  if (chosen === AS_BEFORE) return {};
  return { expires_in_days: EXPIRY_DAYS.find((days) => String(days) === chosen) ?? null };
}

export function keyFields({ body, amounts }: Read<typeof KEY>) {
  const addresses = (body.allowed_ips ?? '').split(/[\s,;]+/).filter((text) => text !== '');
  const limits = CURRENCIES.flatMap((currency) => {
    const most = amounts[`daily_${currency}`];
    return most === undefined ? [] : [[currency, String(most)] as const];
  });
  return {
    name: body.name,
    scopes: body.scopes,
    allowed_ips: addresses.length > 0 ? addresses : null,
    daily_limit: limits.length > 0 ? (Object.fromEntries(limits) as DailyLimit) : null,
    ...readExpiry(body.expires),
  };
}

type Refused = Extract<Awaited<ReturnType<typeof createKey>>, { readonly ok: false }>['error'];

/** Beside its field. */
export function keyFault(language: Language, error: Exclude<Refused, 'kyc_required'>): Faulty {
  const words = WORDS[language];
  if (error === 'too_many_keys') return { notice: words.too_many_keys(MAX_ACTIVE_KEYS) };
  return error === 'no_scope'
    ? { faults: { scopes: words.no_scope } }
    : { faults: { allowed_ips: words[error] } };
}
