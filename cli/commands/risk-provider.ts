// The provider that is asked about the risk of orders.

import { findProvider, SECRET_CONTEXT, type RiskProvider } from '../../db/risk/provider';
import type { JsonValue } from '../../domain/json';
import { command, run } from '../command';
import type { CommandContext } from '../context';
import { CommandError } from '../error';
import { environmentFilter } from '../options';
import { readSecretInput, secretFromStdin, secretInPlain } from '../secret-input';
import { change } from '../settings';
import { sealerOf } from '../webhook-dependencies';
import { onSilence, readDeadline, readUrl, readWatched } from './risk-options';

const NEEDED = ['url', 'on', 'deadlineMs', 'onSilence'] as const;

export const riskProvider = command(
  'provider',
  'Set the provider that is asked about orders before they are posted; without options it is shown',
)
  .option('--url <url>', 'https://…, which is asked by POST')
  .option('--on <kinds>', 'about transfer,payout,payment', readWatched)
  .option('--deadline-ms <ms>', 'from 50 to 5000', readDeadline)
  .addOption(onSilence)
  .addOption(environmentFilter)
  .addOption(secretFromStdin('secret', 'what signs the questions; without it the former one does'))
  .addOption(secretInPlain('secret'))
  .option('--off', 'none is asked any more')
  .action(
    run(async (context, options) => {
      const { db } = context;
      const { url, on, deadlineMs, onSilence: on_silence, environment, off } = options;
      const given = NEEDED.filter((name) => options[name] !== undefined);
      const has_more =
        (environment ?? options.secret) !== undefined || options.secretStdin === true;
      if (given.length === 0 && !has_more && off !== true) return shown(await findProvider(db));
      if (off === true ? given.length > 0 || has_more : given.length < NEEDED.length) {
        throw new CommandError(
          'usage',
          'Give --url, --on, --deadline-ms and --on-silence, or --off alone',
        );
      }
      const arguments_ = off
        ? {}
        : {
            url: readUrl(context, url!),
            watches: on!,
            deadline_ms: deadlineMs!,
            on_silence: on_silence!,
            environment: environment ?? null,
            sealed_secret: await sealSecret(context, {
              from_stdin: options.secretStdin,
              in_plain: options.secret,
            }),
          };
      const request = { action: 'risk.provider', arguments: arguments_, reason: '' } as const;
      const { changed } = await change(context, request, {});
      return shown(await findProvider(db), { changed });
    }),
  );

/** The text of its bytes; the one that is there when it is the same secret, null when none was given. */
async function sealSecret(
  context: CommandContext,
  input: Parameters<typeof readSecretInput>[2],
): Promise<string | null> {
  const secret = await readSecretInput(context, 'secret', input);
  if (secret === undefined) return null;
  const sealer = sealerOf(context);
  const sealed = (await findProvider(context.db))?.sealed_secret ?? null;
  const is_same = sealed !== null && openedBy(sealer, sealed) === secret;
  return `\\x${(is_same ? sealed : sealer.seal(secret, SECRET_CONTEXT)).toString('hex')}`;
}

function openedBy(sealer: ReturnType<typeof sealerOf>, sealed: Buffer): string | undefined {
  try {
    return sealer.open(sealed, SECRET_CONTEXT);
  } catch {
    // Its key is gone.
    return undefined;
  }
}

function shown(provider: RiskProvider | undefined, more: Record<string, JsonValue> = {}) {
  if (!provider) return { json: { provider: null, ...more }, text: 'No provider is asked.' };
  const { url, watches, deadline_ms, on_silence, environment, sealed_secret } = provider;
  const where = environment === null ? '' : ` (${environment})`;
  const signed = sealed_secret === null ? 'not signed' : 'signed';
  return {
    json: { provider: { url, on: watches, deadline_ms, on_silence, environment }, ...more },
    text: `${url} is asked about ${watches.join(', ')}${where}, for ${deadline_ms} ms at most, ${signed}; its silence is ${on_silence}.`,
  };
}
