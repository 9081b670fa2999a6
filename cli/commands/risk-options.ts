// Options of several commands of risk.

import { WATCHED, type Watched } from '../../domain/risk';
import { CommandError } from '../error';

/** Reads kinds of orders, by commas. */
export function readWatched(text: string): Watched[] {
  const kinds = text.split(',');
  const known = WATCHED.filter((kind) => kinds.includes(kind));
  if (known.length === kinds.length) return known;
  throw new CommandError('usage', '--on must be transfer, payout, payment or several, by commas');
}
