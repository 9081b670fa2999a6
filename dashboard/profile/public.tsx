// The account as customers see it: name, contact and logo on the pay page, the receipt and the checkout.

import { findLogo, setLogo, setPublicProfile } from '../../db/accounts/public-profiles';
import type { UserRow } from '../../db/accounts/users';
import {
  MAX_CONTACT,
  MAX_DISPLAY_NAME,
  MAX_LOGO_BYTES,
  readContact,
  readDisplayName,
} from '../../domain/public-profile';
import { readLogo } from '../../use-cases/logos';
import {
  fileRoute,
  formRoute,
  pageRoute,
  seeOther,
  type Answer,
  type MemberVisit,
} from '../context';
import { Button, Field, Form } from '../forms';
import { href } from '../frame';
import { Details } from '../parts';
import { WORDS } from './words';

/** A picture of no more pixels a side fits as a PNG, whatever it shows. */
const SENT_SIDE = '240';

/** The most bytes of a logo and the rest of its form. */
const MAX_FORM_BYTES = MAX_LOGO_BYTES + 16 * 1_024;

export interface PublicProfileProps {
  readonly visit: MemberVisit;
  readonly user: UserRow;
  /** The name that customers see without a display name. */
  readonly usual_name: string;
  readonly has_logo: boolean;
  readonly may_write: boolean;
}

export function PublicProfile(props: PublicProfileProps) {
  const { visit, user, usual_name, has_logo, may_write } = props;
  const words = WORDS[visit.language];
  return (
    <section aria-labelledby="public">
      <h2 id="public">{words.public}</h2>
      <p class="lead">{words.public_lead}</p>
      {has_logo && <img class="logo" src={href('/profile/logo')} alt={words.logo} />}
      {may_write ? (
        <PublicForms {...props} />
      ) : (
        <Details
          rows={[
            [words.display_name, user.display_name ?? usual_name],
            [words.contact, user.contact ?? '–'],
          ]}
        />
      )}
    </section>
  );
}

function PublicForms({ visit, user, usual_name, has_logo }: PublicProfileProps) {
  const words = WORDS[visit.language];
  return (
    <>
      <Form action="/profile/public" class="card">
        <Field
          name="display_name"
          label={words.display_name}
          hint={words.display_name_hint(usual_name)}
          value={user.display_name ?? ''}
          maxLength={MAX_DISPLAY_NAME}
        />
        <Field
          name="contact"
          label={words.contact}
          hint={words.contact_hint}
          value={user.contact ?? ''}
          maxLength={MAX_CONTACT}
        />
        <Button>{words.save}</Button>
      </Form>
      <Form action="/profile/logo" class="card" enctype="multipart/form-data">
        <Field
          name="file"
          type="file"
          accept="image/*"
          data-side={SENT_SIDE}
          label={words.logo}
          hint={words.logo_hint}
          required
        />
        <Button>{words.send_logo}</Button>
      </Form>
      {has_logo && (
        <Form action="/profile/logo/remove">
          <Button look="plain">{words.remove_logo}</Button>
        </Form>
      )}
    </>
  );
}

export const PUBLIC_PROFILE_ROUTES = [
  pageRoute('/profile/logo', 'sales', async ({ db }, { account }) => {
    const logo = await findLogo(db, account.user_id);
    if (!logo) return undefined;
    return { kind: 'file', type: 'image/png', body: logo.image };
  }),
  formRoute('/profile/public', 'profile', 'profile.public', async ({ db }, visit) => {
    const { account, form, language } = visit;
    const words = WORDS[language];
    const typed = (name: string): string => (form.get(name) ?? '').trim();
    const display_name =
      typed('display_name') === '' ? null : readDisplayName(typed('display_name'));
    const contact = typed('contact') === '' ? null : readContact(typed('contact'));
    if (display_name === undefined || contact === undefined) {
      return backTo(words.wrong_public, 'bad');
    }
    await setPublicProfile(db, account.user_id, { display_name, contact });
    return backTo(words.saved);
  }),
  fileRoute(
    '/profile/logo',
    'profile',
    'profile.logo',
    async ({ db }, visit) => {
      const words = WORDS[visit.language];
      const { user_id } = visit.account;
      const read = await readLogo(user_id, visit.file ?? Buffer.alloc(0));
      if (!read.ok) return backTo(words.logo_faults[read.fault], 'bad');
      await setLogo(db, user_id, read.image);
      return backTo(words.saved);
    },
    MAX_FORM_BYTES,
  ),
  formRoute('/profile/logo/remove', 'profile', 'profile.remove_logo', async ({ db }, visit) => {
    await setLogo(db, visit.account.user_id, null);
    return backTo(WORDS[visit.language].saved);
  }),
];

function backTo(notice: string, tone: 'good' | 'bad' = 'good'): Answer {
  return seeOther('/profile', { flash: { notice, tone } });
}
