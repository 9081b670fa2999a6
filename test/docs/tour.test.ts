import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const TOUR = readFileSync(join(ROOT, 'docs', 'tour.md'), 'utf8');

interface Place {
  readonly way: string;
  readonly file: string;
  readonly name: string;
}

/** The numbered places, `file` and `name`, under the heading of their way. */
function placesOf(tour: string): Place[] {
  return tour
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const way = section.split('\n')[0]!;
      return Array.from(section.matchAll(/^\d+\. `([^`]+)` `([^`]+)`/gm), ([, file, name]) => ({
        way,
        file: file!,
        name: name!,
      }));
    });
}

/** Whether a file defines a name: as TypeScript, or as a function of the database. */
function defines(file: string, name: string): boolean {
  if (!existsSync(join(ROOT, file))) return false;
  const definition = file.endsWith('.sql')
    ? new RegExp(`^create or replace function ${name}\\(`, 'm')
    : new RegExp(`^export (async )?(function|const|interface|type|class) ${name}\\b`, 'm');
  return definition.test(readFileSync(join(ROOT, file), 'utf8'));
}

describe('docs/tour.md', () => {
  const places = placesOf(TOUR);

  it.each(places)('$way: $file has $name', ({ file, name }) => {
    expect(defines(file, name)).toBe(true);
  });

  it('leads four ways, each of at most ten places', () => {
    const ways = [...new Set(places.map(({ way }) => way))];
    expect(ways).toEqual([
      'A transfer, from request to response',
      'A payment, from link to wallet',
      'A webhook, from commit to receiver',
      'A page of the dashboard, from request to form to effect',
    ]);
    for (const way of ways) {
      const stops = places.filter((place) => place.way === way);
      expect(stops.length).toBeGreaterThan(4);
      expect(stops.length).toBeLessThanOrEqual(10);
    }
  });

  it('names files that exist, also between the places', () => {
    const named = Array.from(
      TOUR.matchAll(/`([a-z-]+\/[a-z0-9/.-]+\.(?:tsx?|sql))`/g),
      ([, file]) => file!,
    );
    expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('is not taken for right when a place is gone', () => {
    expect(defines('use-cases/transfers/submit.ts', 'nothingOfTheKind')).toBe(false);
    expect(defines('api/no-such-file.ts', 'submitTransfer')).toBe(false);
    expect(defines('db/transfers/transfers.sql', 'post_transfer')).toBe(false);
  });
});
