// The page at /, and the reference at /docs: the OpenAPI document in a viewer, Swagger UI.

import { translate, type Language } from '../../domain/language';
import { documentOf } from './document';
import { docsFileUrl } from './files';
import { ERROR_DOCS_PATH, REFERENCE_PATH } from '../../domain/docs-paths';

type Place = readonly [path: string, name: string, what: string];

const PLACES: readonly Place[] = [
  [REFERENCE_PATH, 'Reference', 'Every call and webhook, with examples, to try with a test key.'],
  [ERROR_DOCS_PATH, 'Error codes', 'What each means, why it happens and what to do.'],
  ['/openapi.json', 'OpenAPI document', 'The same for tools and for generators of clients.'],
  ['/dashboard', 'Dashboard', 'Keys, webhooks, payment links and money, for merchants.'],
];

export const WORDS = translate({
  title: ['Payment API', 'API de paiement'],
  lead: [
    'Wallets, transfers, payment links and signed webhooks.',
    'Portefeuilles, transferts, liens de paiement et webhooks signés.',
  ],
  places: [
    PLACES,
    [
      [
        REFERENCE_PATH,
        'Référence',
        'Chaque appel et chaque webhook, avec des exemples à essayer avec une clé de test (en anglais).',
      ],
      [
        ERROR_DOCS_PATH,
        'Codes d’erreur',
        'Ce que chacun signifie, sa cause et ce qu’il faut faire.',
      ],
      [
        '/openapi.json',
        'Document OpenAPI',
        'La même chose pour les outils et les générateurs de clients.',
      ],
      [
        '/dashboard',
        'Tableau de bord',
        'Clés, webhooks, liens de paiement et argent, pour les marchands.',
      ],
    ],
  ],
});

export function renderFrontPage(language: Language): string {
  const words = WORDS[language];
  return documentOf(
    language,
    words.title,
    <main class="front">
      <h1>{words.title}</h1>
      <p class="lead">{words.lead}</p>
      {words.places.map(([path, name, what]) => (
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
    'en',
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
      <div id="reference" data-samples={docsFileUrl('samples.json')} />
    </>,
    <>
      <link rel="stylesheet" href={docsFileUrl('swagger-ui.css')} />
      <link rel="stylesheet" href={docsFileUrl('reference.css')} />
      <script src={docsFileUrl('swagger-ui-bundle.js')} defer />
      <script src={docsFileUrl('reference.js')} defer />
    </>,
  );
}
