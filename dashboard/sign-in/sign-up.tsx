// Creating an account. Whether an e-mail address has one stays unsaid: the answer is the same, and
// the message that is sent to the address says what happened.

import type { VNode } from 'preact';
import { networkOf } from '../../http/network';
import { MAX_PASSWORD } from '../../domain/password';
import { register } from '../../use-cases/registration';
import type { SignUpFault } from '../../use-cases/users';
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
import { Button, Field, Form, Select } from '../forms';
import { Link } from '../parts';
import { formatCountry } from '../../pages/formats';
import { COUNTRIES } from '../../domain/country';
import { MAX_DISPLAY_NAME } from '../../domain/public-profile';
import { WORDS } from './words';

type Fault = Exclude<SignUpFault, 'email_taken'>;

function showSignUp(_: DashboardDependencies, visit: Visit): Answer {
  if (visit.session) return seeOther('/');
  return page(WORDS[visit.language].sign_up, <SignUpForm visit={visit} />);
}

async function submitSignUp(dependencies: DashboardDependencies, visit: Visit): Promise<Answer> {
  const { ctx, form, language } = visit;
  const text = (name: string): string => (form.get(name) ?? '').trim();
  const names = { first_name: text('first_name'), last_name: text('last_name') };
  const refuse = (fault: Fault): Answer =>
    page(WORDS[language].sign_up, <SignUpForm visit={visit} fault={fault} />, 422);
  const registered = await register(writingOf(dependencies), {
    ...names,
    language,
    network: networkOf(ctx.state.ip),
    username: text('username'),
    email: text('email'),
    country: text('country'),
    password: form.get('password') ?? '',
  });
  if (!registered.ok) {
    return registered.error === 'wait'
      ? waitPage(visit, registered.seconds)
      : refuse(registered.error);
  }
  return seeOther(`/sign-in?${new URLSearchParams({ made: '1', name: text('username') })}`);
}

function SignUpForm({
  visit: { language, form },
  fault,
}: {
  readonly visit: Visit;
  readonly fault?: Fault;
}): VNode {
  const words = WORDS[language];
  const faultFor = (...codes: readonly Fault[]): string | undefined =>
    fault && codes.includes(fault) ? words.faults[fault] : undefined;
  return (
    <>
      <Form action="/sign-up" class="card">
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
          fault={faultFor(
            ...([
              'short_password',
              'long_password',
              'own_name_password',
              'common_password',
            ] as const),
          )}
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
];
