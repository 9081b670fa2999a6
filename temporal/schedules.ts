// Schedules that every process asks for, and one of them creates.

import { ScheduleAlreadyRunning, type Client, type ScheduleOptions } from '@temporalio/client';

/** Leaves one of this ID as it is. */
export async function createMissingSchedule(
  client: Client,
  options: ScheduleOptions,
): Promise<void> {
  try {
    await client.schedule.create(options);
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}
