// The monthly statements of the wallets: a list, and each as a file.

import { Readable } from 'node:stream';
import { listWallets } from '../../db/ledger/wallets';
import { isCurrency } from '../../domain/currency';
import { pageOf } from '../../domain/page';
import {
  findStatement,
  listStatements,
  readMonth,
  type StatementPosition,
  type StatementRow,
} from '../../use-cases/statements/months';
import { writeStatementPdf } from '../../use-cases/statements/pdf';
import { renderStatementCsv } from '../../use-cases/statements/text-files';
import { formatMonth } from '../../pages/formats';
import { page, pageRoute } from '../context';
import { useFrame } from '../frame';
import { Download, Money, Pager, Table, Tag } from '../parts';
import { download } from '../download';
import { showHistorySince } from '../transactions/history-since';
import { UsedFirst } from '../wallets/used';
import { WORDS } from './words';

/** A year of three wallets. */
const PAGE_ROWS = 36;

export const STATEMENT_ROUTES = [
  pageRoute('/statements', 'read', async ({ db }, { account, session, language, query }) => {
    const { environment } = session;
    const after = readPosition(query.get('cursor') ?? '');
    const owner = { user_id: account.user_id, environment };
    const [found, wallets, history_since] = await Promise.all([
      listStatements(db, owner, { after, limit: PAGE_ROWS + 1 }),
      listWallets(db, account.user_id, environment),
      showHistorySince({ db }),
    ]);
    const place = ({ currency, month }: StatementPosition) => `${currency}/${month}`;
    const { rows, next_cursor } = pageOf(found, PAGE_ROWS, place);
    const words = WORDS[language];
    return page(
      words.statements,
      <>
        <p class="lead">{words.lead}</p>
        {history_since}
        <UsedFirst rows={rows} wallets={wallets} show={(some) => <Statements rows={some} />} />
        <Pager path="/statements" query={query} next_cursor={next_cursor} />
      </>,
    );
  }),
  pageRoute('/statements/:currency/:file', 'export', async (dependencies, visit) => {
    const { db } = dependencies;
    const { account, session, language, params } = visit;
    const { environment } = session;
    const [, name = '', form] = /^(.*)\.(pdf|csv)$/.exec(params['file'] ?? '') ?? [];
    const position = readPosition(`${params['currency'] ?? ''}/${name}`);
    const owner = { user_id: account.user_id, environment };
    const statement = position && (await findStatement(db, owner, position));
    if (!statement) return undefined;
    const { currency, month } = statement;
    const file = [WORDS[language].file, account.username, environment, currency, month].join('-');
    if (form === 'csv') {
      return download(dependencies, visit, {
        name: `${file}.csv`,
        write: (onError) => {
          const texts = renderStatementCsv(db, statement, language);
          return Readable.from(texts, { objectMode: false }).on('error', onError);
        },
      });
    }
    const { username } = account;
    return download(dependencies, visit, {
      name: `${file}.pdf`,
      type: 'application/pdf',
      write: (onError) => writeStatementPdf(db, statement, { username, language, onError }),
    });
  }),
];

function Statements({ rows }: { readonly rows: readonly StatementRow[] }) {
  const { language } = useFrame();
  const words = WORDS[language];
  return (
    <Table
      caption={words.caption}
      columns={[words.month, words.wallet, words.opening, words.closing, words.state, words.files]}
      rows={rows.map(({ currency, month, opening_minor, closing_minor, is_closed }) => [
        formatMonth(language, `${month}-01`),
        currency,
        <Money minor={opening_minor} currency={currency} />,
        <Money minor={closing_minor} currency={currency} />,
        is_closed ? <Tag tone="good">{words.closed}</Tag> : <Tag>{words.running}</Tag>,
        <div class="actions">
          {(['pdf', 'csv'] as const).map((form) => (
            <Download
              to={`/statements/${currency}/${month}.${form}`}
              label={words.of(FORM_NAMES[form], currency, formatMonth(language, `${month}-01`))}
            >
              {FORM_NAMES[form]}
            </Download>
          ))}
        </div>,
      ])}
    />
  );
}

const FORM_NAMES = { pdf: 'PDF', csv: 'Excel' } as const;

/** A currency and a month, as paths and cursors have them. */
function readPosition(text: string): StatementPosition | undefined {
  const [currency = '', rest = ''] = text.split('/');
  const month = readMonth(rest);
  return month !== undefined && isCurrency(currency) ? { month, currency } : undefined;
}
