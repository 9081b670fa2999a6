// The forms that a file of transfers may have, and that no file holds up the process that reads it.

import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { MAX_MINOR } from '../../domain/money';
import { readBatchFile } from '../../use-cases/transfer-batches/file';

const MAX = { XOF: MAX_MINOR, EUR: MAX_MINOR, USD: MAX_MINOR };
const HEADER = 'to_username,currency,amount';
const MIB = 1024 * 1024;

const read = async (text: string | Uint8Array, home?: 'XOF') => {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  return readBatchFile(bytes, 'sender', MAX, home);
};

/** `awa EUR 1250`, one for each transfer; the places of what is wrong. */
async function outline(text: string): Promise<readonly string[] | string> {
  const file = await read(text);
  if (!file.ok) return `${file.fault} ${file.line ?? ''}`.trim();
  return [
    ...file.items.map((item) => `${item.to_username} ${item.currency} ${item.amount_minor}`),
    ...file.faults.map(({ line, fault }) => `${line}: ${fault}`),
  ];
}

const AWA = ['awa EUR 1250'];

describe('a file of a spreadsheet', () => {
  it.each([
    ['with commas', `${HEADER}\nawa,EUR,12.50\n`, AWA],
    ['with semicolons and decimal commas', `${HEADER.replaceAll(',', ';')}\nawa;EUR;12,50`, AWA],
    ['with tabs', `${HEADER.replaceAll(',', '\t')}\r\nawa\tEUR\t12,50\r\n`, AWA],
    ['with a byte order mark', `\ufeff${HEADER}\r\nawa,EUR,12.50\r\n`, AWA],
    ['with its separator', `sep=;\r\nto_username;currency;amount\r\nawa;EUR;12,50`, AWA],
    [
      'with a separator in quotes',
      `\ufeff"sep=;"\nto_username;currency;amount\nawa;EUR;12,50`,
      AWA,
    ],
    [
      'with a separator that its header contradicts',
      `sep=,\n${HEADER}\nawa,EUR,"12;5"`,
      ['3: format'],
    ],
    ['with ends of lines of long ago', `${HEADER}\rawa,EUR,12.50\r`, AWA],
    [
      'with amounts as people write them',
      `${HEADER}\nawa,XOF,15 000 FCFA\nawa,XOF,"15,000"\nawa,EUR,"€1,249.90"\n`,
      ['awa XOF 1500000', 'awa XOF 1500000', 'awa EUR 124990'],
    ],
    [
      'with semicolons and amounts that may mean two',
      `to_username;currency;amount\nawa;XOF;15.000\nawa;EUR;1.000\nawa;EUR;1,000\nawa;EUR;5 F`,
      ['awa XOF 1500000', '3: ambiguous', '4: ambiguous', '5: other_currency'],
    ],
    ['with empty rows', `${HEADER}\n,,\nawa,EUR,12.50\n , ,\n,,,,\n\n`, AWA],
    ['with empty rows before its header', `\n\n${HEADER}\nawa,EUR,12.50\n`, AWA],
    ['with empty columns', `${HEADER},,\nawa,EUR,12.50,,\nawa,EUR,12.50\n`, [...AWA, ...AWA]],
    ['with an empty column between', `to_username,,currency,amount\nawa,,EUR,12.50`, AWA],
    ['with more empty cells than its header', `${HEADER}\nawa,EUR,12.50,,,\n`, AWA],
    [
      'with a value below no name',
      `${HEADER},\nawa,EUR,12.50,x\n,,,y`,
      ['2: columns', '3: columns'],
    ],
    ['with too few cells', `${HEADER}\nawa,EUR\n`, ['2: columns']],
    ['with lines after empty ones', `sep=,\n${HEADER}\n\n,,\nawa,GBP,1`, ['5: unknown']],
    ['with empty rows alone', `${HEADER}\n,,\n,,\n`, 'empty'],
    [
      'with French names',
      '\ufeffBénéficiaire;Devise;Montant;Motif\r\nawa;EUR;12,50;Loyer\r\n',
      AWA,
    ],
    [
      'with usernames of digits that became decimals',
      `${HEADER}\n771234567.0,XOF,5\n@12.0,XOF,5\nawa.0,XOF,5\n771234567,XOF,5`,
      ['awa.0 XOF 500', '771234567 XOF 500', '2: as_decimal', '3: as_decimal'],
    ],
    ['with nothing', '\ufeff', 'empty'],
    ['with a name twice', `${HEADER},amount\n`, 'header 1'],
  ])('%s is understood', async (_what, text, expected) => {
    expect(await outline(text)).toEqual(expected);
  });

  it.each([
    ['quoted', `${HEADER}\n"=""awa""",EUR,12.50`, AWA],
    ['not quoted', `${HEADER}\n="awa",EUR,="12.50"\n`, AWA],
    ['guarded as our own files are', `${HEADER}\n'@awa,EUR,12.50\n`, AWA],
  ])('with texts that it must not count, %s, is understood', async (_what, text, expected) => {
    expect(await outline(text)).toEqual(expected);
  });

  it.each([
    ['Bénéficiaire;Devise;Montant (FCFA) ;Motif'],
    ['BENEFICIAIRE :;devise;Somme;Libellé'],
    ['To username;Currency;AMOUNT [gross];description'],
  ])('with the names %s is understood', async (header) => {
    expect(await outline(`${header}\nawa;XOF;1250;Loyer`)).toEqual(['awa XOF 125000']);
  });

  it('that was exported here can be sent again, where it has failed', async () => {
    const header = 'index,to_username,currency,amount,status,reference,error_code,error_message';
    const text = `${header}\n0,awa,EUR,12.50,failed,,,no\n1,binta,EUR,1.00,completed,,,\n2,omar,EUR,1.00,pending,,,\n`;
    expect(await outline(text)).toEqual([...AWA, '3: not_failed', '4: not_failed']);
  });

  const french =
    '\ufeffBénéficiaire\tDevise\tMontant\tMotif\r\nawa\tXOF\t15\u00a0000\tLoyer d’août\r\n';
  const plain = french.slice(1).replaceAll('\t', ';').replace('’', '\x92');
  it.each([
    ['Windows-1252, as plain CSV of Excel', Buffer.from(plain, 'latin1')],
    ['UTF-16, as Unicode Text of Excel', Buffer.from(french, 'utf16le')],
    ['UTF-16 with the other order of bytes', Buffer.from(french, 'utf16le').swap16()],
  ])('in %s is read', async (_what, bytes) => {
    expect(await read(bytes)).toMatchObject({
      items: [{ to_username: 'awa', amount_minor: '1500000', description: 'Loyer d’août' }],
      faults: [],
    });
  });

  const CP850 = Buffer.from(plain.replaceAll('é', '\x82'), 'latin1');
  it.each([
    ['UTF-16 without a mark', Buffer.from(`${HEADER}\n`, 'utf16le')],
    ['UTF-16 with half a character', Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x00, 0xd8, 0x41, 0x00])],
    ['CP850', CP850],
    ['MacRoman', Buffer.from(plain.replaceAll('é', '\x8e'), 'latin1')],
    ['UTF-8 that is broken', Buffer.concat([Buffer.from(french.slice(1)), Buffer.from([0xe9])])],
  ])('in %s is refused as another encoding', async (_what, bytes) => {
    expect(await read(bytes)).toEqual({ ok: false, fault: 'encoding' });
  });

  it.each([
    ['.xlsx', Buffer.from('PK\x03\x04\x14\0\x06\0', 'latin1')],
    ['.xls', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
  ])('of Excel’s own, %s, is refused as a workbook', async (_what, bytes) => {
    expect(await read(bytes)).toEqual({ ok: false, fault: 'workbook' });
  });

  it('without a currency is in that of the account’s country, and names it as pages do', async () => {
    const text = 'to_username;currency;amount\nawa;FCFA;5\nawa;;5\n';
    const awa = { currency: 'XOF', amount_minor: '500' };
    expect(await read(text, 'XOF')).toMatchObject({ items: [awa, awa], faults: [] });
    expect(await read(text)).toMatchObject({ items: [awa], faults: [{ fault: 'unknown' }] });
    expect(await read('to_username;amount\nawa;5\n', 'XOF')).toMatchObject({ items: [awa] });
    expect(await read('to_username;amount\nawa;5\n')).toMatchObject({ column: 'currency' });
  });

  it('has no other amount or recipient in whatever encoding its other bytes are', async () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(bytes, fc.integer({ min: 1, max: 5 }), async (unknown, at) => {
        const amount = Buffer.from('150000');
        const row = [
          amount.subarray(0, at),
          unknown.filter((one) => one >= 0x80),
          amount.subarray(at),
        ];
        const file = await read(
          Buffer.concat([Buffer.from('to_username;currency;amount\nawa;XOF;'), ...row]),
        );
        if (!file.ok) return;
        expect(file.items.every(({ amount_minor }) => amount_minor === '15000000')).toBe(true);
      }),
    );
  });
});

describe('a file that is made to hold up the process', () => {
  /** How often the process could do something else meanwhile. */
  async function turnsWhile<T>(work: Promise<T>): Promise<{ turns: number; result: T }> {
    let turns = 0;
    let isOver = false;
    const over = work.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await setImmediate();
      turns += 1;
    }
    return { turns, result: await over };
  }
  const many = (line: string): string =>
    `${HEADER}\n${`${line}\n`.repeat(Math.floor((4 * MIB) / (line.length + 1)))}`;

  it.each([
    ['4 MiB of commas', ','.repeat(4 * MIB), 'long_line'],
    ['a wide header', `${HEADER}${',x'.repeat(1_000)}\n`, 'wide'],
    ['lines of 400 commas', many(','.repeat(400)), 'wide'],
    ['a quotation mark that is never closed', `${HEADER}\n"${'x\n'.repeat(2 * MIB)}`, 'long_line'],
    ['one endless line', `${HEADER}\n${'x'.repeat(4 * MIB)}`, 'long_line'],
    ['one endless line of commas', `${HEADER}\n${','.repeat(4 * MIB)}`, 'long_line'],
    ['a separator and an endless line', `sep=,\n${','.repeat(4 * MIB)}`, 'long_line'],
    ['rows without any value', many(',,'), 'too_many'],
    ['too many transfers', many('awa,EUR,1'), 'too_many'],
  ])('%s is refused before it is read whole', async (_what, text, expected) => {
    const { turns, result } = await turnsWhile(read(text));
    expect(result).toMatchObject({ ok: false, fault: expected });
    // A turn reads at most 4 KiB: of 4 MiB, less than the tenth is read.
    expect(turns).toBeLessThan(100);
  });

  it('is read in turns when it is right', async () => {
    const rows = Array.from({ length: 10_000 }, (_, i) => `${'a'.repeat(64)},EUR,${i + 1}`);
    const { turns, result } = await turnsWhile(read([HEADER, ...rows].join('\n')));
    expect(result.ok && result.items.length).toBe(10_000);
    expect(turns).toBeGreaterThan(150);
  });

  it('is left at the first hundred lines that are wrong', async () => {
    const { turns, result } = await turnsWhile(read(many('awa,EUR,0')));
    expect(result).toMatchObject({ ok: true, has_more_faults: true });
    expect(result.ok && result.faults.length).toBe(100);
    expect(turns).toBeLessThan(20);
  });
});
