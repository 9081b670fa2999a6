// A CSV file is uploaded and checked. What is right becomes a batch that waits to be confirmed: its page shows the names
// that were found, and nothing is reserved or sent before its button is pressed.

import type { Language } from '../../domain/language';
import { callingCodeOf } from '../../domain/phone';
import { formatCountry } from '../../pages/formats';
import { phoneFaultText } from '../../pages/phone-faults';
import { readPayoutFile } from '../../use-cases/payout-batches/file';
import { orderPayoutBatch } from '../../use-cases/payout-batches/order';
import { uploadRoutes } from '../batches/parts';
import { WORDS as BATCH_WORDS } from '../batches/words';
import { idOf, draftOrder } from '../drafts';
import { WORDS as PAYOUT_WORDS } from '../payouts/words';
import { WORDS } from './words';

/** How phones are written: a known country's own without its code. */
export const phonesHint = (language: Language, country: string): string =>
  callingCodeOf(country) === undefined
    ? WORDS[language].whole_phones
    : WORDS[language].local_phones(formatCountry(language, country));

export const UPLOAD_ROUTES = uploadRoutes({
  operation: 'payout_batch',
  action: 'payout_batches.check',
  kind: (language) => ({ path: '/payout-batches', words: WORDS[language] }),
  model: {
    en: [
      ['name', 'phone', 'amount', 'currency', 'description'],
      ['Awa Diop', '221771234567', '85000', 'XOF', 'Wage of May'],
      ['Moussa Sarr', '2250701020304', '90000', 'XOF', null],
    ],
    fr: [
      ['nom', 'téléphone', 'montant', 'devise', 'motif'],
      ['Awa Diop', '221771234567', '85000', 'FCFA', 'Salaire de mai'],
      ['Moussa Sarr', '2250701020304', '90000', 'FCFA', null],
    ],
  },
  own: ({ language, account: { country } }) => ({ hint: phonesHint(language, country) }),
  read: (_, { account }, file) => readPayoutFile(file, account),
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
