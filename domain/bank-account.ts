// Numbers of bank accounts as people paste them: in groups, with points and hyphens.

import { isCountry } from './country';
import { AS_DECIMAL_MESSAGE, isDecimal } from './phone';

export type AccountFault = 'account' | 'as_decimal' | 'iban';

/** For callers of the API, behind the field's name. */
export const ACCOUNT_FAULTS: Readonly<Record<AccountFault, string>> = {
  account: 'must have 4 to 64 letters and digits, such as an IBAN',
  as_decimal: AS_DECIMAL_MESSAGE,
  iban: 'must be an IBAN as the bank has given it: its check digits do not fit',
};

export type ReadAccount =
  | { readonly ok: true; readonly account: string }
  | { readonly ok: false; readonly fault: AccountFault };

const ACCOUNT = /^[A-Z0-9]{4,64}$/;
/** The shortest has 15 characters. */
const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;
/** In West Africa banks' own numbers may begin with the country as well: the length tells. */
const NO_IBAN = /^(?:BF|BJ|CI|ML|NE|SN|TG)(?!.{26}$)|^GW(?!.{23}$)/;

/** The number without what groups it. */
export function readAccount(text: string): ReadAccount {
  if (isDecimal(text)) return { ok: false, fault: 'as_decimal' };
  const account = text
    .toUpperCase()
    .replace(/^\s*IBAN\b:?/, '')
    .replace(/[\s.\p{Pd}\p{Cf}]/gu, '');
  if (!ACCOUNT.test(account)) return { ok: false, fault: 'account' };
  const is_iban = IBAN.test(account) && !NO_IBAN.test(account) && isCountry(account.slice(0, 2));
  return is_iban && !fitsItsCheckDigits(account)
    ? { ok: false, fault: 'iban' }
    : { ok: true, account };
}

/** ISO 7064, MOD 97-10: each wrong digit is found, and each pair that has changed places. */
function fitsItsCheckDigits(iban: string): boolean {
  const moved = iban.slice(4) + iban.slice(0, 4);
  return BigInt(moved.replace(/[A-Z]/g, (letter) => String(parseInt(letter, 36)))) % 97n === 1n;
}
