import { csvHeader, csvLine, PLAIN_CSV, SPREADSHEET_CSV } from '../../domain/csv';

const cell = (text: string): string =>
  csvLine([text], PLAIN_CSV).slice(0, -1).replace(/^"|"$/g, '');

it.each([
  ['=1+1', "'=1+1"],
  [' @x', "' @x"],
  ['x;=1+1;y', "x;'=1+1;y"],
  ['x;  -1', "x;'  -1"],
  ['x\t+1', "x\t'+1"],
  ['x,@y', "x,'@y"],
  ['x\n=1', "x\n'=1"],
  ['x;"=1', 'x;\'""=1'],
  ['＝1', "'＝1"],
  ['x;＋1', "x;'＋1"],
  ['\u200b=1', "'\u200b=1"],
  ['\u202e\ufeff=1', "'\u202e\ufeff=1"],
  ['a;;=1', "a;;'=1"],
])('%j is no formula, whatever divides the cells', (text, expected) => {
  expect(cell(text)).toBe(expected);
});

it.each(['a-b', '1 + 1', 'x; y', 'l’été, déjà', 'a=b', 'c@d.example'])('%j stays', (text) => {
  expect(cell(text)).toBe(text);
});

it.each([
  ['programs', PLAIN_CSV, 'nom,montant\n"a;b",-1249.90\n'],
  ['an English spreadsheet', SPREADSHEET_CSV.en, '\ufeffnom,montant\r\n"a;b",-1249.90\r\n'],
  ['a French spreadsheet', SPREADSHEET_CSV.fr, '\ufeffnom;montant\r\n"a;b";-1249,90\r\n'],
])('a file for %s', (_reader, form, expected) => {
  const text = csvHeader(['nom', 'montant'], form) + csvLine(['a;b', -124_990n], form);
  expect(text).toBe(expected);
});
