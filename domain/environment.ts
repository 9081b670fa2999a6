// The two worlds. Everything that belongs to one carries its name; nothing ever crosses.

export const ENVIRONMENTS = ['live', 'sandbox'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** The word inside a key: `<prefix>_live_…`, `<prefix>_test_…` (specification, section 5). */
export const KEY_MODES = { live: 'live', sandbox: 'test' } as const satisfies Record<
  Environment,
  string
>;

/** Accepts what people type for an environment: `live`, `sandbox`, or `test`. */
export function parseEnvironment(word: string): Environment | undefined {
  if (word === 'live') return 'live';
  return word === 'sandbox' || word === 'test' ? 'sandbox' : undefined;
}
