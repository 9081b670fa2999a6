// A CSV file is uploaded and checked. What is right becomes a batch that waits to be confirmed: its page shows the names
// that were found, and nothing is reserved or sent before its button is pressed.

import type { Language } from '../../domain/language';
import { callingCodeOf } from '../../domain/phone';
import { formatCountry } from '../../pages/formats';
import { phoneFaultText } from '../../pages/phone-faults';
import { readPayoutFile } from '../../use-cases/payout-batches/file';
import { orderPayoutBatch } from '../../use-cases/payout-batches/order';
import type { RowFault } from '../../use-cases/payout-batches/rows';
import { uploadRoutes } from '../batches/parts';
import { WORDS as BATCH_WORDS } from '../batches/words';
import { idOf, draftOrder } from '../drafts';
import { useFrame } from '../frame';
import { Link } from '../parts';
import { WORDS as PAYOUT_WORDS } from '../payouts/words';
import { WORDS } from './words';

/** How phones are written: a known country's own without its code. */
export const phonesHint = (language: Language, country: string): string =>
  callingCodeOf(country) === undefined
    ? WORDS[language].whole_phones
    : WORDS[language].local_phones(formatCountry(language, country));

/** The two ways to write a list: typed, or as a file. */
export function Ways({ isFile }: { readonly isFile: boolean }) {
  const words = WORDS[useFrame().language];
  return (
    <nav class="tabs" aria-label={words.new_batch}>
      <Link to="/payout-batches/new" current={!isFile}>
        {words.typed}
      </Link>
      <Link to="/payout-batches/file" current={isFile}>
        {BATCH_WORDS[useFrame().language].file}
      </Link>
    </nav>
  );
}

/** The fault of a line or a row. */
export function faultText(
  language: Language,
  { fault, missing = 0 }: { readonly fault: RowFault; readonly missing?: number },
): string {
  const shared = BATCH_WORDS[language].faults;
  if (fault === 'phone' || fault === 'as_decimal' || fault === 'length') {
    return phoneFaultText(language, { fault, missing }, PAYOUT_WORDS[language].faults.phone);
  }
  return { ...shared, currency: shared.unknown, ...WORDS[language].line_faults }[fault];
}

export const UPLOAD_ROUTES = uploadRoutes({
  operation: 'payout_batch',
  action: 'payout_batches.check',
  page: '/payout-batches/file',
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
  own: ({ language, account: { country } }) => ({
    hint: phonesHint(language, country),
    above: <Ways isFile={true} />,
  }),
  read: (_, { account }, file) => readPayoutFile(file, account),
  faultOf: (language, line) => ({ recipient: line.recipient, text: faultText(language, line) }),
  order: async (dependencies, visit, items) => {
    const order = { ...draftOrder(visit), items, confirm: false, dry_run: false };
    return idOf(await orderPayoutBatch(dependencies, order));
  },
});
