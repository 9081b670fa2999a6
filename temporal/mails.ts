// Starts the workflow that sends a mail, after the commit that wrote it.

import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { mailWorkflowId } from '../domain/ids';
import { WORKFLOW_TYPES } from '../workflows/messages';

/** Resolves when it runs, also when another call has started it. */
export type StartMail = (id: string) => Promise<void>;

export function createMailStarter(client: Client, task_queue: string): StartMail {
  return async (id) => {
    try {
      await client.workflow.start(WORKFLOW_TYPES.mail, {
        workflowId: mailWorkflowId(id),
        taskQueue: task_queue,
        args: [id],
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  };
}

/**
 * Starts the workflow of a mail that was just written. Does not wait: the answer to a form must
 * not say by its time whether a mail leaves. A start that fails is made up for by the sweeper.
 */
export type WakeMail = (id: string) => void;

export interface MailWakerOptions {
  /** Undefined when this installation sends no mails. */
  readonly startMail: StartMail | undefined;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

export function createMailWaker({ startMail, log }: MailWakerOptions): WakeMail {
  return (id) => {
    startMail?.(id).catch((error: unknown) =>
      log({ part: 'mails', mail: id, error: String(error) }),
    );
  };
}
