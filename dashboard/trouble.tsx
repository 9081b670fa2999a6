// The pages for everything that does not work.

import type { Language } from '../domain/language';
import { page, type PageAnswer } from './context';
import { Link, Time } from './parts';
import { WORDS } from './words';

export type Trouble =
  | {
      readonly kind: 'unknown' | 'forbidden' | 'form' | 'method' | 'large' | 'unavailable' | 'busy';
    }
  /** Live money needs an approved identity check. */
  | { readonly kind: 'identity_check'; readonly since?: string | null }
  /** Operators' pages need a second factor. */
  | { readonly kind: 'second_factor' }
  /** Operators decide nothing about an account to which they belong. */
  | { readonly kind: 'own_account' }
  /** An operator signs in where the operators' pages are served. */
  | { readonly kind: 'operators_login' }
  /** The host is not the dashboard's; `url` is the page at the right one. */
  | { readonly kind: 'host'; readonly url: string }
  | { readonly kind: 'switched'; readonly shown: string }
  | { readonly kind: 'limit'; readonly seconds: number }
  | { readonly kind: 'fault'; readonly request_id: string };

export function troublePage(language: Language, trouble: Trouble): PageAnswer {
  const { status, title, text } = describeTrouble(language, trouble);
  const content = (
    <>
      <p class="lead">{text}</p>
      {trouble.kind === 'identity_check' && trouble.since && (
        <p>
          {WORDS[language].identity_in_review} <Time at={trouble.since} />
        </p>
      )}
      <p>
        <WayOut language={language} kind={trouble.kind} />
      </p>
    </>
  );
  return page(title, content, status);
}

function WayOut({
  language,
  kind,
}: {
  readonly language: Language;
  readonly kind: Trouble['kind'];
}) {
  const words = WORDS[language];
  if (kind === 'second_factor') return <Link to="/security">{words.security}</Link>;
  if (kind === 'identity_check') return <Link to="/identity">{words.to_identity_check}</Link>;
  return <Link to="/">{words.to_overview}</Link>;
}

/** Tells that a form was carried out, when its notice could not be kept for the page at `to`. */
export function carriedOutPage(language: Language, to: string): PageAnswer {
  const words = WORDS[language];
  return page(
    words.carried_out,
    <p>
      <Link to={to.startsWith('/') ? to : '/'}>{words.go_on}</Link>
    </p>,
  );
}

function describeTrouble(
  language: Language,
  trouble: Trouble,
): { readonly status: number; readonly title: string; readonly text: string } {
  const words = WORDS[language];
  switch (trouble.kind) {
    case 'unknown':
      return { status: 404, title: words.error_404, text: words.error_404_text };
    case 'forbidden':
      return { status: 403, title: words.error_403, text: words.error_403_text };
    case 'identity_check':
      return { status: 403, title: words.error_identity, text: words.error_identity_text };
    case 'second_factor':
      return { status: 403, title: words.error_factor, text: words.error_factor_text };
    case 'own_account':
      return { status: 403, title: words.error_403, text: words.error_own_account_text };
    case 'operators_login':
      return { status: 403, title: words.error_403, text: words.error_operators_login_text };
    case 'form':
      return { status: 403, title: words.error_form, text: words.error_form_text };
    case 'switched':
      return {
        status: 409,
        title: words.error_environment,
        text: words.error_environment_text(trouble.shown),
      };
    case 'method':
      return { status: 405, title: words.error_405, text: words.error_405_text };
    case 'host':
      return { status: 421, title: words.error_421, text: words.error_421_text(trouble.url) };
    case 'large':
      return { status: 413, title: words.error_413, text: words.error_413_text };
    case 'limit':
      return { status: 429, title: words.error_429, text: words.error_429_text(trouble.seconds) };
    case 'busy':
      return { status: 503, title: words.error_503, text: words.error_busy_text };
    case 'unavailable':
      return { status: 503, title: words.error_503, text: words.error_503_text };
    case 'fault':
      return {
        status: 500,
        title: words.error_500,
        text: words.error_500_text(trouble.request_id),
      };
  }
}
