// The dependencies of what compares names, taken from the running system.

import { ask } from '../gateway/question';
import { createSealer } from '../secrets/seal';
import type { AccountDependencies } from '../use-cases/screening/screen';
import type { CommandContext } from './context';

export const screeningOf = ({ db, system, note }: CommandContext): AccountDependencies => ({
  db,
  askOverHttp: ask,
  sealer: system.secrets_keys.length === 0 ? undefined : createSealer(system.secrets_keys),
  log: ({ error }) => note(String(error)),
});
