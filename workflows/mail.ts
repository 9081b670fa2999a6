// Sends one mail, at growing intervals until it is sent or given up. The mail is a row of the
// database; the history knows its id only.

import { proxyActivities, sleep } from '@temporalio/workflow';
import type { MailActivities } from '../activities/mails';
import { LONG_ACTIVITY } from './options';

const { sendQueuedMail } = proxyActivities<MailActivities>({
  ...LONG_ACTIVITY,
  // Longer than all waits of one SMTP conversation together.
  startToCloseTimeout: '2m',
});

const FIRST_PAUSE_MS = 2_000;
/** A try an hour, for the three days after which the activity gives the mail up. */
const LONGEST_PAUSE_MS = 3_600_000;

export async function mail(id: string): Promise<void> {
  let pause_ms = FIRST_PAUSE_MS;
  while ((await sendQueuedMail(id)) === 'waits') {
    await sleep(pause_ms);
    pause_ms = Math.min(pause_ms * 2, LONGEST_PAUSE_MS);
  }
}
