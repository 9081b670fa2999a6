// A new session after a change of the password or the second factor.

import { getLogin } from '../../db/people/logins';
import { showInSession, type SecondFactor } from '../../db/people/sessions';
import { begin } from '../../use-cases/sessions';
import { browserOf } from '../browser';
import {
  seeOther,
  type Answer,
  type DashboardDependencies,
  type Flash,
  type SignedInVisit,
} from '../context';
import { clearCookie, setCookie } from '../cookies';
import { keepFlash } from '../flash';

/**
 * Gives the browser's session a new token: a thief of the old one is signed out like all others.
 */
export async function renewSession(
  dependencies: DashboardDependencies,
  visit: SignedInVisit,
  second_factor: SecondFactor,
  flash: Flash,
): Promise<Answer> {
  const { db, devices } = dependencies;
  const { ctx, session } = visit;
  const browser = browserOf(visit);
  const login = await getLogin(db, session.login_id);
  const begun = await begin(dependencies, login, browser, second_factor, session.id);
  if (!begun) {
    // Something else was changed meanwhile, or this session was ended.
    clearCookie(ctx, 'session');
    return seeOther('/sign-in');
  }
  const { account, environment } = session;
  if (account) await showInSession(db, begun.session_id, account.user_id, environment);
  await keepFlash(dependencies, begun.session_id, flash);
  setCookie(ctx, 'session', begun.token);
  // The browser's old cookie ended with the old password.
  setCookie(ctx, 'device', devices.add(browser.device, login));
  return seeOther('/security');
}
