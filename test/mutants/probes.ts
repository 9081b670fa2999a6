// Which tests can notice that a condition is left out? Those in which it was once not true. A probe around each
// condition says so, by a sequence of its own, which keeps its value when a transaction is rolled back.

import type { Made } from './made';

/** The sequence that moves when the condition is not true, or else each time when a condition of its function is asked. */
export function probeOf({ where, number, to }: Made): string {
  return to === 'true' ? `slip ${number}` : where;
}

export function probed(source: string, slips: readonly Made[]): string {
  const conditions = slips.filter(({ to }) => to === 'true');
  const added = conditions.flatMap(({ where, number, start, end }) => [
    {
      at: start,
      text: `probe('probes."slip ${number}"', 'probes."${where}"', ${number}, `,
      rank: -end,
    },
    { at: end, text: ')', rank: 1 },
  ]);
  // From the last to the first; of two that begin in one place, the longer one is around the other.
  added.sort((a, b) => b.at - a.at || b.rank - a.rank);
  return added.reduce(
    (text, { at, text: more }) => text.slice(0, at) + more + text.slice(at),
    source,
  );
}

export function probeSchema(slips: readonly Made[]): string {
  const names = new Set(slips.flatMap((slip) => [probeOf(slip), slip.where]));
  return `create schema probes;
    grant usage on schema probes to public;
    ${[...names].map((name) => `create sequence probes."${name}"`).join(';\n')};
    create function probe(slip regclass, place regclass, number integer, condition boolean) returns boolean
      security definer language plpgsql as $$
    begin
      -- What only reads may not move a sequence; its session keeps a lock instead.
      if not current_setting('transaction_read_only')::boolean then
        perform nextval(place);
        if condition is not true then
          perform nextval(slip);
        end if;
      elsif condition is not true then
        perform pg_advisory_lock_shared(1000000, number);
      end if;
      return condition;
    end $$;
    grant execute on function probe to public;`;
}
