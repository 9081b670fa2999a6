// Asks for the password or a code before a form that a stolen session must not send, and keeps what
// the form holds meanwhile (docs/decisions/people.md).

import { confirmPerson } from '../use-cases/second-factor';
import { browserOf, waitPage, writingOf } from './browser';
import {
  page,
  type Answer,
  type Confirmed,
  type DashboardDependencies,
  type SignedInVisit,
} from './context';
import {
  Button,
  DRAFT_FIELD,
  Form,
  PAGE_FIELD,
  PROOF_FIELD,
  SHOWN_FIELD,
  TOKEN_FIELD,
} from './forms';
import { BASE_PATH } from './frame';
import { CodeField, PasswordField } from './security/fields';
import { WORDS } from './security/words';

/** Every form brings its own. */
export const FRAME_FIELDS = new Set([TOKEN_FIELD, SHOWN_FIELD, DRAFT_FIELD, PAGE_FIELD]);

/** Returns undefined when the form may be carried out. @throws PasswordsBusyError */
export async function askAgain(
  dependencies: DashboardDependencies,
  visit: SignedInVisit,
  confirmed: Confirmed | undefined,
): Promise<Answer | undefined> {
  const { form, session, language } = visit;
  const proof = form.get(PROOF_FIELD);
  form.delete(PROOF_FIELD);
  if (confirmed === undefined || session.is_fresh) return undefined;
  if (confirmed === 'in_live' && session.environment !== 'live') return undefined;
  if (proof === null) return askingPage(visit);
  const checked = await confirmPerson(
    { ...dependencies, ...writingOf(dependencies) },
    {
      login_id: session.login_id,
      session_id: session.id,
      language,
      code: proof,
      browser: browserOf(visit),
    },
  );
  if (checked.kind === 'wait') return waitPage(visit, checked.seconds);
  if (checked.kind === 'right') return undefined;
  const words = WORDS[language];
  return askingPage(visit, session.has_totp ? words.wrong_code : words.wrong_password);
}

/** The page hides the form's fields in its own form, whose answer goes where the first one went. */
function askingPage({ ctx, form, session, language }: SignedInVisit, fault?: string): Answer {
  const words = WORDS[language];
  const fields = [...form].filter(([name]) => !FRAME_FIELDS.has(name));
  const Proof = session.has_totp ? CodeField : PasswordField;
  return page(
    words.ask_again,
    <>
      <p class="lead">{session.has_totp ? words.ask_code : words.ask_password}</p>
      <Form action={ctx.path.slice(BASE_PATH.length)} class="card">
        {fields.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <Proof name={PROOF_FIELD} fault={fault} />
        <Button>{words.go_on}</Button>
      </Form>
    </>,
    fault === undefined ? 403 : 422,
  );
}
