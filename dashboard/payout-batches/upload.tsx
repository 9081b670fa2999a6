// A CSV file is uploaded and checked. What is right becomes a batch that waits to be confirmed: its page shows the names
// that were found, and nothing is reserved or sent before its button is pressed.

import { phoneFaultText } from '../../pages/phone-faults';
import { readPayoutFile } from '../../use-cases/payout-batches/file';
import { orderPayoutBatch } from '../../use-cases/payout-batches/order';
import { uploadRoutes } from '../batches/parts';
import { WORDS as BATCH_WORDS } from '../batches/words';
import { idOf, draftOrder } from '../drafts';
import { WORDS as PAYOUT_WORDS } from '../payouts/words';
import { WORDS } from './words';

export const UPLOAD_ROUTES = uploadRoutes({
  operation: 'payout_batch',
  action: 'payout_batches.check',
  kind: (language) => ({ path: '/payout-batches', words: WORDS[language] }),
  example:
    'phone,currency,amount,name\n+221 77 123 45 67,XOF,5000,Awa Diop\n+225 07 01 02 03 04,XOF,12500,Moussa Sarr',
  model: {
    en: [
      ['phone', 'name', 'currency', 'amount', 'description'],
      ['221771234567', 'Awa Diop', 'XOF', 500_000n, 'Wage of May'],
      ['2250701020304', 'Moussa Sarr', 'XOF', 1_250_000n, null],
    ],
    fr: [
      ['téléphone', 'nom', 'devise', 'montant', 'motif'],
      ['221771234567', 'Awa Diop', 'XOF', 500_000n, 'Salaire de mai'],
      ['2250701020304', 'Moussa Sarr', 'XOF', 1_250_000n, null],
    ],
  },
  read: (_, { account }, file) => readPayoutFile(file, account.username),
  faultOf: (language, { recipient, fault, missing = 0 }) => {
    const shared = BATCH_WORDS[language].faults;
    const texts = { ...shared, currency: shared.unknown, ...WORDS[language].line_faults };
    const text =
      fault === 'phone' || fault === 'as_decimal' || fault === 'length'
        ? phoneFaultText(language, { fault, missing }, PAYOUT_WORDS[language].faults.phone)
        : texts[fault];
    return { recipient, text };
  },
  order: async (dependencies, visit, items) => {
    const order = { ...draftOrder(visit), items, confirm: false, dry_run: false };
    return idOf(await orderPayoutBatch(dependencies, order));
  },
});
