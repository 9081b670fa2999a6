import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EQUIVALENT } from './equivalent';
import { cutsOfFile, makeSlips } from './made';
import { OWNERS } from './owners';
import { probed, probeOf } from './probes';

const ROOT = join(__dirname, '..', '..');

const cut = (source: string, file: string): string[] =>
  cutsOfFile(source, file).map(({ start, end, to }) => `${source.slice(start, end)} -> ${to}`);

describe('the slips that are made from the sources', () => {
  it('leave out each conjunct of a condition in SQL, and each lock', () => {
    const sql = `create or replace function f(a integer) returns void language sql as $$
      select left(x.name, 3) from t x join u y on y.id = x.id and y.kind = 'a' -- and not this
        left join v z on z.id = x.id
       where x.a = 'it''s and' and x.b between 1 and 2 and not (x.c = 1 and x.d or x.e)
         and case when x.f and x.g then true end
         and exists (select from w where w.x = x.id or w.y)
       group by 1 having count(*) > 1 and true
       order by 1 for no key update;
      select from t for update of t skip locked;
      insert into t values (1) on conflict (id) where b do update set a = 2 where t.a = 1;
    $$;
    create or replace function f_json(a integer) returns json language sql as $$
      select row_to_json(t) from t where t.a = a
    $$;`;
    expect(cut(sql, 'f.sql')).toEqual([
      'y.id = x.id -> true',
      `y.kind = 'a' -> true`,
      'z.id = x.id -> true',
      `x.a = 'it''s and' -> true`,
      'x.b between 1 and 2 -> true',
      'not (x.c = 1 and x.d or x.e) -> true',
      'x.c = 1 -> true',
      'x.d -> true',
      'case when x.f and x.g then true end -> true',
      'exists (select from w where w.x = x.id or w.y) -> true',
      'x.f -> true',
      'x.g -> true',
      'w.x = x.id or w.y -> true',
      'count(*) > 1 -> true',
      'for no key update -> ',
      'for update of t skip locked -> ',
      't.a = 1 -> true',
    ]);
  });

  it('are probed one within another', () => {
    const file = 'db/f.sql';
    const sql = `create or replace function f(a integer) returns void language sql as $$
      select from t where not (x = 1 and y) and z for update;
    $$;`;
    const slips = cutsOfFile(sql, file).map((slip, number) => ({ ...slip, id: '', file, number }));
    const probe = (n: number): string => `probe('probes."slip ${n}"', 'probes."f"', ${n}, `;
    const [whole, x, y, z] = [probe(0), probe(1), probe(2), probe(3)];
    expect(probed(sql, slips)).toContain(
      `where ${whole}not (${x}x = 1) and ${y}y))) and ${z}z) for update;`,
    );
    expect(slips.map((slip) => probeOf(slip)).at(-1)).toBe('f');
  });

  it('leave out each guard of an activity', () => {
    const source = `// Ça.
      async function ask(a: A): Promise<void> {
        if (isLate()) return;
        if (a.x || !a.y) throw new Error('é');
        if (a.z) note(a);
        const again = mayAsk(a) && (await begin(a));
        await send(again);
      }`;
    expect(cut(source, 'activities/a.ts')).toEqual([
      'isLate() -> false',
      'a.x -> false',
      '!a.y -> false',
      'mayAsk(a) -> true',
      '(await begin(a)) -> true',
    ]);
  });

  it('leave out each field of a fingerprint', () => {
    const source = `const row = keyedRow('payout', order, { currency, amount: String(1), ...(b && { b }), });
      const other = { currency };
      export function fingerprinted({ a }: A) { const b = { a }; return { a, b, }; }`;
    expect(cut(source, 'use-cases/a.ts')).toEqual([
      'currency, -> ',
      'amount: String(1), -> ',
      '...(b && { b }), -> ',
      'a, -> ',
      'b, -> ',
    ]);
  });

  it('are made in every file of SQL that posts, and have tests', () => {
    const grep = ['grep', '-lE', 'post_entries\\(|lock_accounts\\(', 'db/*.sql', ':!db/migrations'];
    const posting = execFileSync('git', grep, { cwd: ROOT, encoding: 'utf8' });
    const owned = OWNERS.flatMap(({ files }) => files);
    const files = posting.trim().split('\n');
    expect(files.filter((file) => !owned.includes(file))).toEqual([]);
    const named = OWNERS.flatMap(({ files: own, tests }) => [...own, ...tests]);
    expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    const made = new Set(makeSlips().map(({ file }) => file));
    expect(owned.filter((file) => !made.has(file))).toEqual([]);
  });

  it('are still made where they are called equivalent', () => {
    const made = new Set(makeSlips().map(({ id }) => id));
    expect([...EQUIVALENT.keys()].filter((id) => !made.has(id))).toEqual([]);
  });
});
