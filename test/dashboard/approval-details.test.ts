// A request for a second operator says each of its arguments with a label, and no raw id.

import type { Approval, ApprovalAction } from '../../db/operators/approvals';
import type { Language } from '../../domain/language';
import { argumentRows, subjectRow } from '../../dashboard/operators/approval-details';

const ID = '0190c8a4-0000-7000-8000-000000000001';

const CASES: [ApprovalAction, Approval['arguments'], Language, unknown[][]][] = [
  [
    'wallets.credit',
    { reference: 'CREDIT-0001', user_id: ID, amount_minor: '500', source: 'operator', reason: 'x' },
    'fr',
    [['Prélevé sur', 'Le compte de l’opérateur']],
  ],
  [
    'suspense.accept',
    { item: ID, closes_intent: true },
    'en',
    [['Payment link', 'It ends as paid with this amount']],
  ],
  [
    'suspense.close',
    { item: ID, payment_reference: 'W-18', unmade_order: 2, gateway_refund: null },
    'en',
    [
      ['Paid back under the reference', 'W-18'],
      ['Gateway', 'The gateway has made no refund, and never will'],
    ],
  ],
  [
    'suspense.close',
    { item: ID, payment_reference: 'W-18', unmade_order: 2, gateway_refund: 're_9' },
    'fr',
    [
      ['Rendu sous la référence', 'W-18'],
      ['Prestataire', 'Le prestataire a enregistré le remboursement re_9 et ne l’exécutera jamais'],
    ],
  ],
  [
    'suspense.close',
    { item: ID, payment_reference: 'W-18', unmade_order: null, gateway_refund: null },
    'en',
    [['Paid back under the reference', 'W-18']],
  ],
  [
    'refunds.create',
    {
      id: ID,
      reference: 'RFD-1',
      intent_id: ID,
      amount_minor: null,
      fingerprint: {},
      refusals: {},
    },
    'en',
    [['Refund', 'RFD-1']],
  ],
  [
    'refunds.fail',
    { refund: ID, gateway_refund: null, failure: { code: 'refund_refused', message: 'x' } },
    'en',
    [['Gateway', 'The gateway has made no refund, and never will']],
  ],
  [
    'payouts.settle',
    { payout: ID, is_paid: false, provider_payment: 'po_1' },
    'fr',
    [
      ['Résultat', 'Il n’a pas été payé'],
      ['Identifiant chez le prestataire', 'po_1'],
    ],
  ],
  ['losses.settle', { reference: 'PYT-1', amount_minor: '500' }, 'en', []],
  [
    'losses.settle',
    { reference: 'PYT-1', amount_minor: '-500' },
    'en',
    [['Difference', expect.objectContaining({ props: { minor: -500n, currency: 'XOF' } })]],
  ],
  // One that is new here is shown as it is: who approves must not miss it.
  ['losses.settle', { of_later: 7 }, 'en', [['of_later', '7']]],
];

it.each(CASES)('of %s with %j says in %s what is to be done', (action, given, language, rows) => {
  const approval = { action, arguments: given, currency: 'XOF', amount_minor: 500n } as Approval;
  const shown = argumentRows(language, approval).filter(([, value]) => value);
  expect(shown).toEqual(rows);
});

it.each<[ApprovalAction, string, string]>([
  ['wallets.credit', 'credit/CREDIT-0001', 'Référence'],
  ['refunds.create', 'refund/PAY-1', 'Paiement'],
  ['refunds.fail', 'refund/RFD-1', 'Remboursement'],
  ['losses.settle', 'loss/RFD-1', 'Perte'],
])('of %s names what it is about, %s', (action, subject, label) => {
  const approval = { action, subject, arguments: {} } as unknown as Approval;
  expect(subjectRow('fr', approval)).toEqual([label, subject.split('/')[1]]);
});
