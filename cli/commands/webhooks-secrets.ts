// The secrets of webhook endpoints: rotated, and encrypted with a new key.

import { Option } from '@commander-js/extra-typings';
import {
  DEFAULT_OVERLAP_SECONDS,
  MAX_OVERLAP_SECONDS,
  rotateSecret,
} from '../../use-cases/webhook-endpoints';
import { resealAll } from '../../use-cases/sealed';
import { addAuditRowOf, auditOf, ownerOf } from '../audit-entry';
import { command, run } from '../command';
import { requireEndpoint } from '../lookups';
import { count } from '../options';
import { sealerOf } from '../webhook-dependencies';
import { refusal } from '../webhook-refusals';

export const webhooksRotateSecret = command(
  'rotate-secret',
  'Create a new secret and show it, once; the old one also signs for a day, or for the overlap',
)
  .argument('<id>', 'of the endpoint')
  .addOption(
    new Option('--overlap-seconds <seconds>', 'how long the old secret signs too')
      .argParser(count('overlap-seconds', MAX_OVERLAP_SECONDS, 0))
      .default(DEFAULT_OVERLAP_SECONDS),
  )
  .action(
    run(async (context, endpoint_id, options) => {
      const { db } = context;
      const sealer = sealerOf(context);
      const endpoint = await requireEndpoint(db, endpoint_id);
      const audit = auditOf(context, 'webhooks.rotate-secret', ownerOf(endpoint));
      const rotated = await rotateSecret(
        { db, sealer, audit },
        endpoint,
        endpoint.id,
        options.overlapSeconds,
      );
      if (!rotated.ok) throw refusal(rotated, endpoint.id);
      const { id, secret, previous_secret_until } = rotated;
      const until =
        previous_secret_until === null
          ? 'The old one no longer signs.'
          : `The old one also signs until ${previous_secret_until}.`;
      return {
        json: { id, secret, previous_secret_until },
        text: `${secret}\nShown once. ${until}`,
      };
    }),
  );

export const webhooksReseal = command(
  'reseal',
  'Encrypt webhook secrets and all others with the first of SECRETS_KEYS, but for identity data',
).action(
  run(async (context) => {
    const counts = await resealAll(context.db, sealerOf(context));
    const { resealed, already, unreadable } = counts;
    if (resealed > 0) {
      // The row follows the changes, which are made one by one; a call that breaks off is repeated
      // as a whole.
      await addAuditRowOf(context, 'webhooks.reseal', 'secrets', { resealed });
    }
    return {
      json: { ...counts },
      text:
        `Encrypted with the first key: ${resealed}. Already so: ${already}.` +
        (unreadable === 0
          ? ' Nothing else needs the other keys but what identity checks submitted: kyc reseal.'
          : ` No key decrypts: ${unreadable}. Add the missing key, or replace what it sealed: webhooks rotate-secret, risk provider.`),
      exit_status: unreadable === 0 ? 0 : 1,
    };
  }),
);
