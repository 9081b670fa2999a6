// Usernames, phones and countries: however they are typed, they are one text.

import { COUNTRIES, isCountry } from '../../domain/country';
import fc from 'fast-check';
import { readAccount } from '../../domain/bank-account';
import {
  cleanPhone,
  formatPhone,
  PHONE_PATTERN,
  phoneMessage,
  plainPhone,
  readPhone,
} from '../../domain/phone';
import { isUsername, normalLoginName, normalUsername } from '../../domain/username';

it.each([
  ['awa', 'awa'],
  [' AWA ', 'awa'],
  ['ＡＷＡ', 'awa'],
  ['\u212aofi', 'kofi'],
  ['awa\u00a0', 'awa'],
])('the username %j is %j', (typed, name) => {
  expect(normalUsername(typed)).toBe(name);
  expect(isUsername(name)).toBe(true);
});

it.each([
  'aw',
  '.awa',
  'awa diop',
  'аwa',
  'awa\u200b',
  'élodie',
  'awa@example.com',
  'a'.repeat(33),
  'awa\n',
])('no username is %j', (name) => {
  expect(isUsername(name)).toBe(false);
});

it('signs in by the form of the address or of the username', () => {
  expect(normalLoginName(' Je\u0301ro\u0302me@Exemple.FR')).toBe('jérôme@exemple.fr');
  expect(normalLoginName(' AWA')).toBe('awa');
});

describe('a phone number', () => {
  it.each([
    ['+221771234567', '+221771234567'],
    ['+221 77 (123).45-67', '+221 77 (123).45-67'],
    ['\u202a+221\u00a077\u202f123\u201145\u201167\u202c', '+221 77 123-45-67'],
    ['\u2066+33 6 12 34 56 78\u2069', '+33 6 12 34 56 78'],
    ['\u200e+1 202\u2013555\u20130143', '+1 202-555-0143'],
    ['\ufeff+\u200b221771234567', '+221771234567'],
  ])('pasted as %j is %j', (pasted, phone) => {
    const pattern = new RegExp(PHONE_PATTERN, 'u');
    expect(pasted).toMatch(pattern);
    expect(cleanPhone(pasted)).toBe(phone);
    expect(phone).toMatch(pattern);
  });

  it.each([
    '771234567',
    '+0771234567',
    '+123456',
    '+1234567890123456',
    '+22177123456a',
    '\u202a',
    '++221771234567',
  ])('is not %j', (text) => {
    expect(text).not.toMatch(new RegExp(PHONE_PATTERN, 'u'));
  });

  it.each([
    ['+221 77 (123).45-67', '+221771234567'],
    ['\u202a+221\u00a077\u202f123\u201145\u201167\u202c', '+221771234567'],
    ['00 221 77 123 45 67', '+221771234567'],
    ['+229 97 12 34 56', '+2290197123456'],
    ['00229 01 97 12 34 56', '+2290197123456'],
    ['+229 21 30 12 34', '+2290121301234'],
    // A new number that lacks two digits belongs to no one, and does not become another person's.
    ['+229 01 97 12 34', '+22901971234'],
    ['+229 7 12 34 56', '+2297123456'],
    // Ivory Coast's old numbers belong to no one, and a zero may be part of a number.
    ['+225 07 12 34 56', '+22507123456'],
    ['+225 07 07 12 34 56', '+2250707123456'],
    ['+221 077 123 45 67', '+2210771234567'],
    ['+226 97 12 34 56', '+22697123456'],
    // A zero that is dialled at home only, and one that is a part of the number.
    ['+221 (0)77 000 01 00', '+221770000100'],
    ['00221(0) 77 000 01 00', '+221770000100'],
    ['(+49) (0)151 23456789', '+4915123456789'],
    ['+229 (0)97 12 34 56', '+2290197123456'],
    ['+225 (0)7 01 02 03 04', '+2250701020304'],
    ['+225 (07) 01 02 03 04', '+2250701020304'],
    ['+221 77 (0)00 01 00', '+221770000100'],
  ])('written as %j is %j', (typed, phone) => {
    expect(plainPhone(typed)).toBe(phone);
    expect(plainPhone(phone)).toBe(phone);
  });
});

describe('a phone number that is read', () => {
  it.each([
    ['+221 77 123 45 67', '+221771234567'],
    ['(+221) 77.123.45.67.', '+221771234567'],
    ['221771234567', '+221771234567'],
    ['221.771.234.567', '+221771234567'],
    ['22997123456', '+2290197123456'],
    ['33612345678', '+33612345678'],
    ['+39 06 1234567', '+39061234567'],
  ])('as %j is %j', (typed, phone) => {
    expect(readPhone(typed)).toEqual({ ok: true, phone });
  });

  it.each([
    ['77 123 45 67', '+221', '+221771234567'],
    ['(0)77 123 45 67', '+221', '+221771234567'],
    ['221 77 123 45 67', '+221', '+221771234567'],
    ['2250701020304', '+221', '+2250701020304'],
    ['+225 07 01 02 03 04', '+221', '+2250701020304'],
    ['07 01 02 03 04', '+225', '+2250701020304'],
    ['97 12 34 56', '+229', '+2290197123456'],
  ])('as %j at home in %s is %s', (typed, home, phone) => {
    expect(readPhone(typed, home)).toEqual({ ok: true, phone });
  });

  it.each([
    ['77 123 45', '+221', 2],
    ['7712345678', '+221', -1],
    ['+221 77 123 45', undefined, 2],
    ['+221 077 123 45 67', undefined, -1],
    ['22177123456', undefined, 1],
    ['+22500500089021', undefined, -1],
    ['+225500089021', undefined, 1],
    ['+229 01 97 12 34', undefined, 2],
    ['221770000100', '+229', 0],
  ])('as %j at home in %s lacks %s digits', (typed, home, missing) => {
    const read = readPhone(typed, home);
    if (missing === 0) return expect(read.ok).toBe(true);
    expect(read).toEqual({ ok: false, fault: 'length', missing });
  });

  it.each([
    '221770000100.0',
    '221770000100.00',
    '2250700000100.00',
    '221770000100,00',
    '221771234567.0',
    '+221771234567.0',
    '+221 77 123 45 67.0',
    '33612345678.000',
    '2.21771E+11',
    '2,2177E11',
    '2e11',
  ])('as %j is a decimal of a spreadsheet', (typed) => {
    expect(readPhone(typed)).toEqual({ ok: false, fault: 'as_decimal' });
    expect(readPhone(typed, '+221')).toEqual({ ok: false, fault: 'as_decimal' });
  });

  it.each(['', '+', '771234567', '0701020304', '+221 77 123 45 67 ext 5', '+221/77/1234567', '٧٧'])(
    'is not %j without a home',
    (typed) => {
      expect(readPhone(typed)).toEqual({ ok: false, fault: 'phone' });
    },
  );

  it('has the digits of what was typed, in their order, and none besides', () => {
    const mark = fc.constantFrom(
      '',
      ' ',
      '.',
      '-',
      '(',
      ')',
      ',',
      'E',
      "'",
      '+',
      '0',
      '\u202f',
      '/',
    );
    const piece = fc.tuple(mark, fc.stringMatching(/^[0-9]{1,4}$/)).map((two) => two.join(''));
    const typed = fc
      .tuple(fc.constantFrom('+', '00', '', '+221', '+225 ', '+229', '221'), fc.array(piece))
      .map(([start, rest]) => start + rest.join(''));
    fc.assert(
      fc.property(typed, fc.constantFrom(undefined, '+221', '+225'), (text, home) => {
        const read = readPhone(text, home);
        if (!read.ok) return;
        expect(read.phone).toMatch(/^\+[1-9]\d{6,14}$/);
        expect(readPhone(read.phone, home)).toEqual(read);
        const digits = text.replace(/\D/g, '').replace(/^00/, '');
        // Benin's old numbers get 01, and a zero in brackets may be left out.
        const without = text.replace('(0)', '').replace(/\D/g, '').replace(/^00/, '');
        const codes = [
          read.phone.slice(1),
          read.phone.slice(4),
          read.phone.replace('+22901', '229'),
        ];
        expect([digits, without].some((one) => codes.some((phone) => phone.endsWith(one)))).toBe(
          true,
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it('tells callers of the API how many digits are missing', () => {
    expect(phoneMessage({ fault: 'length', missing: 1 })).toMatch(/^has 1 digit too few/);
    expect(phoneMessage({ fault: 'length', missing: -2 })).toMatch(/^has 2 digits too many/);
  });
});

describe('the number of a bank account', () => {
  it.each([
    ['1234567890', '1234567890'],
    [' 12.34.56.789 ', '123456789'],
    ['0123456E020', '0123456E020'],
    ['001-1234567-89', '001123456789'],
    ['fr76 3000 6000 0112 3456 7890 189', 'FR7630006000011234567890189'],
    ['IBAN: GB82 WEST 1234 5698 7654 32', 'GB82WEST12345698765432'],
    ['SN08\u202fSN01\u00a00015\u20112000\u200b0485 0000 3035', 'SN08SN0100152000048500003035'],
    ['SN010 01520 000048500003 03', 'SN0100152000004850000303'],
    ['SN08 1234', 'SN081234'],
    ['SN08 1234 5678 9012 34', 'SN0812345678901234'],
  ])('%j is %s', (typed, account) => {
    expect(readAccount(typed)).toEqual({ ok: true, account });
  });

  it.each([
    ['1234567890.0', 'as_decimal'],
    ['1234567890.00', 'as_decimal'],
    ['1234567890,0', 'as_decimal'],
    ['1.23457E15', 'as_decimal'],
    ['1,23457E+15', 'as_decimal'],
    ['1E15', 'as_decimal'],
    ['FR76 3000 6000 0112 3456 7890 188', 'iban'],
    ['FR76 3000 6000 0112 3456 7890 18', 'iban'],
    ['FR76 0300 6000 0112 3456 7890 189', 'iban'],
    ['SN08 SN01 0015 2000 0485 0000 3036', 'iban'],
    ['123', 'account'],
    ['12345678/90', 'account'],
  ])('%j is refused as %s', (typed, fault) => {
    expect(readAccount(typed)).toEqual({ ok: false, fault });
  });

  it('has the letters and digits of what was typed, in their order, and none besides', () => {
    const typed = fc.stringMatching(/^[0-9A-Fe .,+-]{4,24}$/);
    fc.assert(
      fc.property(typed, (text) => {
        const read = readAccount(text);
        if (read.ok) expect(read.account).toBe(text.replace(/[^0-9a-z]/gi, '').toUpperCase());
      }),
      { numRuns: 2_000 },
    );
  });

  it('of an IBAN is refused with any other digit, and with two that changed places', () => {
    const iban = 'FR7630006000011234567890189';
    const at = fc.integer({ min: 2, max: iban.length - 2 });
    fc.assert(
      fc.property(at, fc.integer({ min: 1, max: 9 }), (i, more) => {
        const [one, other] = [iban[i]!, iban[i + 1]!];
        const wrong = iban.slice(0, i) + ((Number(one) + more) % 10) + iban.slice(i + 1);
        const turned = iban.slice(0, i) + other + one + iban.slice(i + 2);
        expect(readAccount(wrong)).toEqual({ ok: false, fault: 'iban' });
        expect(readAccount(turned).ok).toBe(one === other);
      }),
    );
  });
});

describe('a country', () => {
  it.each(['GB', 'SN', 'FR', 'CI', 'US', 'PS', 'TW', 'AX'])('may be %s', (code) => {
    expect(isCountry(code)).toBe(true);
  });

  it.each([
    'UK',
    'XX',
    'EN',
    'ZZ',
    'AA',
    'EU',
    'UN',
    'SU',
    'YU',
    'AN',
    'FX',
    'TP',
    'sn',
    'SEN',
    '',
  ])('is not %j', (code) => {
    expect(isCountry(code)).toBe(false);
  });

  it('is one of the 249 of ISO 3166-1, or Kosovo', () => {
    expect(COUNTRIES).toHaveLength(250);
  });
});

describe('a phone that is shown', () => {
  it.each([
    ['+221775550100', 'SN', '77 555 01 00'],
    ['+221775550100', 'CI', '+221 77 555 01 00'],
    ['+2250701020304', 'CI', '07 01 02 03 04'],
    ['+22670123456', 'FR', '+226 70 12 34 56'],
    ['+33612345678', 'SN', '+33612345678'],
    ['+22177555010', 'SN', '+22177555010'],
    ['Awa Diop', 'SN', 'Awa Diop'],
  ])('%s is in %s %s', (phone, home, shown) => {
    expect(formatPhone(phone, home)).toBe(
      shown.replaceAll(' ', '\u00a0').replace('Awa\u00a0', 'Awa '),
    );
  });

  it('is read as the same number again', () => {
    for (const phone of ['+221775550100', '+2250701020304']) {
      expect(readPhone(formatPhone(phone, 'SN'), '+221')).toEqual({ ok: true, phone });
    }
  });
});
