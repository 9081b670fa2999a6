// The dependencies of what compares names, taken from the running system.

import { ask } from '../gateway/question';
import { createSealer } from '../secrets/seal';
import { createPatience } from '../use-cases/risk/patience';
import type { AccountDependencies } from '../use-cases/screening/screen';
import type { CommandContext } from './context';

export const screeningOf = ({ db, system, note }: CommandContext): AccountDependencies => {
  const log: AccountDependencies['log'] = ({ error }) => note(String(error));
  return {
    db,
    askOverHttp: ask,
    patience: createPatience('risk-screening', log),
    sealer: system.secrets_keys.length === 0 ? undefined : createSealer(system.secrets_keys),
    log,
  };
};
