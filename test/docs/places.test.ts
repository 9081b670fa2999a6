// Links of all pages lead somewhere, what the pages for newcomers name is where they say, and decisions are short.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const ROOT = join(__dirname, '..', '..');

const PAGES = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'],
  {
    cwd: ROOT,
    encoding: 'utf8',
  },
)
  .split('\n')
  // Some are deleted and not yet committed so.
  .filter((page) => page !== '' && existsSync(join(ROOT, page)));

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** The anchor that a page's heading has where Markdown is shown. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

function hasAnchor(page: string, anchor: string): boolean {
  const headings = Array.from(read(page).matchAll(/^#+ (.+)$/gm), ([, heading]) => heading!);
  return headings.map(anchorOf).includes(anchor);
}

/** The links of a page that lead nowhere. */
function brokenLinks(page: string): string[] {
  const links = Array.from(read(page).matchAll(/\]\(([^)\s]+)\)/g), ([, link]) => link!);
  return links.filter((link) => {
    if (/^(https?|mailto):/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : normalize(join(dirname(page), path));
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && !hasAnchor(target, anchor);
  });
}

describe('links', () => {
  it.each(PAGES)('of %s lead somewhere', (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });

  it('are found when they are broken', () => {
    expect(hasAnchor('README.md', 'no-such-heading')).toBe(false);
    expect(anchorOf("In Temporal's UI")).toBe('in-temporals-ui');
  });
});

describe.each(['README.md', 'CONTRIBUTING.md'])('%s', (page) => {
  const rooms = execFileSync('git', ['ls-tree', '-d', '--name-only', 'HEAD'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .trim()
    .split('\n');

  it('names files that exist', () => {
    const named = Array.from(
      read(page).matchAll(/`([a-z.-]+\/[A-Za-z0-9_./-]+)`/g),
      ([, path]) => path!,
    );
    const ours = named.filter((path) => rooms.includes(path.split('/')[0]!));
    expect(ours.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('names what is in these files', () => {
    const pairs = Array.from(
      read(page).matchAll(/`(\w+)`(?: and `(\w+)`)?\s+in\s+`([a-z.-]+\/[\w./-]+\.(?:ts|sql))`/g),
      ([, one, other, file]) => ({ names: [one!, other ?? one!], file: file! }),
    );
    const wrong = pairs.filter(({ names, file }) => {
      const text = existsSync(join(ROOT, file)) ? read(file) : '';
      return !names.every((name) => new RegExp(`\\b${name}\\b`).test(text));
    });
    expect(wrong).toEqual([]);
  });
});

describe('docs/decisions', () => {
  it('has the pages that comments name', () => {
    const named = execFileSync('git', ['grep', '-hoE', 'docs/decisions/[0-9a-z-]+\\.md'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const missing = named.split('\n').filter((page) => !existsSync(join(ROOT, page)));
    expect([...new Set(missing)]).toEqual([]);
  });

  it.each(PAGES.filter((page) => page.startsWith('docs/decisions/')))('has %s short', (page) => {
    const wordsOf = (text: string): number => text.match(/\S*\w\S*/g)?.length ?? 0;
    const long = read(page)
      .split(/^(?=## )/m)
      .filter((section) => section.startsWith('## ') && wordsOf(section) > 120);
    expect(long.map((section) => section.split('\n')[0])).toEqual([]);
    expect(wordsOf(read(page))).toBeLessThanOrEqual(900);
  });
});
