import { existsSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';

const ROOT = join(__dirname, '..', '..');
/** Pages that name the tests that prove their rows, and how many rows they have at least. */
const PAGES = [
  ['spec-coverage.md', 80],
  ['security.md', 50],
  ['reliability.md', 20],
] as const;

interface Proof {
  readonly file: string;
  readonly title: string;
}

/** The tests of `- [file](link) → title`, where the link leads to the file that its text names. */
function proofsIn(text: string): Proof[] {
  return Array.from(
    text.matchAll(/^ +- \[([^\]]+)\]\(([^)]+)\) → (.+)$/gm),
    ([, name, link, title]) => {
      const file = normalize(join('docs', link!));
      return { file: file === `test/${name}` ? file : `${name} and ${link} differ`, title: title! };
    },
  );
}

/** Each row of the specification with what is listed below it. */
function rowsIn(text: string): string[] {
  return text.split(/^(?=- )/m).filter((row) => row.startsWith('- '));
}

/** Whether a test file has a title, as its source writes it. */
function hasTitle({ file, title }: Proof): boolean {
  if (!existsSync(join(ROOT, file))) return false;
  const source = readFileSync(join(ROOT, file), 'utf8');
  return source.replaceAll(/\\(['`])/g, '$1').includes(title);
}

describe.each(PAGES)('docs/%s', (page, fewest) => {
  const coverage = readFileSync(join(ROOT, 'docs', page), 'utf8');
  const proofs = proofsIn(coverage);

  it.each(proofs)('$file: $title', (proof) => {
    expect(hasTitle(proof)).toBe(true);
  });

  it('has a test for each row, or says that the row is not there yet', () => {
    const rows = rowsIn(coverage);
    expect(rows.length).toBeGreaterThan(fewest);
    const unproved = rows.filter((row) => proofsIn(row).length === 0);
    expect(unproved.filter((row) => !row.includes('**not yet**'))).toEqual([]);
  });

  it('has no line with a test that this check does not read', () => {
    const lines = coverage.split('\n').filter((line) => line.includes('.test.ts]('));
    expect(proofs).toHaveLength(lines.length);
  });

  it('names other files that exist', () => {
    const named = Array.from(coverage.matchAll(/`(test\/[a-z0-9/.-]+)`/g), ([, file]) => file!);
    expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});

describe('the check of these pages', () => {
  it('is not taken for right when a test is gone', () => {
    expect(hasTitle({ file: 'test/api/no-such.test.ts', title: 'anything' })).toBe(false);
    expect(hasTitle({ file: 'test/docs/tour.test.ts', title: 'nothing' + ' like it' })).toBe(false);
    expect(proofsIn('- row\n  - [api/x.test.ts](../test/db/x.test.ts) → t')[0]!.file).toMatch(
      /differ/,
    );
  });
});
