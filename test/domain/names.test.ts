// Usernames, phones and countries: however they are typed, they are one text.

import { COUNTRIES, isCountry } from '../../domain/country';
import { cleanPhone, PHONE_PATTERN, plainPhone } from '../../domain/phone';
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
    // A new number that lacks two digits is nobody's, and does not become somebody's.
    ['+229 01 97 12 34', '+22901971234'],
    ['+229 7 12 34 56', '+2297123456'],
    // Ivory Coast's old numbers belong to nobody, and a zero may be part of a number.
    ['+225 07 12 34 56', '+22507123456'],
    ['+225 07 07 12 34 56', '+2250707123456'],
    ['+221 077 123 45 67', '+2210771234567'],
    ['+226 97 12 34 56', '+22697123456'],
  ])('written as %j is %j', (typed, phone) => {
    expect(plainPhone(typed)).toBe(phone);
    expect(plainPhone(phone)).toBe(phone);
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
