// Setting up the second factor, showing it when signing in, and switching it off.

import { getLogin } from '../../db/people/logins';
import { totpUri } from '../../secrets/totp';
import {
  beginSecondFactor,
  checkCode,
  confirmSecondFactor,
  endSecondFactor,
  findPendingSecret,
  passSecondFactor,
  renewRecoveryCodes,
} from '../../use-cases/second-factor';
import { checkPassword } from '../../use-cases/sessions';
import { QrCode } from '../../pages/qr';
import { browserOf, waitPage, writingOf } from '../browser';
import {
  formRoute,
  page,
  pageRoute,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type Flash,
  type SignedInVisit,
  type Visit,
  type Faults,
} from '../context';
import { setCookie } from '../cookies';
import { Button, Field, Form } from '../forms';
import { safeNext } from '../next';
import { Copyable } from '../parts';
import { CodeField } from './fields';
import { renewSession } from './renew';
import { BackToSecurity, showSecurity } from './security';
import { WORDS } from './words';

export const SECOND_FACTOR_ROUTES = [
  // A stolen session must not lock its owner out. The password is asked before the code is shown,
  // which soon is too old.
  formRoute(
    '/security/totp',
    'signed_in',
    'login.begin_totp',
    async (dependencies, { session }) => {
      await beginSecondFactor(dependencies, { login_id: session.login_id, session_id: session.id });
      return seeOther('/security/totp');
    },
    'always',
  ),
  pageRoute('/security/totp', 'signed_in', showSetUp),
  formRoute(
    '/security/totp/confirm',
    'signed_in',
    'login.confirm_totp',
    async (dependencies, visit) => {
      const { form, session, language } = visit;
      const words = WORDS[language];
      const codes = await confirmSecondFactor(writingOf(dependencies), {
        login_id: session.login_id,
        session_id: session.id,
        language,
        code: form.get('code') ?? '',
      });
      if (!codes) return showSetUp(dependencies, visit, { code: words.wrong_code });
      return renewSession(dependencies, visit, 'passed', {
        notice: words.switched_on,
        secret: codesToKeep(words, codes),
      });
    },
    'always',
  ),
  formRoute('/security/totp/off', 'signed_in', 'login.end_totp', async (dependencies, visit) => {
    const { form, session, language } = visit;
    const words = WORDS[language];
    const browser = browserOf(visit);
    const login = await getLogin(dependencies.db, session.login_id);
    const password = form.get('current_password') ?? '';
    // The password comes first: a wrong one uses no code up.
    const known = await checkPassword(dependencies, login, password, browser);
    if (known.kind === 'wait') return waitPage(visit, known.seconds);
    if (known.kind === 'wrong') {
      return showSecurity(dependencies, visit, { current_password: words.wrong_password });
    }
    const checked = await checkCode(dependencies, login, { code: form.get('code') ?? '', browser });
    if (checked.kind === 'wait') return waitPage(visit, checked.seconds);
    if (checked.kind === 'wrong') {
      return showSecurity(dependencies, visit, { code: words.wrong_code });
    }
    await endSecondFactor(writingOf(dependencies), login, language);
    return seeOther('/security', { flash: { notice: words.switched_off } });
  }),
  formRoute('/security/codes', 'signed_in', 'login.renew_codes', async (dependencies, visit) => {
    const { form, session, language } = visit;
    const words = WORDS[language];
    const login = await getLogin(dependencies.db, session.login_id);
    const code = form.get('codes_code') ?? '';
    const browser = browserOf(visit);
    const checked = await checkCode(dependencies, login, { code, browser });
    if (checked.kind === 'wait') return waitPage(visit, checked.seconds);
    if (checked.kind === 'wrong') {
      return showSecurity(dependencies, visit, { codes_code: words.wrong_code });
    }
    const codes = await renewRecoveryCodes(dependencies, login);
    return seeOther('/security', {
      flash: {
        notice: words.new_codes_done,
        secret: codesToKeep(words, codes),
      },
    });
  }),
  pageRoute('/sign-in/code', 'anyone', (_, visit) => {
    const { session, language } = visit;
    if (session?.second_factor !== 'awaited') return seeOther('/');
    return page(WORDS[language].sign_in_code, <SignInCode visit={visit} />);
  }),
  formRoute('/sign-in/code', 'anyone', 'login.pass_code', async (dependencies, visit) => {
    const { ctx, session, form, language } = visit;
    if (session?.second_factor !== 'awaited') return seeOther('/');
    const words = WORDS[language];
    const passed = await passSecondFactor(
      { ...dependencies, ...writingOf(dependencies) },
      {
        login_id: session.login_id,
        session_id: session.id,
        language,
        code: form.get('code') ?? '',
        browser: browserOf(visit),
      },
    );
    if (!passed.ok) {
      if (passed.error === 'wait') return waitPage(visit, passed.seconds);
      return page(words.sign_in_code, <SignInCode visit={visit} />, { code: words.wrong_code });
    }
    setCookie(ctx, 'session', passed.begun.token);
    if (passed.begun.device !== undefined) setCookie(ctx, 'device', passed.begun.device);
    return seeOther(safeNext(form.get('next')));
  }),
];

async function showSetUp(
  dependencies: DashboardDependencies,
  visit: SignedInVisit,
  faults: Faults = {},
): Promise<Answer> {
  const { session, language } = visit;
  const words = WORDS[language];
  const secret = await findPendingSecret(dependencies, {
    login_id: session.login_id,
    session_id: session.id,
  });
  if (secret === undefined) return seeOther('/security');
  const uri = totpUri(secret, session.email);
  return page(
    words.set_up,
    <>
      <div class="card">
        <p>{words.scan}</p>
        <QrCode class="qr" text={uri} label={words.qr_label} />
        <p>
          <a href={uri}>{words.open_app}</a>
        </p>
        <p>{words.key}</p>
        <Copyable value={secret} label={words.key} />
        <Form action="/security/totp/confirm">
          <Field
            name="code"
            label={words.code}
            hint={words.code_hint}
            autocomplete="one-time-code"
            inputmode="numeric"
            maxLength={10}
            required
          />
          <Button>{words.confirm}</Button>
        </Form>
      </div>
      <BackToSecurity />
    </>,
    faults,
  );
}

function codesToKeep(
  { recovery_codes, file }: (typeof WORDS)['en'],
  codes: readonly string[],
): NonNullable<Flash['secret']> {
  return { kind: 'codes', label: recovery_codes, value: codes.join('\n'), file };
}

function SignInCode({ visit: { query, form, language } }: { readonly visit: Visit }) {
  return (
    <Form action="/sign-in/code" class="card">
      <input type="hidden" name="next" value={safeNext(form.get('next') ?? query.get('next'))} />
      <CodeField name="code" />
      <Button>{WORDS[language].sign_in}</Button>
    </Form>
  );
}
