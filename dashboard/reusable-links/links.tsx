// Reusable links: a list, one of them with its payments, and taking it out of use.

import type { IntentView } from '../../db/payment-intents/intent-views';
import { listPaymentLinks, type PaymentLinkView } from '../../db/payment-links/payment-links';
import { SPREADSHEET_CSV } from '../../domain/csv';
import { labelled, type Language } from '../../domain/language';
import { mayDo } from '../../domain/members';
import { formatMoney } from '../../pages/formats';
import { exportPayments } from '../../use-cases/payment-links/export';
import { page, pageRoute } from '../context';
import { download } from '../download';
import { ActionButton } from '../forms';
import { useFrame } from '../frame';
import { answersOf, StatusTag } from '../links/links';
import { offerTestLinks } from '../links/from-test';
import { LinkTabs } from '../links/tabs';
import { Share } from '../links/share';
import { WORDS as LINK_WORDS } from '../links/words';
import { Files, listRoutes } from '../list-page';
import { LiveNote } from '../live-note';
import { Details, Link, Money, Pager, Table, Tag, Time, ownText, type Detail } from '../parts';
import { findNamed, readProps } from './read';
import { STATUS_WORDS, WORDS } from './words';

type ReusableProps = Awaited<ReturnType<typeof readProps>>;
interface Queried {
  readonly query: URLSearchParams;
}

const PATH = '/reusable-links';

export const REUSABLE_LIST = listRoutes({
  path: PATH,
  access: 'sales',
  words: (language) => ({ title: WORDS[language].links, caption: WORDS[language].caption }),
  filters: {},
  above: async (dependencies, visit) => (
    <>
      <LinkTabs current={PATH} />
      {await offerTestLinks(dependencies, visit)}
      <p class="lead">{WORDS[visit.language].lead}</p>
      {mayDo(visit.account.role, 'links', visit.session.environment) && (
        <Link to={`${PATH}/new`} class="button">
          {WORDS[visit.language].make}
        </Link>
      )}
    </>
  ),
  read: ({ db, config: { pay_url_base } }, query) =>
    listPaymentLinks(db, { ...query, pay_url_base }),
  columns: (language) => {
    const [words, shared] = [WORDS[language], LINK_WORDS[language]];
    return [
      { label: shared.at, cell: (link) => <Time at={link.created_at} /> },
      {
        label: words.labels.title,
        as: 'what',
        cell: (link) => (
          <Link to={`${PATH}/${link.id}`}>
            <bdi>{link.title}</bdi>
          </Link>
        ),
      },
      { label: words.price, as: 'who', cell: (link) => <Price of={link} /> },
      { label: words.payments, as: 'who', cell: (link) => words.count(link.payments) },
      {
        label: words.received,
        as: 'amount',
        cell: (link) => <Money minor={link.paid_minor} currency={link.currency} />,
      },
      { label: shared.status, as: 'state', cell: (link) => <StateTag status={link.status} /> },
    ];
  },
  is_live: true,
});

function Price({ of: link }: { readonly of: PaymentLinkView }) {
  const { language } = useFrame();
  const { amount_minor, currency } = link;
  if (amount_minor === null) return <>{WORDS[language].open}</>;
  return <Money minor={amount_minor} currency={currency} />;
}

function StateTag({ status }: Pick<PaymentLinkView, 'status'>) {
  const { language } = useFrame();
  return <Tag tone={status === 'active' ? 'good' : 'quiet'}>{STATUS_WORDS[language][status]}</Tag>;
}

export const REUSABLE_LINK_PAGE = pageRoute(
  '/reusable-links/:id',
  'sales',
  async (dependencies, visit) => {
    const { account, session, language, query } = visit;
    const link = await findNamed(dependencies, visit);
    if (!link) return undefined;
    const props = await readProps(dependencies, visit, link);
    const words = WORDS[language];
    const path = `${PATH}/${link.id}`;
    const isOut = link.status === 'inactive';
    return page(
      link.title,
      <>
        {/* Said aloud when it changes: a customer has paid. */}
        <div class="screen" role="status" data-live-part="state">
          <ReusableState link={link} />
        </div>
        <div data-live-part="link">
          <ReusableCard {...props} />
        </div>
        <div class="screen">
          {mayDo(account.role, 'links', session.environment) && !account.is_frozen && (
            <div class="actions">
              <Link to={`${path}/change`} class="button plain small">
                {words.change}
              </Link>
              <ActionButton
                action={`${path}/active`}
                fields={{ active: String(isOut) }}
                look={isOut ? 'plain' : 'danger'}
              >
                {isOut ? words.put_back : words.take_out}
              </ActionButton>
            </div>
          )}
          <h2>{words.payments}</h2>
          <LiveNote />
          <div data-live-part="payments">
            <Payments {...props} query={query} />
          </div>
          <Files path={`${path}/payments.csv`} />
        </div>
      </>,
    );
  },
);

function ReusableState({ link }: { readonly link: PaymentLinkView }) {
  const words = WORDS[useFrame().language];
  return (
    <>
      <p class="big">
        <Price of={link} /> <StateTag status={link.status} />
      </p>
      <p>
        {words.received} <Money minor={link.paid_minor} currency={link.currency} />
      </p>
      <p>{words.count(link.payments)}</p>
    </>
  );
}

function ReusableCard({ link, pay_url, merchant }: ReusableProps) {
  const { language } = useFrame();
  const { amount_minor, currency } = link;
  return (
    <>
      <Share
        pay_url={pay_url}
        merchant={merchant}
        amount={amount_minor === null ? null : formatMoney(language, amount_minor, currency)}
        about={link.title}
        note={WORDS[language].print}
      />
      <div class="screen">
        <Details rows={detailsOf(language, link)} />
      </div>
    </>
  );
}

function detailsOf(language: Language, link: PaymentLinkView): Detail[] {
  const words = WORDS[language];
  const { labels } = words;
  const money = (minor: bigint | null) => minor && formatMoney(language, minor, link.currency);
  const { quantity_minimum, quantity_maximum, active_until } = link;
  const suggested = link.suggestions_minor.map((one) => money(BigInt(one)));
  const asked = link.collect.map(({ label, required }) => (required ? `${label} *` : label));
  return [
    [words.price, <Price of={link} />],
    [labels.minimum, money(link.minimum_minor)],
    [labels.maximum, money(link.maximum_minor)],
    [labels.suggestions, suggested.join(' · ')],
    [
      LINK_WORDS[language].quantity,
      quantity_minimum && `${quantity_minimum} – ${quantity_maximum}`,
    ],
    [labels.max_payments, link.max_payments],
    [words.active_until, active_until && <Time at={active_until} />],
    [words.questions, ownText(asked.join(' · '))],
    [labels.description, ownText(link.description)],
    [labels.return_url, ownText(link.return_url)],
    [LINK_WORDS[language].at, <Time at={link.created_at} />],
  ];
}

function Payments({
  link,
  rows,
  next_cursor,
  query,
}: Pick<ReusableProps, 'link' | 'rows' | 'next_cursor'> & Queried) {
  const { language } = useFrame();
  const [words, shared] = [WORDS[language], LINK_WORDS[language]];
  const shownOf = (row: IntentView): string =>
    answersOf(row, link)
      .map(([label, answer]) => labelled(language, label, answer))
      .join(' · ') || row.reference;
  return (
    <>
      <Table
        caption={words.payments}
        columns={[
          { label: shared.at, as: 'when' },
          { label: words.payment, as: 'what' },
          { label: shared.quantity, as: 'who' },
          { label: shared.amount, as: 'amount' },
          { label: shared.status, as: 'state' },
        ]}
        rows={rows.map((row) => [
          <Time at={row.created_at} />,
          <Link to={`/links/${row.id}`}>
            <bdi>{shownOf(row)}</bdi>
          </Link>,
          `× ${row.quantity}`,
          <Money minor={row.amount_minor} currency={row.currency} />,
          <StatusTag of={row} />,
        ])}
      />
      <Pager path={`${PATH}/${link.id}`} query={query} next_cursor={next_cursor} />
    </>
  );
}

export const PAYMENTS_FILE = pageRoute(
  '/reusable-links/:id/payments.csv',
  'export',
  async (dependencies, visit) => {
    const { language, query } = visit;
    const link = await findNamed(dependencies, visit);
    if (!link) return undefined;
    const options = query.get('form') === 'plain' ? {} : { form: SPREADSHEET_CSV[language] };
    return download(dependencies, visit, {
      name: `payments-${link.code}.csv`,
      write: (onError) => exportPayments(dependencies.db, link, { ...options, onError }),
    });
  },
);
