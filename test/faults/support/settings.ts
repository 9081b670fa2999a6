// A developer's choices for a run of the experiments.

/** FAULT_SEED: the same seed gives the same plan of faults and the same operations. */
export const FAULT_SEED = wholeNumber('FAULT_SEED', 1, 2 ** 31 - 1, 1);

/** FAULT_SECONDS: how long each experiment keeps its load and its faults going. */
export const FAULT_SECONDS = wholeNumber('FAULT_SECONDS', 2, 86_400, 8);

/** NEMESIS_SECONDS: how long everything happens at random. */
export const NEMESIS_SECONDS = wholeNumber('NEMESIS_SECONDS', 2, 86_400, 8 * FAULT_SECONDS);

/** SOAK_SECONDS: how long steady load goes on. */
export const SOAK_SECONDS = wholeNumber('SOAK_SECONDS', 2, 86_400, 4 * FAULT_SECONDS);

/** FAULT_SLOWNESS: the limits of waits are so many times those that are promised. */
export const FAULT_SLOWNESS = wholeNumber('FAULT_SLOWNESS', 1, 100, 1);

function wholeNumber(name: string, from: number, to: number, otherwise: number): number {
  const text = process.env[name];
  if (text === undefined || text === '') return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value) || value < from || value > to) {
    throw new Error(`${name} must be a whole number from ${from} to ${to}, not ${text}.`);
  }
  return value;
}
