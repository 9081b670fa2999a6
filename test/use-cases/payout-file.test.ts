// A file of payouts, as spreadsheets in French and English write it, and what can be wrong with a line.

import { readPayoutFile, type PayoutFile } from '../../use-cases/payout-batches/file';

const read = (text: string | Buffer, country = 'FR'): Promise<PayoutFile> =>
  readPayoutFile(Buffer.from(text as string), { username: 'shop', country });

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

it('takes what Excel saves in French, as a shop in Senegal writes it', async () => {
  const lines =
    'Nom;Téléphone;Montant;Motif\r\n' +
    'Moussa Ndiaye;77 555 01 00;85\xa0000;Salaire d’août\r\n'.replace('’', '\x92') +
    'Fatou Ba;00221775550101;85 000 FCFA;Salaire\r\n' +
    'Awa Sarr;221775550102;85000;\r\n' +
    'Koffi Yao;+225 07 01 02 03 04;85.000;\r\n';
  expect(await read(Buffer.from(lines, 'latin1'), 'SN')).toMatchObject({
    faults: [],
    items: [
      ['Moussa Ndiaye', '+221775550100', 'Salaire d’août'],
      ['Fatou Ba', '+221775550101', 'Salaire'],
      ['Awa Sarr', '+221775550102', null],
      ['Koffi Yao', '+2250701020304', null],
    ].map(([name, phone, description]) => ({
      name,
      phone,
      description,
      currency: 'XOF',
      amount_minor: '8500000',
    })),
  });
});

it.each(['85\u202f000', '85\u2009000', '85\u00a0000 F CFA', '85 000F', '85.000'])(
  'reads the amount %j',
  async (amount) => {
    const file = await read(`nom;numéro;montant\nAwa;771234567;${amount}\n`, 'SN');
    expect(file).toMatchObject({ items: [{ amount_minor: '8500000' }], faults: [] });
  },
);

it.each(['FCFA', 'F CFA', 'f.cfa', 'CFA', 'xof', 'Francs CFA', ''])(
  'reads the currency %j as the franc',
  async (currency) => {
    const file = await read(`tel;devise;montant\n771234567;${currency};5\n`, 'SN');
    expect(file).toMatchObject({ items: [{ currency: 'XOF' }], faults: [] });
  },
);

it('guesses neither a currency nor a country for an account elsewhere', async () => {
  expect(await read('phone,amount\n+221771234567,5\n')).toMatchObject({
    fault: 'header',
    column: 'currency',
  });
  expect(await read('phone,currency,amount\n771234567,XOF,5\n+221771234567,,5\n')).toMatchObject({
    items: [],
    faults: [{ fault: 'phone' }, { fault: 'currency' }],
  });
});

it('reads the old number of Benin and the new one as one phone', async () => {
  const lines = ['+229 97 12 34 56', '22997123456', '+2290197123456'];
  const file = await read(
    `phone,currency,amount\n${lines.map((one) => `${one},XOF,5`).join('\n')}`,
  );
  expect(file).toMatchObject({ items: lines.map(() => ({ phone: '+2290197123456' })), faults: [] });
});

it('takes the file that was exported here, with the columns and the apostrophes that it has', async () => {
  const file = await read(
    'index,destination_type,destination_phone,destination_operator,destination_account,destination_bank_code,destination_name,destination_name_found,destination_name_match,currency,amount,status,reference,error_code,error_message\n' +
      "0,mobile_money,'+221770000001,orange_sn,,,Awa Diop,,unavailable,XOF,1000.00,failed,,recipient_not_found,no\n" +
      "1,mobile_money,'+221770000100,orange_sn,,,Awa Diop,Awa Diop,match,XOF,1000.00,completed,PYT-1,,\n" +
      '2,bank,,,…4850,,Awa Diop,,unavailable,XOF,1000.00,failed,,rejected,no\n',
  );
  expect(file).toMatchObject({
    items: [{ phone: '+221770000001', operator: 'orange_sn', name: 'Awa Diop' }],
    faults: [
      { line: 3, fault: 'not_failed' },
      { line: 4, fault: 'account' },
    ],
  });
});

it.each([
  'Numéro de téléphone;Nom et prénom;Devise;Montant (FCFA)',
  'Numéro ;Bénéficiaire;DEVISE;Montant',
  'Mobile;Full name;Currency;Amount [XOF]',
  'Phone number;Recipient;currency;Somme',
])('knows the columns %s', async (header) => {
  const file = await read(`${header}\n="+221 77 123 45 67";"Awa\n Diop\t";XOF;5 000\n`);
  expect(file).toMatchObject({
    items: [{ phone: '+221771234567', name: 'Awa  Diop', amount_minor: '500000' }],
    faults: [],
  });
});

it.each([
  ['+221771234567,,,XOF', 'columns'],
  [',,,XOF,5', 'no_destination'],
  ['+221771234567,SN012345,Awa,XOF,5', 'two_destinations'],
  ['771234567,,,XOF,5', 'phone'],
  ['2.21771E+11,,,XOF,5', 'as_decimal'],
  ['221770000100.0,,,XOF,5', 'as_decimal'],
  ['2250700000100.00,,,XOF,5', 'as_decimal'],
  ['22177123456,,,XOF,5', 'length'],
  [',??,Awa,XOF,5', 'account'],
  [',1234567890.0,Awa,XOF,5', 'as_decimal'],
  [',1.23457E15,Awa,XOF,5', 'as_decimal'],
  [',FR76 3000 6000 0112 3456 7890 188,Awa,XOF,5', 'iban'],
  ['+221771234567,,A\u0007wa,XOF,5', 'characters'],
  ['+221771234567,,A\u0084wa,XOF,5', 'characters'],
  [',SN012345,,XOF,5', 'no_holder'],
  ['+221771234567,,,GBP,5', 'currency'],
  [`+221771234567,,${'a'.repeat(141)},XOF,5`, 'long_text'],
  ['+221771234567,,,XOF,0', 'zero'],
  ['+221771234567,,,XOF,much', 'format'],
] as const)('says of %s: %s', async (line, fault) => {
  const file = await read(`phone,account,name,currency,amount\n${line}\n`);
  expect(file).toMatchObject({ ok: true, items: [], faults: [{ line: 2, fault }] });
});

it('says of a bank code that a spreadsheet has made a decimal of it', async () => {
  const file = await read('account,bank_code,name,currency,amount\nSN012345,10001.0,Awa,XOF,5\n');
  expect(file).toMatchObject({ items: [], faults: [{ line: 2, fault: 'bank_code_as_decimal' }] });
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
