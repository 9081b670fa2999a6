// Confirming an e-mail address, which signs in. The link only opens a page: programs that look at
// mails open links, and press no buttons. In a browser that has neither signed up nor signed in, the
// password is asked: who signed up may be another person than who reads the mail
// (docs/decisions/people.md).

import { endSession } from '../../db/people/sessions';
import type { LoginRow } from '../../db/people/logins';
import { MAX_PASSWORD } from '../../domain/password';
import { confirmAddress, findConfirmed, isOwnBrowser } from '../../use-cases/registration';
import { browserOf, waitPage } from '../browser';
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
import { Button, Field, Form } from '../forms';
import { Link, Notice } from '../parts';
import { useFrame } from '../frame';
import { WORDS } from './words';

export const EMAIL_ROUTES = [
  pageRoute('/email/confirm', 'anyone', async (dependencies, visit) => {
    const token = visit.query.get('token') ?? '';
    const login = await findConfirmed(dependencies.db, token);
    return login ? confirmPage(dependencies, visit, { login, token }) : deadPage(visit, 404);
  }),
  formRoute('/email/confirm', 'anyone', null, async (dependencies, visit) => {
    const { ctx, language, form, session } = visit;
    const words = WORDS[language];
    const token = form.get('token') ?? '';
    const password = form.get('password') ?? '';
    const confirmed = await confirmAddress(dependencies, { ...askingOf(visit), token, password });
    if (!confirmed.ok) {
      if (confirmed.error === 'wait') return waitPage(visit, confirmed.seconds);
      const login = await findConfirmed(dependencies.db, token);
      if (confirmed.error === 'unknown_token' || !login) return deadPage(visit, 422);
      return confirmPage(dependencies, visit, { login, token, fault: words.wrong_password });
    }
    const { begun } = confirmed;
    const flash = { notice: words.confirmed };
    if (!begun) return session ? seeOther('/', { flash }) : seeOther('/sign-in?confirmed=1');
    if (session) await endSession(dependencies.db, session.login_id, session.id);
    setCookie(ctx, 'session', begun.token);
    if (begun.device !== undefined) setCookie(ctx, 'device', begun.device);
    if (begun.awaits_code) return seeOther('/sign-in/code');
    await keepFlash(dependencies, begun.session_id, flash);
    return seeOther('/');
  }),
];

function confirmPage(
  dependencies: DashboardDependencies,
  visit: Visit,
  { login, token, fault }: { login: LoginRow; token: string; fault?: string },
): Answer {
  const words = WORDS[visit.language];
  const isOwn = isOwnBrowser(dependencies, login, askingOf(visit));
  return page(
    words.confirm_email,
    <>
      <Form action="/email/confirm" class="card">
        <input type="hidden" name="token" value={token} />
        <p>{words.confirm_lead(login.owned_username ?? login.email)}</p>
        {!isOwn && (
          <Field
            name="password"
            type="password"
            label={words.password}
            hint={words.confirm_password}
            autocomplete="current-password"
            fault={fault}
            maxLength={MAX_PASSWORD}
            required
          />
        )}
        <Button>{words.confirm_button}</Button>
      </Form>
      <p class="hint">
        {words.not_you} {!isOwn && <Link to="/password/forgotten">{words.forgotten}</Link>}
      </p>
    </>,
    fault === undefined ? 200 : 401,
  );
}

function askingOf(visit: Visit) {
  // Before the code, a session is worth no more than the password that began it.
  const { session } = visit;
  const signed_in_as = session?.second_factor === 'awaited' ? undefined : session?.login_id;
  return { ...browserOf(visit), signed_in_as };
}

function deadPage({ language }: Visit, status: number): Answer {
  return page(WORDS[language].confirm_email, <DeadLink />, status);
}

/** The page for a link that is used, too old, or never was one. */
export function DeadLink() {
  const words = WORDS[useFrame().language];
  return (
    <>
      <Notice tone="bad">{words.dead_link}</Notice>
      <p>
        <Link to="/">{words.to_sign_in}</Link>
      </p>
    </>
  );
}
