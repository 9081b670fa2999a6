// Photos of the document, for an identity check that waits: one form for each side, so that a phone sends one at a time.

import { findLatestIdentityCheck } from '../../db/accounts/identity-checks';
import { PICTURE_SIDES, type PictureSide } from '../../db/accounts/identity-pictures';
import { MAX_PICTURE_BYTES, sendPicture } from '../../use-cases/identity-pictures';
import { fileRoute, seeOther } from '../context';
import { Button, Field, Form } from '../forms';
import { useFrame } from '../frame';
import { Tag } from '../parts';
import { WORDS } from './words';

export const PICTURE_ROUTES = PICTURE_SIDES.map((side) =>
  fileRoute(
    `/identity/${side}`,
    'profile',
    'profile.identity_picture',
    async ({ db, sealer }, visit) => {
      const { account, session, file, language } = visit;
      const check = await findLatestIdentityCheck(db, account.user_id);
      const owner = check && { check_id: check.id, login_id: session.login_id };
      const outcome = owner
        ? await sendPicture({ db, sealer }, owner, side, file ?? Buffer.alloc(0))
        : 'not_waiting';
      const notice = WORDS[language].picture_outcomes[outcome];
      const tone = outcome === 'kept' ? 'good' : 'bad';
      return seeOther('/identity', { flash: { notice, tone } });
    },
    MAX_PICTURE_BYTES + 16 * 1_024,
  ),
);

export function Pictures({ sides }: { readonly sides: readonly PictureSide[] }) {
  const words = WORDS[useFrame().language];
  return (
    <>
      <h3>{words.pictures}</h3>
      <p class="lead">{words.pictures_lead}</p>
      {PICTURE_SIDES.map((side) => (
        <Form action={`/identity/${side}`} class="card" enctype="multipart/form-data">
          {sides.includes(side) && (
            <p>
              <Tag tone="good">{words.picture_there}</Tag>
            </p>
          )}
          <Field
            name={side}
            type="file"
            accept="image/jpeg,image/png"
            label={words.sides[side]}
            hint={words.picture_hint}
            required
          />
          <Button {...(sides.includes(side) ? { look: 'plain' as const } : {})}>
            {sides.includes(side) ? words.replace_picture : words.send_picture}
          </Button>
        </Form>
      ))}
    </>
  );
}
