// Has the workflow of a refund or payout look at it now, for a command that has ordered or ended it.

import type { Client } from '@temporalio/client';
import { findPursued } from '../db/pursuits';
import type { Pursue } from '../temporal/pursuits';
import type { CommandContext } from './context';
import { withTemporal } from './temporal';

const WAKE_WITHIN_MS = 5_000;

/** Without Temporal the command is done all the same: the sweeper starts the workflow, or it asks by itself. */
export function pursueFrom(context: CommandContext): Pursue {
  return async (kind, ids) => {
    try {
      await withTemporal(context, async (client) => (await pursuerOf(context, client))(kind, ids));
    } catch (error) {
      context.note(
        `The ${kind} is on record; its workflow goes on when Temporal is back: ${String(error)}`,
      );
    }
  };
}

/** @throws when Temporal does not answer in time */
export async function pursuerOf({ db, config }: CommandContext, client: Client): Promise<Pursue> {
  const { createPursuer } = await import('../temporal/pursuits.js');
  const { task_queue } = config;
  const pursue = createPursuer({
    client,
    task_queue,
    findPursued: (kind, ids) => findPursued(db, kind, ids),
  });
  return (kind, ids) =>
    client.connection.withDeadline(Date.now() + WAKE_WITHIN_MS, () => pursue(kind, ids));
}
