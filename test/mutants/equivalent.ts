// Slips of made.ts that no test can notice, each with its reason: another rule holds what it drops. made.test.ts says when
// one is no longer made.

export const EQUIVALENT: ReadonlyMap<string, string> = new Map([]);
