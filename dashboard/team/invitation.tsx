// The page behind an invitation's link. A person who is signed in accepts it; a new person chooses
// a password; any other signs in first.

import { beginActivity, endActivity } from '../../db/people/activities';
import { showInSession } from '../../db/people/sessions';
import { findInvitation, type OpenInvitation } from '../../db/people/team';
import { type PasswordFault } from '../../domain/password';
import { hashSessionToken, isSessionToken } from '../../secrets/session-token';
import { acceptAs, joinAsNew } from '../../use-cases/team';
import { browserOf, writingOf } from '../browser';
import {
  formRoute,
  page,
  pageRoute,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type Visit,
} from '../context';
import { setCookie } from '../cookies';
import { keepFlash } from '../flash';
import { Button, Form } from '../forms';
import { Link } from '../parts';
import { DeadLink } from '../sign-in/email';
import { WORDS as SIGN_IN_WORDS } from '../sign-in/words';
import { WORDS as COMMON } from '../words';
import { NewPasswordField } from '../security/fields';
import { WORDS } from './words';

/** Returns the session when it has every factor that is set up. */
function signedIn({ session }: Visit) {
  return session?.second_factor === 'awaited' ? undefined : session;
}

async function findOpen(
  { db }: DashboardDependencies,
  token: string,
): Promise<OpenInvitation | undefined> {
  return isSessionToken(token) ? findInvitation(db, hashSessionToken(token)) : undefined;
}

export const INVITATION_ROUTES = [
  pageRoute('/invitation', 'anyone', async (dependencies, visit) => {
    const token = visit.query.get('token') ?? '';
    const invitation = await findOpen(dependencies, token);
    return invitation ? invitationPage(visit, invitation, token) : deadPage(visit, 404);
  }),
  formRoute('/invitation', 'anyone', null, async (dependencies, visit) => {
    const token = visit.form.get('token') ?? '';
    const invitation = await findOpen(dependencies, token);
    if (!invitation) return deadPage(visit, 422);
    return signedIn(visit)
      ? accept(dependencies, visit, invitation, token)
      : join(dependencies, visit, invitation, token);
  }),
];

function deadPage({ language }: Visit, status: number): Answer {
  return page(WORDS[language].invitation_title, <DeadLink />, status);
}

function invitationPage(
  visit: Visit,
  invitation: OpenInvitation,
  token: string,
  fault?: PasswordFault,
): Answer {
  const { language } = visit;
  const words = WORDS[language];
  return page(
    words.invitation(invitation.username),
    <div class="card">
      <p>
        {words.as(words.roles[invitation.role])} {words.role_texts[invitation.role]}
      </p>
      <p>{words.for_address(invitation.email)}</p>
      <NextStep visit={visit} invitation={invitation} token={token} />
    </div>,
    fault ? { password: SIGN_IN_WORDS[language].faults[fault] } : 200,
  );
}

function NextStep({
  visit,
  invitation,
  token,
}: {
  readonly visit: Visit;
  readonly invitation: OpenInvitation;
  readonly token: string;
}) {
  const words = WORDS[visit.language];
  const session = signedIn(visit);
  if (session && invitation.role === 'owner' && !session.is_email_verified) {
    return (
      <>
        <p>{words.confirm_first}</p>
        <p>
          <Link to="/security">{COMMON[visit.language].security}</Link>
        </p>
      </>
    );
  }
  if (session) {
    return (
      <Form action="/invitation">
        <p>{words.accept_as(session.email)}</p>
        <input type="hidden" name="token" value={token} />
        <Button>{words.accept}</Button>
      </Form>
    );
  }
  if (invitation.has_login) {
    const next = new URLSearchParams({ next: `/invitation?token=${token}` });
    return (
      <>
        <p>{words.sign_in_first}</p>
        <p>
          <Link to={`/sign-in?${next}`} class="button">
            {words.sign_in}
          </Link>
        </p>
      </>
    );
  }
  return (
    <Form action="/invitation">
      <p>{words.choose_password}</p>
      <input type="hidden" name="token" value={token} />
      <NewPasswordField
        label={words.password}
        hint={SIGN_IN_WORDS[visit.language].new_password_hint}
      />
      <Button>{words.join}</Button>
    </Form>
  );
}

async function accept(
  dependencies: DashboardDependencies,
  visit: Visit,
  invitation: OpenInvitation,
  token: string,
): Promise<Answer> {
  const { db } = dependencies;
  const session = signedIn(visit)!;
  const { login_id } = session;
  const { user_id, username } = invitation;
  // The row is in the log of the account that is joined, not of the one that the page shows.
  const activity = await beginActivity(db, {
    login_id,
    user_id,
    environment: 'sandbox',
    action: 'team.accept',
    ip: visit.ctx.state.ip,
  });
  const joined = await acceptAs(writingOf(dependencies), { token, invitation }, session);
  await endActivity(db, activity, joined === null ? 'refused' : 'done', session.email);
  if (joined === null) return deadPage(visit, 422);
  await showInSession(db, session.id, joined, 'sandbox');
  return seeOther('/', { flash: { notice: WORDS[visit.language].joined(username) } });
}

async function join(
  dependencies: DashboardDependencies,
  visit: Visit,
  invitation: OpenInvitation,
  token: string,
): Promise<Answer> {
  const { ctx, form, language } = visit;
  const { devices } = dependencies;
  const joined = await joinAsNew(
    { ...writingOf(dependencies), devices },
    {
      token,
      password: form.get('password') ?? '',
      language,
      browser: browserOf(visit),
    },
  );
  if (!joined.ok) {
    const { error } = joined;
    if (error === 'unknown_token') return deadPage(visit, 422);
    return error === 'has_login'
      ? invitationPage(visit, { ...invitation, has_login: true }, token)
      : invitationPage(visit, invitation, token, error);
  }
  const { begun, user_id } = joined;
  setCookie(ctx, 'session', begun.token);
  if (begun.device !== undefined) setCookie(ctx, 'device', begun.device);
  // The person exists only now: the membership itself is the earlier record.
  const { id: login_id, email } = begun.login;
  const activity = await beginActivity(dependencies.db, {
    login_id,
    user_id,
    environment: 'sandbox',
    action: 'team.accept',
    ip: ctx.state.ip,
  });
  await endActivity(dependencies.db, activity, 'done', email);
  const notice = WORDS[language].joined(invitation.username);
  await keepFlash(dependencies, begun.session_id, { notice });
  return seeOther('/');
}
