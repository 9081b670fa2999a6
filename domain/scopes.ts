// Scopes say what a key may do. A key has one or more of them, and each operation of the API needs one of them
// (docs/decisions/keys-and-limits.md).

import type { IdempotentOperation } from './idempotency';
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

/** The scopes of a key for which none were chosen. Money that a payout has sent to a phone never comes back. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter(
  (scope) => !scope.startsWith('payouts:'),
);

/** The scope that an operation with an Idempotency-Key needs, as its route says. */
export const SCOPE_OF_OPERATION: Readonly<Record<IdempotentOperation, Scope>> = {
  transfer: 'transfers:write',
  transfer_batch: 'transfers:write',
  payment_intent: 'payment_intents:write',
  payment_attempt: 'payment_intents:write',
  payment_link: 'payment_intents:write',
  refund: 'refunds:write',
  reversal: 'refunds:write',
  payout: 'payouts:write',
  payout_batch: 'payouts:write',
  sandbox_fund: 'sandbox',
};

/** A member must be allowed it in the dashboard to get a key with the scope. */
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
export const SCOPE_TEXTS = translate<Readonly<Record<Scope, string>>>({
  read: [
    'See everything: wallets, transactions, links, payouts, webhooks.',
    'Tout consulter : portefeuilles, transactions, liens, envois, webhooks.',
  ],
  'transfers:write': [
    'Send money to other users, alone or in batches.',
    'Transférer de l’argent à d’autres comptes, à l’unité ou en groupe.',
  ],
  'payment_intents:write': [
    'Create, change and cancel payment links.',
    'Créer, modifier et annuler des liens de paiement.',
  ],
  'refunds:write': [
    'Give back money that was received, by a payment or a transfer.',
    'Rendre de l’argent reçu, d’un paiement ou d’un transfert.',
  ],
  'payouts:write': [
    'Send money to phones and bank accounts. What was paid out never comes back.',
    'Verser de l’argent vers des téléphones et des comptes bancaires. Ce qui est versé ne revient jamais.',
  ],
  'payouts:approve': [
    'Approve or reject payouts that another person has ordered.',
    'Approuver ou rejeter les envois ordonnés par une autre personne.',
  ],
  'webhooks:write': [
    'Create and change webhook endpoints, which are told of every event, and have deliveries sent again.',
    'Créer et modifier des endpoints webhook, qui reçoivent tous les événements, et faire renvoyer des livraisons.',
  ],
  sandbox: [
    'In the sandbox only: order faults, move the clock, add play money.',
    'En mode test seulement : provoquer des pannes, avancer l’horloge, ajouter de l’argent fictif.',
  ],
});

/** The list in its one order, or undefined when a word in it is no scope. */
export function readScopes(words: readonly string[]): readonly Scope[] | undefined {
  const scopes = SCOPES.filter((scope) => words.includes(scope));
  const all_known = words.every((word) => scopes.some((scope) => scope === word));
  return all_known ? scopes : undefined;
}
