// The page at /, and the reference at /docs: the OpenAPI document in a viewer, Swagger UI.

import { documentOf } from './document';
import { docsFileUrl } from './files';
import { ERROR_DOCS_PATH, REFERENCE_PATH } from '../../domain/docs-paths';

const PLACES: readonly (readonly [path: string, name: string, what: string])[] = [
  [REFERENCE_PATH, 'Reference', 'Every call and webhook, with examples, to try with a test key.'],
  [ERROR_DOCS_PATH, 'Error codes', 'What each means, why it happens and what to do.'],
  ['/openapi.json', 'OpenAPI document', 'The same for tools and for generators of clients.'],
  ['/dashboard', 'Dashboard', 'Keys, webhooks, payment links and money, for merchants.'],
];

export function renderFrontPage(): string {
  return documentOf(
    'Payment API',
    <main class="front">
      <h1>Payment API</h1>
      <p class="lead">Wallets, transfers, payment links and signed webhooks.</p>
      {PLACES.map(([path, name, what]) => (
        <article>
          <h2>
            <a href={path}>{name}</a>
          </h2>
          <p>{what}</p>
        </article>
      ))}
    </main>,
  );
}

export function renderReferencePage(): string {
  const others = PLACES.filter(([path]) => path !== REFERENCE_PATH);
  return documentOf(
    'Payment API: reference',
    <>
      <header class="reference">
        <h1>API reference</h1>
        <nav aria-label="Documents">
          {others.map(([path, name]) => (
            <a href={path}>{name}</a>
          ))}
        </nav>
        <p class="lead">
          Press Authorize and paste a test key to try calls from here; live keys are refused.
          Nothing is kept when the page is closed.
        </p>
        <noscript>
          <p>
            The reference needs a script. Without it, read the{' '}
            <a href="/openapi.json">OpenAPI document</a>.
          </p>
        </noscript>
      </header>
      <div id="reference" />
    </>,
    <>
      <link rel="stylesheet" href={docsFileUrl('swagger-ui.css')} />
      <link rel="stylesheet" href={docsFileUrl('reference.css')} />
      <script src={docsFileUrl('swagger-ui-bundle.js')} defer />
      <script src={docsFileUrl('reference.js')} defer />
    </>,
  );
}
