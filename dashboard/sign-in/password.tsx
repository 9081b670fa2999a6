// A forgotten password: a link by mail, and a new password. Nothing says whether an address has an
// account.

import { networkOf } from '../../http/network';
import { findLoginToken } from '../../db/people/login-tokens';
import { hashSessionToken, isSessionToken } from '../../secrets/session-token';
import { takeLimited } from '../../use-cases/attempts';
import { resetPassword, sendResetLink } from '../../use-cases/passwords';
import { waitPage, writingOf } from '../browser';
import { formRoute, page, pageRoute, seeOther } from '../context';
import { clearCookie, getCookie, setCookie } from '../cookies';
import { Button, Field, Form } from '../forms';
import { keepFields } from '../kept';
import { MailsLink, showsMails } from '../mails/mails';
import { Link, Notice } from '../parts';
import { useFrame } from '../frame';
import { NewPasswordField } from '../security/fields';
import { DeadLink } from './email';
import { WORDS } from './words';

export const PASSWORD_ROUTES = [
  pageRoute('/password/forgotten', 'anyone', (dependencies, { language, query }) => {
    const words = WORDS[language];
    return page(
      words.forgotten_title,
      <>
        {query.has('sent') && (
          <Notice tone="good">{words.reset_sent(query.get('email') ?? '')}</Notice>
        )}
        {query.has('sent') && showsMails(dependencies) && <MailsLink />}
        <Form action="/password/forgotten" class="card">
          <p>{words.forgotten_lead}</p>
          <Field
            name="email"
            label={words.email_or_username}
            autocomplete="username"
            maxLength={254}
            required
          />
          <Button>{query.has('sent') ? words.send_again : words.send_link}</Button>
        </Form>
        <p>
          <Link to="/sign-in">{words.sign_in}</Link>
        </p>
      </>,
    );
  }),
  formRoute('/password/forgotten', 'anyone', null, async (dependencies, visit) => {
    const { ctx, form, language } = visit;
    const { db, log } = dependencies;
    const seconds = await takeLimited(
      db,
      'mails requested at the address',
      networkOf(ctx.state.ip),
    );
    if (seconds > 0) return waitPage(visit, seconds);
    // The answer does not wait for it: its duration must not say whether there was something to send.
    sendResetLink(writingOf(dependencies), form.get('email') ?? '', language).catch(
      (error: unknown) => log({ part: 'password-reset', error: String(error) }),
    );
    const sent = keepFields(dependencies, ctx, '/password/forgotten?sent=1', { fields: [...form] });
    return seeOther(sent);
  }),
  pageRoute('/password/reset', 'anyone', async ({ db }, visit) => {
    const { language, query } = visit;
    const words = WORDS[language];
    const token = query.get('token') ?? '';
    const found =
      isSessionToken(token) && (await findLoginToken(db, hashSessionToken(token), 'password'));
    if (!found) return page(words.reset_title, <DeadLink />, 404);
    return page(words.reset_title, <ResetForm token={token} />);
  }),
  formRoute('/password/reset', 'anyone', null, async (dependencies, visit) => {
    const { ctx, form, language } = visit;
    const words = WORDS[language];
    const token = form.get('token') ?? '';
    const password = form.get('password') ?? '';
    const network = networkOf(ctx.state.ip);
    const reset = await resetPassword(writingOf(dependencies), {
      token,
      password,
      network,
      language,
    });
    if (!reset.ok) {
      const { error } = reset;
      return error === 'unknown_token'
        ? page(words.reset_title, <DeadLink />, 422)
        : page(words.reset_title, <ResetForm token={token} />, { password: words.faults[error] });
    }
    clearCookie(ctx, 'session');
    // The link let the browser in: others' wrong passwords do not keep it out. With a second factor
    // that is so once the code was shown.
    const { login } = reset;
    if (!login.has_totp) {
      setCookie(ctx, 'device', dependencies.devices.add(getCookie(ctx, 'device'), login));
    }
    return seeOther('/sign-in?reset=1');
  }),
];

function ResetForm({ token }: { readonly token: string }) {
  const words = WORDS[useFrame().language];
  return (
    <Form action="/password/reset" class="card">
      <input type="hidden" name="token" value={token} />
      <NewPasswordField label={words.new_password} hint={words.new_password_hint} />
      <Button>{words.set_password}</Button>
    </Form>
  );
}
