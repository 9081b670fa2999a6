// A CSV file is uploaded and checked. What is right becomes a dry run, whose page shows what each
// transfer would come to; nothing is sent before its button is pressed.

import { MAX_STEP_ITEMS } from '../../domain/batch-limits';
import { currencyAtHome } from '../../domain/currency';
import { BATCH_MODES } from '../../domain/transfer-batch';
import { readBatchFile } from '../../use-cases/transfer-batches/file';
import { Select } from '../forms';
import { Link, Notice } from '../parts';
import { orderAs } from './order';
import { uploadRoutes } from './parts';
import { WORDS } from './words';

export const UPLOAD_ROUTES = uploadRoutes({
  operation: 'transfer_batch',
  action: 'batches.check',
  page: '/batches/new',
  kind: (language) => ({
    path: '/batches',
    words: WORDS[language],
    links: <Link to="/transfers/new">{WORDS[language].single}</Link>,
  }),
  model: {
    en: [
      ['to_username', 'currency', 'amount', 'description'],
      ['awa', 'XOF', 500_000n, 'Wage of May'],
      ['moussa', 'EUR', 1_250n, null],
    ],
    fr: [
      ['bénéficiaire', 'devise', 'montant', 'motif'],
      ['awa', 'XOF', 500_000n, 'Salaire de mai'],
      ['moussa', 'EUR', 1_250n, null],
    ],
  },
  own: ({ language, session }) => {
    const words = WORDS[language];
    return {
      above: session.environment === 'sandbox' && <Notice>{words.simulated}</Notice>,
      fields: (
        <Select
          name="mode"
          label={words.mode}
          value="independent"
          options={BATCH_MODES.map((value) => ({ value, label: words.modes[value] }))}
        />
      ),
    };
  },
  read: ({ config }, { account }, file) =>
    readBatchFile(file, account.username, config.max_transfer, currencyAtHome(account.country)),
  faultOf: (language, { to_username: recipient, fault }) => ({
    recipient,
    text: WORDS[language].faults[fault],
  }),
  order: async (dependencies, visit, items) => {
    const { language, form, draft } = visit;
    const mode = BATCH_MODES.find((one) => one === form.get('mode'));
    if (mode === undefined) return { fault: WORDS[language].wrong_choice };
    if (mode === 'atomic' && items.length > MAX_STEP_ITEMS) {
      return { fault: WORDS[language].atomic_limit(MAX_STEP_ITEMS) };
    }
    return orderAs(dependencies, visit, { items, mode, dry_run: true, key: draft.key });
  },
});
