// What a key may do. A key has one or more scopes, and each operation of the API needs one of them
// (docs/decisions/0139-scopes.md).

import { translate } from './language';
import type { Permission } from './members';

export const SCOPES = [
  'read',
  'transfers:write',
  'payment_intents:write',
  'refunds:write',
  'payouts:write',
  'payouts:approve',
  'webhooks:write',
  'sandbox',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Of a key for which nobody has chosen. What a payout has sent to a phone never comes back. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter(
  (scope) => !scope.startsWith('payouts:'),
);

/** What a member must be allowed in the dashboard to get a key that may do it. */
export const PERMISSION_OF: Readonly<Record<Scope, Permission>> = {
  read: 'read',
  'transfers:write': 'money',
  'payment_intents:write': 'links',
  'refunds:write': 'money',
  'payouts:write': 'money',
  'payouts:approve': 'money',
  'webhooks:write': 'webhooks',
  sandbox: 'keys',
};

/** For people who make a key. */
export const SCOPE_TEXTS = translate<Readonly<Record<Scope, string>>>(
  {
    read: 'See everything: wallets, transactions, links, payouts, webhooks.',
    'transfers:write': 'Send money to other users, alone or in batches.',
    'payment_intents:write': 'Create, change and cancel payment links.',
    'refunds:write': 'Give back money that was received, by a payment or a transfer.',
    'payouts:write': 'Send money to phones and bank accounts. What was paid out never comes back.',
    'payouts:approve': 'Approve or reject payouts that another person has ordered.',
    'webhooks:write': 'Create and change webhook endpoints, and have deliveries sent again.',
    sandbox: 'In the sandbox only: order faults, move the clock, add play money.',
  },
  {
    read: 'Tout consulter : portefeuilles, transactions, liens, versements, webhooks.',
    'transfers:write':
      'Envoyer de l’argent à d’autres utilisateurs, à l’unité ou en envois groupés.',
    'payment_intents:write': 'Créer, modifier et annuler des liens de paiement.',
    'refunds:write': 'Rendre de l’argent reçu, d’un paiement ou d’un transfert.',
    'payouts:write':
      'Verser de l’argent vers des téléphones et des comptes bancaires. Ce qui est versé ne revient jamais.',
    'payouts:approve': 'Approuver ou rejeter les versements ordonnés par une autre personne.',
    'webhooks:write': 'Créer et modifier des endpoints webhook, et faire renvoyer des livraisons.',
    sandbox:
      'En mode test seulement : provoquer des pannes, avancer l’horloge, ajouter de l’argent fictif.',
  },
);

/** The list in its one order, or undefined when a word in it is no scope. */
export function readScopes(words: readonly string[]): readonly Scope[] | undefined {
  const scopes = SCOPES.filter((scope) => words.includes(scope));
  const all_known = words.every((word) => scopes.some((scope) => scope === word));
  return all_known ? scopes : undefined;
}
