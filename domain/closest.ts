// The name that was probably meant, for "did you mean".

/** Two slips of the hand; of a short name one, because two make any other of it. */
const slipsIn = (name: string): number => (name.length < 5 ? 1 : 2);

/** The known name that the given one begins, or that is a slip or two away; undefined when none is. */
export function closestName(given: string, known: readonly string[]): string | undefined {
  const name = given.toLowerCase().slice(0, 64);
  const begun = known.find((one) => name.length >= 3 && one.startsWith(name));
  if (begun !== undefined) return begun;
  const [best] = known
    .map((one) => ({ one, slips: distance(name, one) }))
    .sort((a, b) => a.slips - b.slips);
  return best && best.slips <= slipsIn(name) ? best.one : undefined;
}

/** Levenshtein's: how many characters are put in, left out or changed. */
export function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [at, character] of Array.from(from).entries()) {
    const next = [at + 1];
    for (let to_at = 0; to_at < to.length; to_at += 1) {
      const changed = row[to_at]! + (to[to_at] === character ? 0 : 1);
      next.push(Math.min(changed, row[to_at + 1]! + 1, next[to_at]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
