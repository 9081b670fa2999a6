import fc from 'fast-check';
import { fieldKeys } from '../../domain/payment-link';

describe('the keys of what a link asks for', () => {
  it.each([
    [['Numéro de table'], ['numero_de_table']],
    [
      ['Taille ?', 'taille', ' TAILLE!'],
      ['taille', 'taille_2', 'taille_3'],
    ],
    [['رقم الطاولة'], ['answer']],
    [
      ['a'.repeat(60), 'a'.repeat(59)],
      ['a'.repeat(40), `${'a'.repeat(38)}_2`],
    ],
  ])('of %j are %j', (labels, keys) => {
    expect(fieldKeys(labels)).toEqual(keys);
  });

  it('are such as the API takes, and no two are the same', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ unit: 'grapheme', minLength: 1 }), { maxLength: 3 }),
        (labels) => {
          const keys = fieldKeys(labels);
          expect(new Set(keys).size).toBe(labels.length);
          for (const key of keys) expect(key).toMatch(/^[a-z0-9_]{1,40}$/);
        },
      ),
    );
  });
});
