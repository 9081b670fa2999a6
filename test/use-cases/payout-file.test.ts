// A file of payouts, as spreadsheets in French and English write it, and what can be wrong with a line.

import { readPayoutFile, type PayoutFile } from '../../use-cases/payout-batches/file';

const read = (text: string): Promise<PayoutFile> => readPayoutFile(Buffer.from(text), 'shop');

it('reads phones and accounts, with or without the plus that spreadsheets take away', async () => {
  const file = await read(
    'Téléphone;Compte;Banque;Nom;Devise;Montant;Motif\n' +
      '+221 77 123 45 67;;;Awa Diop;xof;5 000;Salaire\n' +
      '221771234567;;;;XOF;100;\n' +
      ';SN08 SN01 0152;SN010;Fatou Bâ;EUR;12,50;\n',
  );
  const phone = { destination_type: 'mobile_money', phone: '+221771234567', holder: null };
  expect(file).toMatchObject({
    ok: true,
    faults: [],
    items: [
      { ...phone, name: 'Awa Diop', description: 'Salaire', amount_minor: '500000' },
      { ...phone, name: null, description: null, amount_minor: '10000' },
      {
        destination_type: 'bank',
        account: 'SN08SN010152',
        bank_code: 'SN010',
        holder: 'Fatou Bâ',
        name: null,
        currency: 'EUR',
        amount_minor: '1250',
      },
    ],
  });
});

it('reads the old number of Benin and the new one as one phone', async () => {
  const lines = ['+229 97 12 34 56', '22997123456', '+2290197123456'];
  const file = await read(
    `phone,currency,amount\n${lines.map((one) => `${one},XOF,5`).join('\n')}`,
  );
  expect(file).toMatchObject({ items: lines.map(() => ({ phone: '+2290197123456' })), faults: [] });
});

it.each([
  ['+221771234567,,,XOF', 'columns'],
  [',,,XOF,5', 'no_destination'],
  ['+221771234567,SN012345,Awa,XOF,5', 'two_destinations'],
  ['771234567,,,XOF,5', 'phone'],
  ['2.21771E+11,,,XOF,5', 'phone'],
  [',??,Awa,XOF,5', 'account'],
  [',SN012345,,XOF,5', 'no_holder'],
  ['+221771234567,,,GBP,5', 'currency'],
  [`+221771234567,,${'a'.repeat(141)},XOF,5`, 'long_text'],
  ['+221771234567,,,XOF,0', 'zero'],
  ['+221771234567,,,XOF,much', 'format'],
] as const)('says of %s: %s', async (line, fault) => {
  const file = await read(`phone,account,name,currency,amount\n${line}\n`);
  expect(file).toMatchObject({ ok: true, items: [], faults: [{ line: 2, fault }] });
});

it.each([
  ['name,currency,amount', 'phone'],
  ['phone,currency', 'amount'],
  ['phone,currency,amount,to_username', 'to_username'],
])('refuses the columns %s because of %s', async (header, column) => {
  expect(await read(`${header}\n+221771234567,XOF,5\n`)).toMatchObject({
    ok: false,
    fault: 'header',
    column,
  });
});
