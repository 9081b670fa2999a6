// Creating an account. Whether an e-mail address has one stays unsaid: the answer is the same, and
// the message that is sent to the address says what happened.

import { networkOf } from '../../http/network';
import { register, sendAgain, type RegistrationFault } from '../../use-cases/registration';
import { formatCountry } from '../../pages/formats';
import { COUNTRIES } from '../../domain/country';
import type { Language } from '../../domain/language';
import { MAX_CONTACT, MAX_DISPLAY_NAME } from '../../domain/public-profile';
import { browserOf, waitPage, writingOf } from '../browser';
import {
  formRoute,
  page,
  pageRoute,
  seeOther,
  type DashboardDependencies,
  type Faults,
  type PageAnswer,
  type Visit,
} from '../context';
import { getCookie, setCookie } from '../cookies';
import { Button, Field, Form, Select } from '../forms';
import { keepFields } from '../kept';
import { MailsLink, showsMails } from '../mails/mails';
import { Link, Notice } from '../parts';
import { troublePage } from '../trouble';
import { useFrame } from '../frame';
import { NewPasswordField } from '../security/fields';
import { WORDS } from './words';

export const SIGN_UP_ROUTES = [
  pageRoute('/sign-up', 'anyone', (_, visit) => {
    if (visit.session) return seeOther('/');
    return page(WORDS[visit.language].sign_up, <SignUpForm />);
  }),
  formRoute('/sign-up', 'anyone', null, async (dependencies, visit) => {
    const { ctx, form, language } = visit;
    const text = (name: string): string => (form.get(name) ?? '').trim();
    const names = { first_name: text('first_name'), last_name: text('last_name') };
    const registered = await register(writingOf(dependencies), {
      ...names,
      language,
      network: networkOf(ctx.state.ip),
      display_name: text('shop_name'),
      contact: text('phone'),
      username: text('username'),
      email: text('email'),
      country: text('country'),
      password: form.get('password') ?? '',
    });
    if (!registered.ok) {
      if (registered.error === 'wait') return waitPage(visit, registered.seconds);
      const { faults } = registered;
      return page(WORDS[language].sign_up, <SignUpForm />, faultsOf(language, faults));
    }
    // The person who has chosen the password uses this browser: here, the link by mail signs in.
    const { login } = registered;
    const device = dependencies.devices.add(getCookie(ctx, 'device'), login);
    setCookie(ctx, 'device', device);
    return seeOther(sentPath(dependencies, visit, login.owned_username!, login.email));
  }),
  pageRoute('/sign-up/sent', 'anyone', sentPage),
  /** The link once more, to the address as it stands in the form. */
  formRoute('/sign-up/sent', 'anyone', null, async (dependencies, visit) => {
    const { form, language } = visit;
    const words = WORDS[language];
    const username = form.get('username') ?? '';
    const sent = await sendAgain(
      { ...writingOf(dependencies), devices: dependencies.devices },
      { ...browserOf(visit), username, email: form.get('email') ?? '', language },
    );
    if (sent.ok) return seeOther(sentPath(dependencies, visit, username, sent.email, 'again'));
    if (sent.error === 'unknown') return troublePage(language, { kind: 'form' });
    const fault =
      sent.error === 'wait' ? words.again_in(sent.seconds) : words.again_faults[sent.error];
    return sentPage(dependencies, visit, { email: fault });
  }),
];

/** The page that says to which address the message went: its fields are sealed for this browser. */
function sentPath(
  dependencies: DashboardDependencies,
  { ctx }: Visit,
  username: string,
  email: string,
  again = '',
): string {
  const fields = Object.entries({ username, email, again });
  return keepFields(dependencies, ctx, '/sign-up/sent', { fields });
}

function sentPage(
  dependencies: DashboardDependencies,
  { language, query, form }: Visit,
  faults: Faults = {},
): PageAnswer {
  const words = WORDS[language];
  const given = (name: string): string => form.get(name) ?? query.get(name) ?? '';
  const [name, email] = [given('username'), given('email')];
  return page(
    words.sent_title,
    <>
      {given('again') !== '' && <Notice tone="good">{words.sent_again}</Notice>}
      <div class="card">
        <p>{email === '' ? words.sent : words.sent_to(email)}</p>
        <p class="hint">{words.sent_hint}</p>
      </div>
      {name !== '' && (
        <Form action="/sign-up/sent" class="card">
          <input type="hidden" name="username" value={name} />
          <Field
            name="email"
            type="email"
            label={words.sent_address}
            hint={words.sent_address_hint}
            autocomplete="email"
            value={email}
            maxLength={254}
            required
          />
          <Button look="plain">{words.send_again}</Button>
        </Form>
      )}
      {showsMails(dependencies) && <MailsLink />}
      <p>
        {words.sent_now(name)}{' '}
        <Link to={`/sign-in?${new URLSearchParams({ name })}`}>{words.sign_in}</Link>
      </p>
    </>,
    faults,
  );
}

const FIELDS: Readonly<Record<RegistrationFault, string>> = {
  invalid_display_name: 'shop_name',
  invalid_contact: 'phone',
  invalid_email: 'email',
  invalid_username: 'username',
  username_taken: 'username',
  short_password: 'password',
  long_password: 'password',
  own_name_password: 'password',
  common_password: 'password',
  invalid_name: 'first_name',
  invalid_country: 'country',
};

function faultsOf(language: Language, faults: readonly RegistrationFault[]): Faults {
  const words = WORDS[language];
  const said = faults.toReversed().map((fault) => [FIELDS[fault], words.faults[fault]]);
  // A password is not sent back, so it has to be typed again when another field is wrong.
  return { password: words.password_again, ...Object.fromEntries(said) };
}

function SignUpForm() {
  const { language } = useFrame();
  const words = WORDS[language];
  return (
    <>
      <Form action="/sign-up" class="card" noValidate>
        <Field
          name="shop_name"
          label={words.shop_name}
          hint={words.shop_name_hint}
          autocomplete="organization"
          maxLength={MAX_DISPLAY_NAME}
        />
        <Field
          name="first_name"
          label={words.first_name}
          autocomplete="given-name"
          maxLength={MAX_DISPLAY_NAME}
        />
        <Field
          name="last_name"
          label={words.last_name}
          autocomplete="family-name"
          maxLength={MAX_DISPLAY_NAME}
        />
        <Field
          name="email"
          type="email"
          label={words.email}
          autocomplete="email"
          maxLength={254}
          required
        />
        <Field
          name="phone"
          type="tel"
          label={words.own_phone}
          hint={words.own_phone_hint}
          autocomplete="tel"
          maxLength={MAX_CONTACT}
        />
        <NewPasswordField label={words.password} hint={words.new_password_hint} />
        <Select
          name="country"
          label={words.country}
          value="SN"
          options={COUNTRIES.map((code) => ({
            value: code,
            label: formatCountry(language, code),
          })).sort((one, other) => one.label.localeCompare(other.label, language))}
        />
        <Field
          name="username"
          label={words.username}
          hint={words.username_hint}
          autocomplete="username"
          maxLength={32}
        />
        <Button>{words.sign_up}</Button>
      </Form>
      <p>
        {words.have_account} <Link to="/sign-in">{words.sign_in}</Link>
      </p>
    </>
  );
}
