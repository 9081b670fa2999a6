// The items of a list in a JSON text, each as its own bytes: parsed and rendered again, 5000.00 would be another
// number, and a signature over it another signature.

/** The texts of the objects in the list of this name. */
export function rawItems(json: string, name: string): string[] {
  const begin = json.indexOf(`"${name}":[`);
  if (begin < 0) return [];
  const items: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = begin + name.length + 4; at < json.length; at += 1) {
    const character = json[at]!;
    if (character === '"') at = endOfText(json, at);
    else if (character === '{') {
      if (depth === 0) from = at;
      depth += 1;
    } else if (character === '}') {
      depth -= 1;
      if (depth === 0) items.push(json.slice(from, at + 1));
    } else if (character === ']' && depth === 0) break;
  }
  return items;
}

function endOfText(json: string, begin: number): number {
  let at = begin + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}
