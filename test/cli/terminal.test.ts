import fc from 'fast-check';
import { printable, printableJson, printableLines } from '../../cli/terminal';

const STEERING = {
  'ESC of C0': '\u001b',
  'CSI of C1': '\u009b',
  'a carriage return': '\r',
  'a line separator': '\u2028',
  'a right-to-left override': '\u202e',
  'an isolate': '\u2066',
  'an Arabic letter mark': '\u061c',
};

describe('text for the terminal', () => {
  it.each(Object.entries(STEERING))('has no %s', (_, character) => {
    const text = `a${character}31mb`;
    expect(printable(text)).toBe('a�31mb');
    expect(printableLines(text)).toBe('a�31mb');
    const json = JSON.stringify({ text, [text]: 1 });
    expect(printableJson(json)).not.toContain(character);
    expect(JSON.parse(printableJson(json))).toEqual({ text, [text]: 1 });
  });

  it('keeps the lines that the command has made, and other alphabets', () => {
    const text = 'Élodie\n王\nسلام\n🌍';
    expect(printableLines(text)).toBe(text);
    expect(printable('one\ntwo')).toBe('one�two');
  });

  it('is the same JSON for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = printableJson(JSON.stringify(value));
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
