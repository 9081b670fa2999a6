// Settles money that a gateway gave back beyond the books, as an operator's command does it.

import { settleLossOf } from '../../use-cases/losses';
import type { TestDatabase } from './database';

export async function settleLoss(
  { operator }: Pick<TestDatabase, 'operator'>,
  reference: string,
): Promise<void> {
  const settled = await settleLossOf({ db: operator, actor: 'tests' }, reference, 'a test');
  if (!settled.ok) throw new Error(`the loss is not settled: ${settled.error}`);
}
