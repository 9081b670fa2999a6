// HTML from template literals. Inserted text is escaped; inserted markup is not.

/** HTML that is inserted unescaped. A class of its own, so that no text can pass for it. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | Markup | readonly Markup[] | null;

export function markup(texts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(String.raw({ raw: texts }, ...values.map(render)));
}

function render(value: Value): string {
  if (value === null) return '';
  if (typeof value === 'string') return escapeText(value);
  return value instanceof Markup ? value.text : value.map(({ text }) => text).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Safe between tags and inside of quoted attributes. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
