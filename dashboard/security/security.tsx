// How a person signs in, and where the person is signed in.

import { getLogin } from '../../db/people/logins';
import { getSecondFactor, type SecondFactorRow } from '../../db/people/second-factor';
import {
  endOtherSessions,
  endSession,
  listSessions,
  type ListedSession,
} from '../../db/people/sessions';
import { isRowId } from '../../domain/ids';
import { type PasswordFault } from '../../domain/password';
import { changePassword } from '../../use-cases/passwords';
import { sendConfirmation } from '../../use-cases/registration';
import { checkPassword } from '../../use-cases/sessions';
import { browserOf, waitPage, writingOf } from '../browser';
import {
  formRoute,
  page,
  pageRoute,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type SignedInVisit,
  type Faults,
} from '../context';
import { clearCookie } from '../cookies';
import { ActionButton, Button, Form } from '../forms';
import { Link, Table, Tag, Time } from '../parts';
import { WORDS as SIGN_IN_WORDS } from '../sign-in/words';
import { useFrame } from '../frame';
import { WORDS as COMMON } from '../words';
import { browserName } from './browser-name';
import { CodeField, PasswordField, NewPasswordField } from './fields';
import { renewSession } from './renew';
import { WORDS } from './words';

export async function showSecurity(
  { db }: DashboardDependencies,
  visit: SignedInVisit,
  faults: Faults = {},
): Promise<Answer> {
  const { login_id } = visit.session;
  const [factor, sessions] = await Promise.all([
    getSecondFactor(db, login_id),
    listSessions(db, login_id),
  ]);
  return page(
    WORDS[visit.language].security,
    <>
      <Email visit={visit} />
      <Password />
      <SecondFactor factor={factor} />
      <Sessions sessions={sessions} />
    </>,
    faults,
  );
}

function Email({ visit: { language, session } }: { readonly visit: SignedInVisit }) {
  const words = WORDS[language];
  const { email, is_email_verified } = session;
  return (
    <section class="card">
      <h2>{words.email}</h2>
      <p>
        {email}{' '}
        {is_email_verified ? (
          <Tag tone="good">{words.verified}</Tag>
        ) : (
          <Tag tone="warn">{words.unverified}</Tag>
        )}
      </p>
      {!is_email_verified && (
        <div class="actions">
          <ActionButton action="/security/email">{words.resend}</ActionButton>
        </div>
      )}
    </section>
  );
}

function Password() {
  const words = WORDS[useFrame().language];
  return (
    <section class="card">
      <h2>{words.password}</h2>
      <Form action="/security/password">
        <PasswordField name="old_password" />
        <NewPasswordField label={words.new_password} hint={words.new_password_hint} />
        <Button>{words.change_password}</Button>
      </Form>
    </section>
  );
}

function SecondFactor({ factor }: { readonly factor: SecondFactorRow }) {
  const { language, session } = useFrame();
  const words = WORDS[language];
  if (!factor.is_confirmed) {
    return (
      <section class="card">
        <h2>{words.second_factor}</h2>
        <p>{words.totp_off}</p>
        {session?.is_email_verified ? (
          <div class="actions">
            <ActionButton action="/security/totp">{words.set_up}</ActionButton>
          </div>
        ) : (
          <p>{words.confirm_first}</p>
        )}
      </section>
    );
  }
  return (
    <section class="card">
      <h2>{words.second_factor}</h2>
      <p>{words.totp_on}</p>
      <p>{words.recovery_left(factor.recovery_codes_left)}</p>
      <Form action="/security/codes">
        <CodeField name="codes_code" />
        <Button look="plain">{words.new_codes}</Button>
      </Form>
      <Form action="/security/totp/off">
        <PasswordField name="current_password" />
        <CodeField name="code" />
        <Button look="danger">{words.switch_off}</Button>
      </Form>
    </section>
  );
}

function Sessions({ sessions }: { readonly sessions: readonly ListedSession[] }) {
  const { language, session } = useFrame();
  const words = WORDS[language];
  return (
    <section>
      <h2>{words.sessions}</h2>
      <Table
        caption={words.sessions}
        columns={[words.browser, words.address, words.since, words.seen, COMMON[language].actions]}
        rows={sessions.map((one) => [
          browserName(one.user_agent) ?? words.unknown_browser,
          one.ip,
          <Time at={one.created_at} />,
          <Time at={one.last_seen_at} />,
          one.id === session?.id ? (
            <Tag>{words.this_one}</Tag>
          ) : (
            <ActionButton action="/security/sessions/end" fields={{ id: one.id }}>
              {words.end}
            </ActionButton>
          ),
        ])}
      />
      <p>
        <ActionButton action="/security/sign-out-everywhere" look="danger">
          {words.end_all}
        </ActionButton>
      </p>
    </section>
  );
}

export const SECURITY_ROUTES = [
  pageRoute('/security', 'signed_in', showSecurity),
  formRoute(
    '/security/email',
    'signed_in',
    'login.send_confirmation',
    async (dependencies, { session, language }) => {
      const words = WORDS[language];
      const login = await getLogin(dependencies.db, session.login_id);
      const isSent = await sendConfirmation(writingOf(dependencies), login, language);
      return seeOther('/security', {
        flash: isSent ? { notice: words.resent } : { notice: words.resent_limit, tone: 'bad' },
      });
    },
  ),
  formRoute(
    '/security/password',
    'signed_in',
    'login.change_password',
    async (dependencies, visit) => {
      const { form, session, language } = visit;
      const { db } = dependencies;
      const words = WORDS[language];
      const browser = browserOf(visit);
      const login = await getLogin(db, session.login_id);
      const checked = await checkPassword(
        dependencies,
        login,
        form.get('old_password') ?? '',
        browser,
      );
      if (checked.kind === 'wait') return waitPage(visit, checked.seconds);
      if (checked.kind === 'wrong') {
        return showSecurity(dependencies, visit, { old_password: words.wrong_password });
      }
      const fault: PasswordFault | undefined = await changePassword(
        writingOf(dependencies),
        login,
        {
          password: form.get('password') ?? '',
          network: browser.network,
          language,
          session_id: session.id,
        },
      );
      if (fault) {
        return showSecurity(dependencies, visit, {
          password: SIGN_IN_WORDS[language].faults[fault],
        });
      }
      return renewSession(dependencies, visit, session.second_factor, {
        notice: words.password_changed,
      });
    },
  ),
  formRoute(
    '/security/sessions/end',
    'signed_in',
    'login.end_session',
    async ({ db }, { form, session, language }) => {
      const id = form.get('id') ?? '';
      const isEnded = isRowId(id) && (await endSession(db, session.login_id, id));
      if (!isEnded) return undefined;
      return seeOther('/security', { flash: { notice: WORDS[language].ended }, subject: id });
    },
  ),
  formRoute(
    '/security/sign-out-everywhere',
    'signed_in',
    'login.end_all_sessions',
    async ({ db }, { ctx, session }) => {
      await endOtherSessions(db, session.login_id, null);
      clearCookie(ctx, 'session');
      return seeOther('/sign-in?signed_out=1');
    },
  ),
];

/** The link back from the second factor's own pages. */
export function BackToSecurity() {
  return (
    <p>
      <Link to="/security">{WORDS[useFrame().language].security}</Link>
    </p>
  );
}
