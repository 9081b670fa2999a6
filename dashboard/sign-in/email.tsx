// Confirming an e-mail address. The link only opens a page: programs that look at mails open links,
// and press no buttons.

import type { VNode } from 'preact';
import { confirmEmail } from '../../db/people/login-tokens';
import { hashSessionToken, isSessionToken } from '../../secrets/session-token';
import {
  formRoute,
  page,
  pageRoute,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type Visit,
} from '../context';
import { Button, Form } from '../forms';
import { Link, Notice } from '../parts';
import { WORDS } from './words';

function showConfirm(_: DashboardDependencies, { language, query }: Visit): Answer {
  const words = WORDS[language];
  return page(
    words.confirm_email,
    <Form action="/email/confirm" class="card">
      <p>{words.confirm_lead}</p>
      <input type="hidden" name="token" value={query.get('token') ?? ''} />
      <Button>{words.confirm_button}</Button>
    </Form>,
  );
}

async function submitConfirm(
  { db }: DashboardDependencies,
  { language, form, session }: Visit,
): Promise<Answer> {
  const words = WORDS[language];
  const token = form.get('token') ?? '';
  const isConfirmed = isSessionToken(token) && (await confirmEmail(db, hashSessionToken(token)));
  if (!isConfirmed) return page(words.confirm_email, <DeadLink language={language} />, 422);
  return session
    ? seeOther('/', { flash: { notice: words.confirmed } })
    : seeOther('/sign-in?confirmed=1');
}

/** The page for a link that is used, too old, or never was one. */
export function DeadLink({ language }: Pick<Visit, 'language'>): VNode {
  const words = WORDS[language];
  return (
    <>
      <Notice tone="bad">{words.dead_link}</Notice>
      <p>
        <Link to="/">{words.to_sign_in}</Link>
      </p>
    </>
  );
}

export const EMAIL_ROUTES = [
  pageRoute('/email/confirm', 'anyone', showConfirm),
  formRoute('/email/confirm', 'anyone', null, submitConfirm),
];
