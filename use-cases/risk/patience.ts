// The patience with a third party that operators have named: each of its silences costs its deadline, so after some in
// a row it is left alone for a while.

import type { Answer, Silence } from '../../gateway/question';
import type { RiskReason } from '../../domain/risk';

const SILENCES = 5;
const PAUSE_MS = 10_000;

/** Why nothing was heard. `paused`: it was not asked. */
export type Unheard = Silence | 'paused' | 'unknown_word';

export interface Patience {
  /** `read` returns undefined for what is no answer. Silences count for a setting: that of another `set_at` begins anew. */
  ask<Said extends object>(
    set_at: string,
    ask: () => Promise<Answer>,
    read: (json: unknown) => Said | undefined,
  ): Promise<Said | Unheard>;
}

export function createPatience(
  part: string,
  log: (entry: Readonly<Record<string, unknown>>) => void,
): Patience {
  let row = { set_at: '', silences: 0, paused_until: 0 };
  return {
    async ask(set_at, ask, read) {
      if (row.set_at !== set_at) row = { set_at, silences: 0, paused_until: 0 };
      const own = row;
      if (performance.now() < own.paused_until) return 'paused';
      const answer = await ask();
      const said = 'json' in answer ? (read(answer.json) ?? 'unknown_word') : answer.silence;
      own.silences = typeof said === 'string' ? own.silences + 1 : 0;
      if (own.silences >= SILENCES) {
        if (performance.now() >= own.paused_until) log({ part, error: said });
        own.paused_until = performance.now() + PAUSE_MS;
      }
      return said;
    },
  };
}

/** The reasons of an order about which nothing was heard. */
export const reasonsOfSilence = (
  on_silence: string | null,
  name: string,
  detail: Unheard,
): RiskReason[] =>
  on_silence === 'hold' ? [{ source: 'silence', name, detail, decision: 'hold' }] : [];
