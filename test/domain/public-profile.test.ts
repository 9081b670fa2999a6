// The names that merchants may show to people who are about to pay.

import fc from 'fast-check';
import { readContact, readDisplayName } from '../../domain/public-profile';

describe('a public name', () => {
  it.each([
    ['Atelier Awa', 'Atelier Awa'],
    ['  Chez   Fatou  ', 'Chez Fatou'],
    ['e\u0301cole', '\u00e9cole'],
    ['Chez\u00a0Fatou\u2003Dakar', 'Chez Fatou Dakar'],
    ['متجر', 'متجر'],
    ['ร้านน้ำผึ้ง', 'ร้านน้ำผึ้ง'],
    ['7-Eleven & Sœurs « Dakar »', '7-Eleven & Sœurs « Dakar »'],
    ['a'.repeat(100), 'a'.repeat(100)],
    ['Boutique ❤\ufe0f', 'Boutique ❤\ufe0f'],
    ['Chez 👩🏾\u200d🍳 Awa 🇸🇳', 'Chez 👩🏾\u200d🍳 Awa 🇸🇳'],
    ['Salon 1\ufe0f\u20e3', 'Salon 1\ufe0f\u20e3'],
  ])('%j is kept as %j', (text, kept) => {
    expect(readDisplayName(text)).toBe(kept);
  });

  it.each([
    ['nothing', ''],
    ['spaces', '   '],
    ['no letter', '***'],
    ['a line break', 'Awa\nPaid: yes'],
    ['a null character', 'Awa\0'],
    ['text that runs the other way', 'awA\u202eeikooc'],
    ['a character without a width', 'Pay\u200bPal'],
    ['a letter that is blank', 'Pay\u3164Pal'],
    ['a symbol that is blank', 'Pay\u2800Pal'],
    ['a mark that is not seen', 'Pay\u034fPal'],
    ['a soft hyphen', 'Pay\u00adPal'],
    ['marks that cover other lines', `A${'\u0335\u0336\u0337\u0338'.repeat(9)}`],
    ['a joiner that joins no emoji', 'Pay\u200dPal'],
    ['a joiner after an emoji', 'Awa ❤\ufe0f\u200d'],
    ['a selector after a letter', 'Awa\ufe0f'],
    ['an emoji alone', '❤\ufe0f'],
    ['a line separator', 'Awa\u2028Paid'],
    ['101 characters', 'a'.repeat(101)],
  ])('is not %s', (_what, text) => {
    expect(readDisplayName(text)).toBeUndefined();
  });

  it('is one line that stays as it is when it is read again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 120 }), (text) => {
        const name = readDisplayName(text);
        if (name === undefined) return;
        expect(name.replace(/\u200d|\ufe0f/g, '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
        expect(name.length).toBeLessThanOrEqual(100);
        expect(readDisplayName(name)).toBe(name);
      }),
    );
  });
});

it('a contact may be longer than a name', () => {
  expect(readContact('a'.repeat(200))).toBe('a'.repeat(200));
  expect(readContact('a'.repeat(201))).toBeUndefined();
  expect(readContact('awa@example.com, +221 77 123 45 67')).toBe(
    'awa@example.com, +221 77 123 45 67',
  );
});
