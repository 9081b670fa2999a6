// Tells operators about messages to workflows that this service has not sent: none of our processes
// has sealed them, or no row is as they say. A stranger reaches Temporal, or a process has other
// SECRETS_KEYS or another database than the rest.

import { asyncLocalStorage } from '@temporalio/activity';
import type { RowKind } from '../db/unknown-row';

export interface RefusalLog {
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

export type RefusedMessage =
  /** References as the messages have them: they may be anything. */
  | { readonly message: 'transfers' | 'reversal'; readonly references: readonly unknown[] }
  | { readonly message: 'cancel'; readonly intent_id: string }
  /** It names a row that there is not. */
  | {
      readonly message: RowKind | 'pursuit' | 'identity check' | 'mail';
      readonly references: readonly unknown[];
    };

/** One short line, whatever was sent. */
const MAX_SHOWN = 8;
const MAX_CHARACTERS = 36;

const SEALED: ReadonlySet<string> = new Set(['transfers', 'reversal', 'cancel']);

export function refuseMessage({ log }: RefusalLog, refused: RefusedMessage): void {
  const { workflowId: workflow_id, runId: run_id } =
    asyncLocalStorage.getStore()?.info.workflowExecution ?? {};
  log({
    part: 'workflow-messages',
    refused: SEALED.has(refused.message) ? 'seal' : 'unknown',
    ...refused,
    ...('references' in refused ? { references: shown(refused.references) } : {}),
    workflow_id,
    run_id,
  });
}

function shown(references: readonly unknown[]): string[] {
  return references
    .slice(0, MAX_SHOWN)
    .map((one) => (typeof one === 'string' ? one.slice(0, MAX_CHARACTERS) : '(none)'));
}
