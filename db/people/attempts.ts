// Counts of attempts that may not be made without end (docs/decisions/people.md).

import { calls } from '../connect';

/** 0, or the seconds to wait: then nothing was counted. */
export const takeFromWindow =
  calls<(key: Buffer, max_count: number, window_seconds: number) => number>('take_from_window');

/** Takes as takeFromWindow does; `address` is null for a browser that has a count of its own. */
export const takeAttempt =
  calls<(name: Buffer, address: Buffer | null, per_hour: number) => number>('take_attempt');

/** The password was not looked at. */
export const giveBackAttempt =
  calls<(name: Buffer, address: Buffer | null) => void>('give_back_attempt');

/** The attempt was right: neither it nor those before it count. */
export const clearAttempts =
  calls<(names: readonly Buffer[], address: Buffer | null) => void>('clear_attempts');
