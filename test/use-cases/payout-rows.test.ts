// People who are paid, as they are typed in rows or pasted as lines.

import { readTypedRow, splitLines } from '../../use-cases/payout-batches/rows';

it.each([
  ['Awa Diop, 77 123 45 67, 85 000', ['Awa Diop', '77 123 45 67', '85 000']],
  ['Awa Diop, 77 123 45 67, 85,000', ['Awa Diop', '77 123 45 67', '85,000']],
  ['Awa Diop;77 123 45 67;85.000 FCFA', ['Awa Diop', '77 123 45 67', '85.000 FCFA']],
  ['Awa Diop\t771234567\t85000', ['Awa Diop', '771234567', '85000']],
  ['+221 77 123 45 67\tDiop, Awa\t85000\tFCFA', ['Diop, Awa', '+221 77 123 45 67', '85000 FCFA']],
  ['Awa Diop 771234567 85000', ['Awa Diop 771234567 85000', '', '']],
])('the line %j is %j', (line, [name, phone, amount]) => {
  expect(splitLines(line)).toEqual([{ name, phone, amount, operator: '' }]);
});

it('leaves out empty lines and a heading, and no person', () => {
  expect(splitLines('Nom;Numéro;Montant\r\n\r\nAwa;771234567;5\r\n')).toHaveLength(1);
  expect(splitLines('Awa Diop\nMoussa;771234567;5')).toHaveLength(2);
  expect(splitLines('\n')).toEqual([]);
});

const OPERATORS = ['orange_sn', 'wave_sn', 'mtn_bj'];
const row = { name: 'Awa', phone: '77 123 45 67', amount: '85 000', operator: 'wave_sn' };
const read = (fields: Partial<typeof row>, country = 'SN') =>
  readTypedRow(
    { ...row, description: 'Mai', ...fields },
    { country, operators: OPERATORS, language: 'fr' },
  );

it('reads a row in francs, with the numbers of the account’s country', () => {
  const item = { phone: '+221771234567', currency: 'XOF', amount_minor: '8500000', name: 'Awa' };
  expect(read({})).toMatchObject({ ok: true, item: { ...item, description: 'Mai' } });
  expect(read({ phone: '+229 01 97 12 34 56', operator: '' }, 'FR')).toMatchObject({ ok: true });
});

it.each([
  [{ operator: '' }, { fault: 'no_operator' }],
  [{ phone: '77 123 45' }, { fault: 'length', missing: 2 }],
  [{ phone: '' }, { fault: 'no_destination' }],
  [{ amount: '' }, { fault: 'format' }],
  [{ amount: '85 €' }, { fault: 'other_currency' }],
])('says of %j %j', (fields, fault) => {
  expect(read(fields)).toMatchObject({ ok: false, ...fault });
});

it('takes no local number for an account of another country', () => {
  expect(read({}, 'FR')).toMatchObject({ ok: false, fault: 'phone' });
});
