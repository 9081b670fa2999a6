// `ledger verify`: checks the ledger's invariants.

import { verifyLedger } from '../db/verify';
import type { Command } from './command';
import { table } from './table';

export const ledgerVerify: Command = {
  usage: 'ledger verify',
  summary: 'Check that the ledger balances; if not, list the references and exit with status 1',
  async run({ db }) {
    const violations = await verifyLedger(db);
    const rows = violations.map((v) => [v.invariant, v.what, v.reference]);
    return {
      json: { ok: violations.length === 0, violations: violations.map((v) => ({ ...v })) },
      text:
        violations.length === 0
          ? 'No violation of the invariants I1, I2, I3, I5, I6, I7 and I14.'
          : table(rows),
      exit_status: violations.length === 0 ? 0 : 1,
    };
  },
};
