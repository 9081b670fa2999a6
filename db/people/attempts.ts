// Counts of attempts that may not be made without end (docs/decisions/0055-signing-in.md).

import { execute, type Db, type Tx } from '../connect';

/** 0, or the seconds to wait: then nothing was counted. */
export async function takeFromWindow(
  db: Db | Tx,
  key: Buffer,
  max_count: number,
  window_seconds: number,
): Promise<number> {
  const text = 'select take_from_window($1, $2, $3) as wait';
  const statement = { name: 'take_from_window', text };
  const rows = await execute<{ wait: number }>(db, statement, [key, max_count, window_seconds]);
  return rows[0]!.wait;
}

/** Takes as takeFromWindow does; `address` is null for a browser that has a count of its own. */
export async function takeAttempt(
  db: Db,
  name: Buffer,
  address: Buffer | null,
  per_hour: number,
): Promise<number> {
  const text = 'select take_attempt($1, $2, $3) as wait';
  const statement = { name: 'take_attempt', text };
  return (await execute<{ wait: number }>(db, statement, [name, address, per_hour]))[0]!.wait;
}

/** The password was not looked at. */
export async function giveBackAttempt(db: Db, name: Buffer, address: Buffer | null): Promise<void> {
  const text = 'select give_back_attempt($1, $2)';
  await execute(db, { name: 'give_back_attempt', text }, [name, address]);
}

/** The attempt was right: neither it nor those before it count. */
export async function clearAttempts(
  db: Db,
  names: readonly Buffer[],
  address: Buffer | null,
): Promise<void> {
  const text = 'select clear_attempts($1, $2)';
  await execute(db, { name: 'clear_attempts', text }, [names, address]);
}
