// Creating an account. Whether an e-mail address has one stays unsaid: the answer is the same, and
// the message that is sent to the address says what happened.

import type { VNode } from 'preact';
import { networkOf } from '../../http/network';
import { MAX_PASSWORD } from '../../domain/password';
import { register, type RegistrationFault } from '../../use-cases/registration';
import { waitPage, writingOf } from '../browser';
import {
  formRoute,
  page,
  pageRoute,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type Visit,
} from '../context';
import { getCookie, setCookie } from '../cookies';
import { Button, Field, Form, Select } from '../forms';
import { MailsLink, showsMails } from '../mails/mails';
import { Link } from '../parts';
import { formatCountry } from '../../pages/formats';
import { COUNTRIES } from '../../domain/country';
import { MAX_DISPLAY_NAME } from '../../domain/public-profile';
import { WORDS } from './words';

function showSignUp(_: DashboardDependencies, visit: Visit): Answer {
  if (visit.session) return seeOther('/');
  return page(WORDS[visit.language].sign_up, <SignUpForm visit={visit} />);
}

async function submitSignUp(dependencies: DashboardDependencies, visit: Visit): Promise<Answer> {
  const { ctx, form, language } = visit;
  const text = (name: string): string => (form.get(name) ?? '').trim();
  const names = { first_name: text('first_name'), last_name: text('last_name') };
  const registered = await register(writingOf(dependencies), {
    ...names,
    language,
    network: networkOf(ctx.state.ip),
    display_name: text('shop_name'),
    username: text('username'),
    email: text('email'),
    country: text('country'),
    password: form.get('password') ?? '',
  });
  if (!registered.ok) {
    if (registered.error === 'wait') return waitPage(visit, registered.seconds);
    const { faults } = registered;
    return page(WORDS[language].sign_up, <SignUpForm visit={visit} faults={faults} />, 422);
  }
  // The person who has chosen the password uses this browser: here, the link by mail signs in.
  const device = dependencies.devices.add(getCookie(ctx, 'device'), registered.login);
  setCookie(ctx, 'device', device);
  return seeOther(`/sign-up/sent?${new URLSearchParams({ name: text('username') })}`);
}

function showSent(dependencies: DashboardDependencies, { language, query }: Visit): Answer {
  const words = WORDS[language];
  const name = query.get('name') ?? '';
  return page(
    words.sent_title,
    <>
      <div class="card">
        <p>{words.sent}</p>
        <p class="hint">{words.sent_hint}</p>
      </div>
      {showsMails(dependencies) && <MailsLink language={language} />}
      <p>
        {words.sent_now}{' '}
        <Link to={`/sign-in?${new URLSearchParams({ name })}`}>{words.sign_in}</Link>
      </p>
    </>,
  );
}

function SignUpForm({
  visit: { language, form },
  faults = [],
}: {
  readonly visit: Visit;
  readonly faults?: readonly RegistrationFault[];
}): VNode {
  const words = WORDS[language];
  const faultFor = (...codes: readonly RegistrationFault[]): string | undefined => {
    const code = faults.find((fault) => codes.includes(fault));
    return code && words.faults[code];
  };
  const password_fault = faultFor(
    'short_password',
    'long_password',
    'own_name_password',
    'common_password',
  );
  // A password is not sent back, so it has to be typed again when another field is wrong.
  const again = faults.length > 0 ? words.password_again : undefined;
  return (
    <>
      <Form action="/sign-up" class="card" noValidate>
        <Field
          name="shop_name"
          label={words.shop_name}
          hint={words.shop_name_hint}
          autocomplete="organization"
          value={form.get('shop_name') ?? ''}
          fault={faultFor('invalid_display_name')}
          maxLength={MAX_DISPLAY_NAME}
        />
        <Field
          name="email"
          type="email"
          label={words.email}
          autocomplete="email"
          value={form.get('email') ?? ''}
          fault={faultFor('invalid_email')}
          maxLength={254}
          required
        />
        <Field
          name="username"
          label={words.username}
          hint={words.username_hint}
          autocomplete="username"
          value={form.get('username') ?? ''}
          fault={faultFor('invalid_username', 'username_taken')}
          maxLength={32}
          required
        />
        <Field
          name="password"
          type="password"
          label={words.password}
          hint={words.new_password_hint}
          autocomplete="new-password"
          fault={password_fault ?? again}
          maxLength={MAX_PASSWORD}
          required
        />
        <Field
          name="first_name"
          label={words.first_name}
          autocomplete="given-name"
          value={form.get('first_name') ?? ''}
          fault={faultFor('invalid_name')}
          maxLength={MAX_DISPLAY_NAME}
        />
        <Field
          name="last_name"
          label={words.last_name}
          autocomplete="family-name"
          value={form.get('last_name') ?? ''}
          maxLength={MAX_DISPLAY_NAME}
        />
        <Select
          name="country"
          label={words.country}
          value={form.get('country') ?? 'SN'}
          options={COUNTRIES.map((code) => ({
            value: code,
            label: formatCountry(language, code),
          })).sort((one, other) => one.label.localeCompare(other.label, language))}
          fault={faultFor('invalid_country')}
        />
        <Button>{words.sign_up}</Button>
      </Form>
      <p>
        {words.have_account} <Link to="/sign-in">{words.sign_in}</Link>
      </p>
    </>
  );
}

export const SIGN_UP_ROUTES = [
  pageRoute('/sign-up', 'anyone', showSignUp),
  formRoute('/sign-up', 'anyone', null, submitSignUp),
  pageRoute('/sign-up/sent', 'anyone', showSent),
];
