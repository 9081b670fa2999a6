// Counts of attempts that may not be made without end (docs/decisions/people.md).

import { callValue, type Db, type Tx } from '../connect';

/** 0, or the seconds to wait: then nothing was counted. */
export async function takeFromWindow(
  db: Db | Tx,
  key: Buffer,
  max_count: number,
  window_seconds: number,
): Promise<number> {
  return callValue(db, 'take_from_window', [key, max_count, window_seconds]);
}

/** Takes as takeFromWindow does; `address` is null for a browser that has a count of its own. */
export async function takeAttempt(
  db: Db,
  name: Buffer,
  address: Buffer | null,
  per_hour: number,
): Promise<number> {
  return callValue<number>(db, 'take_attempt', [name, address, per_hour]);
}

/** The password was not looked at. */
export async function giveBackAttempt(db: Db, name: Buffer, address: Buffer | null): Promise<void> {
  await callValue(db, 'give_back_attempt', [name, address]);
}

/** The attempt was right: neither it nor those before it count. */
export async function clearAttempts(
  db: Db,
  names: readonly Buffer[],
  address: Buffer | null,
): Promise<void> {
  await callValue(db, 'clear_attempts', [names, address]);
}
