import fc from 'fast-check';
import { readMultipart } from '../../dashboard/multipart';

const TYPE = 'multipart/form-data; boundary=b';

const part = (name: string, content: string, more = ''): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;

const FILE = 'to_username,note\r\nawa,--b é\r\n\r\n';
const FORM = Buffer.from(
  `${part('form_token', 'é-1')}${part('file', FILE, '; filename="payouts.csv"')}${part('mode', '')}--b--\r\n`,
);

describe('readMultipart', () => {
  it('reads fields in their order, and the bytes of the first file', async () => {
    expect(await readMultipart(FORM, TYPE)).toEqual({
      fields: [
        ['form_token', 'é-1'],
        ['mode', ''],
      ],
      file: Buffer.from(FILE),
    });
  });

  it('reads a field of 64 KiB whole, and refuses a longer one', async () => {
    const formWith = (bytes: number) => Buffer.from(`${part('note', 'a'.repeat(bytes))}--b--\r\n`);
    const read = await readMultipart(formWith(65_536), TYPE);
    expect(read?.fields[0]?.[1]).toHaveLength(65_536);
    expect(await readMultipart(formWith(65_537), TYPE)).toBeUndefined();
  });

  it('refuses a form that ends anywhere before its end', async () => {
    // The last line break, and what follows the last delimiter, may be missing.
    for (let bytes = 0; bytes < FORM.length - 2; bytes += 1) {
      expect([bytes, await readMultipart(FORM.subarray(0, bytes), TYPE)]).toEqual([
        bytes,
        undefined,
      ]);
    }
  });

  it('refuses 21 parts, and a form without a boundary', async () => {
    const formOf = (parts: number) => Buffer.from(`${part('a', '1').repeat(parts)}--b--\r\n`);
    expect((await readMultipart(formOf(20), TYPE))?.fields).toHaveLength(20);
    expect(await readMultipart(formOf(21), TYPE)).toBeUndefined();
    expect(await readMultipart(FORM, 'multipart/form-data')).toBeUndefined();
  });

  it('ends with a form or a refusal, whatever comes', async () => {
    const piece = fc.constantFrom(
      '--b',
      '--',
      '\r\n',
      '\r\n\r\n',
      ':',
      '\0',
      'Content-Disposition',
    );
    const more = fc.constantFrom(part('a', ''), part('a', 'x', '; filename="f"'), '; filename="f"');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(piece, more), { maxLength: 12 }), async (pieces) => {
        const read = await readMultipart(Buffer.from(pieces.join('')), TYPE);
        expect(['object', 'undefined']).toContain(typeof read);
      }),
      { numRuns: 2_000 },
    );
  });
});
