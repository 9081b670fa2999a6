// What a file of transfers may look like, and that no file holds up the process that reads it.

import { setImmediate } from 'node:timers/promises';
import { MAX_MINOR } from '../../domain/money';
import { readBatchFile } from '../../use-cases/transfer-batches/file';

const MAX = { XOF: MAX_MINOR, EUR: MAX_MINOR, USD: MAX_MINOR };
const HEADER = 'to_username,currency,amount';
const MIB = 1024 * 1024;

const read = async (text: string | Uint8Array) =>
  readBatchFile(typeof text === 'string' ? new TextEncoder().encode(text) : text, 'sender', MAX);

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
    ['with nothing', '\ufeff', 'empty'],
    ['with a name twice', `${HEADER},amount\n`, 'header 1'],
  ])('%s is understood', async (_what, text, expected) => {
    expect(await outline(text)).toEqual(expected);
  });

  it.each([
    ['Unicode text', Buffer.from(`\ufeff${HEADER}\n`, 'utf16le')],
    ['UTF-16 without a mark', Buffer.from(`${HEADER}\n`, 'utf16le')],
    ['Latin-1', Buffer.from(`${HEADER},é\n`, 'latin1')],
  ])('in %s is refused as another encoding', async (_what, bytes) => {
    expect(await read(bytes)).toEqual({ ok: false, fault: 'encoding' });
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
