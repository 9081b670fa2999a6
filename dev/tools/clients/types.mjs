// Shared by the languages: how a type of the model (model.mjs) is written in one's words, and how lines are filled.

/**
 * `words` has a word for each kind: a text, or a function of the texts within and of the type. `or` stands between
 * choices. Where a response is read (`isOpen`), a value that there may be tomorrow passes: `open` says how.
 */
export function typeWriter({ words, or, open }) {
  const write = (type, context) => {
    const text = plain(type, context);
    return type.nullable ? `${text}${or}${words.null}` : text;
  };
  const plain = (type, context) => {
    const { kind } = type;
    const opened = (text) => (context.isOpen ? open(text) : text);
    switch (kind) {
      case 'const':
        return type.value === null ? words.null : words.const(type.value);
      case 'enum':
        return opened(words.enum(type.values));
      case 'ref': {
        const named = context.models.find(({ name }) => name === type.name)?.type;
        return named?.kind === 'enum' ? opened(type.name) : type.name;
      }
      case 'array':
        return words.array(write(type.items, context));
      case 'map':
        return words.map(write(type.values, context));
      case 'union':
        return type.of.map((choice) => write(choice, context)).join(or);
      default: {
        const word = words[kind];
        if (word === undefined) throw new Error(`There is no word for ${JSON.stringify(type)}.`);
        return typeof word === 'function' ? word(context) : word;
      }
    }
  };
  return write;
}

/** The queries that have a type of their own. */
export function queriesOf({ resources }) {
  return resources
    .flatMap(({ methods }) => methods)
    .filter(({ query, accept }) => query.length > 0 && !accept);
}

export function byName(one, other) {
  return one.localeCompare(other, 'en');
}

/** Lines that are not too long; none of an empty text. */
export function wrap(text) {
  const lines = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (lines.length === 0 || `${lines.at(-1)} ${word}`.length > 90) lines.push(word);
    else lines[lines.length - 1] += ` ${word}`;
  }
  return lines;
}
