// Signing in and out.

import { endSession } from '../../db/people/sessions';
import { signIn } from '../../use-cases/sessions';
import { formRoute, page, pageRoute, seeOther, type Visit } from '../context';
import { browserOf, waitPage } from '../browser';
import { clearCookie, setCookie } from '../cookies';
import { Button, Field, Form } from '../forms';
import { Link, Notice } from '../parts';
import { MailsLink, showsMails } from '../mails/mails';
import { safeNext } from '../next';
import { WORDS } from './words';

export const SIGN_IN_ROUTES = [
  pageRoute('/sign-in', 'anyone', (dependencies, visit) => {
    // A person who is signed in needs no form for it.
    if (visit.session) return seeOther('/');
    return page(
      WORDS[visit.language].sign_in,
      <>
        <SignInForm visit={visit} />
        {showsMails(dependencies) && <MailsLink />}
      </>,
    );
  }),
  formRoute('/sign-in', 'anyone', null, async (dependencies, visit) => {
    const { ctx, form, language } = visit;
    // Another tab has signed in: its session stays the only one.
    if (visit.session) return seeOther(safeNext(form.get('next')));
    const words = WORDS[language];
    const signed_in = await signIn(dependencies, {
      ...browserOf(visit),
      email_or_username: form.get('username') ?? '',
      password: form.get('password') ?? '',
    });
    if (!signed_in.ok) {
      if (signed_in.error === 'wait') return waitPage(visit, signed_in.seconds);
      return page(words.sign_in, <SignInForm visit={visit} isWrong />, 401);
    }
    const { begun } = signed_in;
    setCookie(ctx, 'session', begun.token);
    if (begun.device !== undefined) setCookie(ctx, 'device', begun.device);
    const next = safeNext(form.get('next'));
    if (begun.awaits_code) return seeOther(`/sign-in/code?${new URLSearchParams({ next })}`);
    return seeOther(next);
  }),
  formRoute('/sign-out', 'anyone', null, async ({ db }, { ctx, session }) => {
    if (session) await endSession(db, session.login_id, session.id);
    clearCookie(ctx, 'session');
    return seeOther('/sign-in');
  }),
];

function SignInForm({
  visit: { language, query, form },
  isWrong = false,
}: {
  readonly visit: Visit;
  readonly isWrong?: boolean;
}) {
  const words = WORDS[language];
  const next = form.get('next') ?? query.get('next');
  return (
    <>
      {isWrong && (
        <Notice tone="bad">
          <p>{words.wrong}</p>
          {/* This speaks of what was typed alone: it tells nothing about accounts. */}
          {form.get('username')?.includes('@') && <p>{words.wrong_address}</p>}
        </Notice>
      )}
      {!isWrong && query.has('confirmed') && <Notice tone="good">{words.confirmed}</Notice>}
      {!isWrong && query.has('reset') && <Notice tone="good">{words.reset_done}</Notice>}
      {!isWrong && query.has('signed_out') && <Notice tone="good">{words.signed_out}</Notice>}
      <Form action="/sign-in" class="card">
        {next !== null && <input type="hidden" name="next" value={safeNext(next)} />}
        <Field
          name="username"
          label={words.email_or_username}
          autocomplete="username"
          value={query.get('name') ?? ''}
          maxLength={254}
          required
        />
        <Field
          name="password"
          label={words.password}
          type="password"
          autocomplete="current-password"
          maxLength={1_000}
          required
        />
        <Button>{words.sign_in}</Button>
      </Form>
      <p>
        <Link to="/password/forgotten">{words.forgotten}</Link>
      </p>
      <p>
        {words.no_account} <Link to="/sign-up">{words.sign_up}</Link>
      </p>
    </>
  );
}
