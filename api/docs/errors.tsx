// The page that `doc_url` points to, made from the error table: what each code means, how it comes
// about and what to do. The fragment is a code, or a status: `#status-401`.

import { STATUS_CODES } from 'node:http';
import type { JSX } from 'preact';
import {
  codesOfStatus,
  ERROR_CODES,
  ERROR_HELP,
  ERRORS,
  isRetryable,
  type ErrorCode,
} from '../../domain/errors';
import { translate, type Language } from '../../domain/language';
import { documentOf } from './document';
import { REFERENCE_PATH } from '../../domain/docs-paths';

/** French has it before a colon. */
const NBSP = '\u00a0';
const SHAPE = '{"ok": false, "error": {"code", "message", "doc_url", "request_id", "retryable"}}';

export const WORDS = translate({
  title: ['Error codes', 'Codes d’erreur'],
  documents: ['Documents', 'Documents'],
  reference: ['Reference', 'Référence'],
  statuses: ['Statuses', 'Statuts'],
  shape: [
    (shape: JSX.Element, param: JSX.Element, details: JSX.Element) => (
      <>
        Every failure answers {shape}, with {param} and {details} where a field is at fault. Decide
        by the code: messages may change.
      </>
    ),
    (shape, param, details) => (
      <>
        Chaque échec répond {shape}, avec {param} et {details} quand un champ est en cause. Décidez
        d’après le code{NBSP}: les messages, en anglais, peuvent changer.
      </>
    ),
  ],
  retry: [
    (key: JSX.Element) => (
      <>
        A retryable request may succeed later: send it again with the same {key}, and it is carried
        out once.
      </>
    ),
    (key) => (
      <>
        Une requête qui peut être répétée réussira peut-être plus tard{NBSP}: renvoyez-la avec la
        même {key}, et elle n’est exécutée qu’une fois.
      </>
    ),
  ],
  cause: ['Why it happens', 'Cause'],
  remedy: ['What to do', 'Que faire'],
  retryable: ['Retryable', 'Peut être répétée'],
  yes: ['yes', 'oui'],
  no: ['no', 'non'],
});

export function renderErrorDocs(language: Language): string {
  const words = WORDS[language];
  const statuses = [...new Set(ERROR_CODES.map((code) => ERRORS[code].status))].sort(
    (one, other) => one - other,
  );
  return documentOf(
    language,
    words.title,
    <main>
      <nav aria-label={words.documents}>
        <a href={REFERENCE_PATH}>{words.reference}</a>
      </nav>
      <h1>{words.title}</h1>
      <p class="lead">
        {words.shape(<code>{SHAPE}</code>, <code>param</code>, <code>details</code>)}
      </p>
      <p class="lead">{words.retry(<code>Idempotency-Key</code>)}</p>
      <nav aria-label={words.statuses}>
        {statuses.map((status) => (
          <a href={`#status-${status}`}>{titleOf(status)}</a>
        ))}
      </nav>
      {statuses.map((status) => sectionOf(status, language))}
    </main>,
  );
}

function titleOf(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ''}`.trim();
}

function sectionOf(status: number, language: Language) {
  return (
    <section id={`status-${status}`}>
      <h2>{titleOf(status)}</h2>
      {codesOfStatus(status).map((code) => articleOf(code, language))}
    </section>
  );
}

function articleOf(code: ErrorCode, language: Language) {
  const { message } = ERRORS[code];
  const { cause, remedy } = ERROR_HELP[language][code];
  const words = WORDS[language];
  return (
    <article id={code}>
      <h3>
        <code>{code}</code>
      </h3>
      <p lang="en">{message}</p>
      <dl>
        <div>
          <dt>{words.cause}</dt>
          <dd>{cause}</dd>
        </div>
        <div>
          <dt>{words.remedy}</dt>
          <dd>{remedy}</dd>
        </div>
        <div>
          <dt>{words.retryable}</dt>
          <dd>{isRetryable(code) ? words.yes : words.no}</dd>
        </div>
      </dl>
    </article>
  );
}
