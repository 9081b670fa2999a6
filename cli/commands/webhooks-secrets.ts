// The secrets of webhook endpoints: rotated, and encrypted with a new key.

import { Option } from '@commander-js/extra-typings';
import {
  DEFAULT_OVERLAP_SECONDS,
  MAX_OVERLAP_SECONDS,
  rotateSecret,
} from '../../use-cases/webhook-endpoints';
import type { Db } from '../../db/connect';
import {
  findSealedSecrets,
  listSealedSecrets,
  resealWebhookSecret,
  type SealedSecrets,
} from '../../db/webhooks/webhook-secrets';
import type { Sealer } from '../../secrets/seal';
import { NIL_UUID } from '../../domain/ids';
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

const PAGE = 500;

export const webhooksReseal = command(
  'reseal',
  'Encrypt all webhook secrets with the first of SECRETS_KEYS',
).action(
  run(async (context) => {
    const { db } = context;
    const sealer = sealerOf(context);
    const counts = { resealed: 0, already: 0, unreadable: 0 };
    let after = NIL_UUID;
    for (;;) {
      const page = await listSealedSecrets(db, after, PAGE);
      for (const row of page) counts[await reseal(db, sealer, row)] += 1;
      if (page.length < PAGE) break;
      after = page.at(-1)!.id;
    }
    const { resealed, already, unreadable } = counts;
    if (resealed > 0) {
      // The row follows the changes, which are made one by one; a call that breaks off is repeated
      // as a whole.
      await addAuditRowOf(context, 'webhooks.reseal', 'webhook_secrets', { resealed });
    }
    return {
      json: counts,
      text:
        `Encrypted with the first key: ${resealed}. Already so: ${already}.` +
        (unreadable === 0
          ? ' No webhook secret needs the other keys; what identity checks submitted may: kyc reseal.'
          : ` No key decrypts: ${unreadable}. Add the missing key, or replace those secrets with webhooks rotate-secret.`),
      exit_status: unreadable === 0 ? 0 : 1,
    };
  }),
);

async function reseal(
  db: Db,
  sealer: Sealer,
  row: SealedSecrets,
): Promise<'resealed' | 'already' | 'unreadable'> {
  const { id, sealed_secret, sealed_previous } = row;
  const sealed = [sealed_secret, ...(sealed_previous === null ? [] : [sealed_previous])];
  if (sealed.every((one) => sealer.isCurrent(one))) return 'already';
  const [secret, previous = null] = sealed.map((one) => sealAgain(sealer, one, id));
  if (!secret || (sealed_previous !== null && !previous)) return 'unreadable';
  if (await resealWebhookSecret(db, row, { sealed_secret: secret, sealed_previous: previous })) {
    return 'resealed';
  }
  // It was just deleted, or rotated by a process whose first key may be another one.
  const now = await findSealedSecrets(db, id);
  return now ? reseal(db, sealer, now) : 'already';
}

function sealAgain(sealer: Sealer, sealed: Buffer, id: string): Buffer | undefined {
  try {
    return sealer.seal(sealer.open(sealed, id), id);
  } catch {
    // No key decrypts it. The result counts these.
    return undefined;
  }
}
