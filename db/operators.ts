// Operators as people, and what their pages show of everybody's accounts.

import { execute, type Db } from './connect';

/** Whether it changed anything; null when there is no such account. Needs the operators' role. */
export async function setOperator(
  db: Db,
  username: string,
  is_operator: boolean,
  actor: string,
): Promise<boolean | null> {
  const text = 'select set_operator($1, $2, $3) as changed';
  const values = [username, is_operator, actor];
  const rows = await execute<{ changed: boolean | null }>(
    db,
    { name: 'set_operator', text },
    values,
  );
  return rows[0]!.changed;
}
