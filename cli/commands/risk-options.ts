// Options of several commands of risk.

import { WATCHED, type Watched } from '../../domain/risk';
import { parseUrl } from '../../domain/url';
import { checkWebhookUrl } from '../../webhooks/url';
import type { CommandContext } from '../context';
import { CommandError } from '../error';
import { count, wordOption } from '../options';
import { policyOf } from '../webhook-dependencies';

export const readDeadline = count('deadline-ms', 5_000, 50);
export const onSilence = wordOption('--on-silence <policy>', 'when there is no answer in time', [
  'allow',
  'hold',
] as const);

/** Reads kinds of orders, by commas. */
export function readWatched(text: string): Watched[] {
  const kinds = text.split(',');
  const known = WATCHED.filter((kind) => kinds.includes(kind));
  if (known.length === kinds.length) return known;
  throw new CommandError('usage', '--on must be transfer, payout, payment or several, by commas');
}

/** An address of an inner network may be named here: operators do, and no merchant. */
export function readUrl(context: CommandContext, text: string): string {
  const url = parseUrl(text);
  const is_https = url?.protocol === 'https:' && url.username === '' && url.hash === '';
  const is_here = url?.protocol === 'http:' && url.hostname === '127.0.0.1';
  if (url && (is_https || (is_here && checkWebhookUrl(text, policyOf(context)).ok))) {
    return url.href;
  }
  throw new CommandError(
    'usage',
    '--url must begin with https://, or with http://127.0.0.1 where webhooks may go there, and have no user',
  );
}
