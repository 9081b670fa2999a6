// Commands seal their messages to workflows as the service does.

import { createWorkflowMessages, type WorkflowMessages } from '../secrets/workflow-messages';
import type { CommandContext } from './context';
import { CommandError } from './error';

/** @throws CommandError when no key is known */
export function workflowMessagesOf({ system }: Pick<CommandContext, 'system'>): WorkflowMessages {
  if (system.secrets_keys.length === 0) {
    throw new CommandError(
      'secrets_keys_missing',
      'Workflows do only what is sealed: set SECRETS_KEYS to the same value as the service',
    );
  }
  return createWorkflowMessages(system.secrets_keys);
}
