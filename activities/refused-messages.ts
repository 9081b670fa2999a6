// Tells operators about messages to workflows that none of our processes has signed: somebody reaches
// Temporal who should not, or a process has other SECRETS_KEYS than the rest.

import { Context } from '@temporalio/activity';

export interface RefusalLog {
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

export type RefusedMessage =
  | {
      readonly message: 'transfers';
      readonly count: number;
      /** As the messages have them: they may be anything. */
      readonly references: readonly unknown[];
    }
  | { readonly message: 'cancel'; readonly intent_id: string };

/** One short line, whatever was sent. */
const MAX_SHOWN = 8;
const MAX_CHARACTERS = 32;

export function refuseMessage({ log }: RefusalLog, refused: RefusedMessage): void {
  const { workflowId: workflow_id, runId: run_id } = Context.current().info.workflowExecution!;
  const line = { part: 'workflow-messages', refused: 'signature', ...refused };
  log({
    ...line,
    ...('references' in refused ? { references: shown(refused.references) } : {}),
    ...{ workflow_id, run_id },
  });
}

function shown(references: readonly unknown[]): string[] {
  return references
    .slice(0, MAX_SHOWN)
    .map((one) => (typeof one === 'string' ? one.slice(0, MAX_CHARACTERS) : '(none)'));
}
