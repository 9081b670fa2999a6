// Something long may end with its process. Temporal hears of it by the heartbeats that stop, in
// seconds, where the time that the work itself may take would be waited for otherwise.

import { asyncLocalStorage } from '@temporalio/activity';

const BEAT_MS = 1_000;

type Activities = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

/** Each of these beats while it works, where the workflow has asked for that. */
export function whileAlive<Given extends Activities>(activities: Given): Given {
  const beating = Object.entries(activities).map(([name, work]) => [
    name,
    async (...args: never[]) => {
      const context = asyncLocalStorage.getStore();
      if (context?.info.heartbeatTimeoutMs === undefined) return work(...args);
      const timer = setInterval(() => context.heartbeat(), BEAT_MS);
      try {
        return await work(...args);
      } finally {
        clearInterval(timer);
      }
    },
  ]);
  return Object.fromEntries(beating) as Given;
}
