/** The text's first characters, as Postgres can store them: no NUL, and no half of a pair of surrogates. */
export const storable = (text: string, most: number): string =>
  Buffer.from(text.slice(0, most)).toString().replaceAll('\0', '\ufffd');
