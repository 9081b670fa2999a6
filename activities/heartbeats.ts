// Heartbeats of long activities: Temporal notices a dead worker within seconds, and not only after
// the longest time that the activity may take (startToCloseTimeout).

import { asyncLocalStorage } from '@temporalio/activity';

const HEARTBEAT_MS = 1_000;

type Activities = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

/**
 * An activity sends heartbeats while it runs, if the workflow has set a heartbeatTimeout for it.
 */
export function withHeartbeats<Given extends Activities>(activities: Given): Given {
  const wrapped = Object.entries(activities).map(([name, activity]) => [
    name,
    async (...args: never[]) => {
      const context = asyncLocalStorage.getStore();
      if (context?.info.heartbeatTimeoutMs === undefined) return activity(...args);
      const timer = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
      try {
        return await activity(...args);
      } finally {
        clearInterval(timer);
      }
    },
  ]);
  return Object.fromEntries(wrapped) as Given;
}
