// The account's data, what customers see of it, and the mails to the reader.

import type { KycStatus } from '../../domain/identity';
import { hasLogo } from '../../db/accounts/public-profiles';
import { findUser } from '../../db/accounts/users';
import { findMemberMails, setMemberMails } from '../../db/people/news';
import { mailsOf, mayDo } from '../../domain/members';
import { formatCountry } from '../../pages/formats';
import {
  formRoute,
  page,
  pageRoute,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { Button, Checkboxes, Form } from '../forms';
import { Details, Link, Tag } from '../parts';
import { IDENTITY_ROUTES, KYC_TONES } from './identity';
import { PUBLIC_PROFILE_ROUTES, PublicProfile } from './public';
import { WORDS } from './words';

export const PROFILE_ROUTES = [
  pageRoute('/profile', 'sales', profilePage),
  formRoute(
    '/profile/mails',
    'sales',
    'profile.mails',
    async ({ db }, { account, session, form, language }) => {
      const mails = mailsOf(account.role).filter((kind) => form.getAll('mails').includes(kind));
      await setMemberMails(db, session.login_id, account.user_id, mails);
      return seeOther('/profile', { flash: { notice: WORDS[language].saved_mails } });
    },
  ),
  ...PUBLIC_PROFILE_ROUTES,
  ...IDENTITY_ROUTES,
];

async function profilePage({ db }: DashboardDependencies, visit: MemberVisit): Promise<Answer> {
  const { user_id } = visit.account;
  const [found, has_logo, mails] = await Promise.all([
    findUser(db, user_id),
    hasLogo(db, user_id),
    findMemberMails(db, visit.session.login_id, user_id),
  ]);
  const { account, session, language } = visit;
  const words = WORDS[language];
  const status = account.kyc_status as KycStatus;
  const name = [account.first_name, account.last_name].filter(Boolean).join(' ');
  const mayWrite = mayDo(account.role, 'profile', session.environment);
  return page(
    words.profile,
    <>
      <Details
        rows={[
          [words.username, account.username],
          [words.name, name || '–'],
          [words.email, session.email],
          [words.country, formatCountry(language, account.country)],
          [words.role, words.roles[account.role]],
          [
            words.check,
            mayDo(account.role, 'read', session.environment) && (
              <>
                <Tag tone={KYC_TONES[status]}>{words.statuses[status]}</Tag>{' '}
                <Link to="/identity">{words.check}</Link>
              </>
            ),
          ],
        ]}
      />
      <PublicProfile
        visit={visit}
        user={found!}
        has_logo={has_logo}
        may_write={mayWrite}
        usual_name={name || account.username}
      />
      <h2 id="mails">{words.mails}</h2>
      <p class="lead">{words.mails_lead}</p>
      <Form action="/profile/mails" class="card">
        <Checkboxes
          name="mails"
          label={words.mails_of(account.username)}
          options={mailsOf(account.role).map((value) => ({
            value,
            label: words.mail_kinds[value],
          }))}
          checked={mails}
        />
        <Button>{words.save}</Button>
      </Form>
    </>,
  );
}
