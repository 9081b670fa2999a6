// The page at /, which leads to the others.

import { translate, type Language } from '../../domain/language';
import { documentOf } from './document';
import { ERROR_DOCS_PATH, REFERENCE_PATH } from '../../domain/docs-paths';

type Place = readonly [path: string, name: string, what: string];

const PLACES: readonly Place[] = [
  [REFERENCE_PATH, 'Reference', 'Every call and webhook, with examples, to try with a test key.'],
  [ERROR_DOCS_PATH, 'Error codes', 'What each means, why it happens and what to do.'],
  ['/openapi.json', 'OpenAPI document', 'The same for tools and for generators of clients.'],
  ['/dashboard', 'Dashboard', 'Keys, webhooks, payment links and money, for merchants.'],
];

export const OTHER_PLACES = PLACES.filter(([path]) => path !== REFERENCE_PATH);

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
