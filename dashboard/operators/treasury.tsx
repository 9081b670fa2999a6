// The treasury: accounts at banks and providers, settlement files, and what files and books do not agree about.

import type { JSX } from 'preact';
import {
  listBanks,
  listBreaks,
  listClearing,
  listFiles,
  type TreasuryBreak,
  type TreasuryFile,
} from '../../db/treasury/treasury';
import { ENVIRONMENTS } from '../../domain/environment';
import { formatCount } from '../../domain/language';
import { byNumber, pageOf } from '../../domain/page';
import { FILE_FAULTS } from '../../domain/settlement-words';
import { SHIPPED_FORMATS } from '../../domain/settlement-format';
import { formatDay, formatMoney } from '../../pages/formats';
import { askProviders, type AskedProvider } from '../../use-cases/payouts/floats';
import { changeOrRequest } from '../../use-cases/settings';
import { importSettlement } from '../../use-cases/treasury/files';
import { MAX_FILE_BYTES } from '../../use-cases/treasury/read-file';
import {
  formRoute,
  page,
  seeOther,
  type Answer,
  type Faults,
  type SignedInVisit,
} from '../context';
import { Button, Checkboxes, Field, Form, Select, TextArea } from '../forms';
import { useFrame } from '../frame';
import { numberedPlace } from '../list-page';
import { Link, Money, Pager, Table, Tag } from '../parts';
import {
  asOperator,
  EnvironmentTag,
  MAX_REASON,
  operatorForm,
  operatorPage,
  readReason,
  type OperatorDependencies,
} from './frame';
import { PAYOUT_WORDS } from './payout-words';
import { TREASURY_WORDS } from './treasury-words';
import { WORDS } from './words';

const PATH = '/operators/treasury';
const FILES = 20;
const BREAKS = 50;
/** The form's own fields. */
const FORM_BYTES = 65_536;

export const TREASURY_ROUTES = [
  operatorPage(PATH, showTreasury),
  {
    ...formRoute(PATH, 'operator', null, compareFile),
    max_file_bytes: MAX_FILE_BYTES + FORM_BYTES,
  },
  operatorForm(`${PATH}/settle`, async (dependencies, visit) => {
    const { form, language } = visit;
    const [words, shared] = [TREASURY_WORDS[language], WORDS[language]];
    const [id, as, reason] = [form.get('break') ?? '', form.get('as'), readReason(visit)];
    if (!/^[1-9]\d{0,17}$/.test(id) || (as !== 'explained' && as !== 'adjust')) {
      return showTreasury(dependencies, visit, { as: shared.wrong_choice });
    }
    if (reason === undefined) {
      return showTreasury(dependencies, visit, { reason: shared.reason_missing });
    }
    const done = await changeOrRequest<unknown, keyof typeof words.refused>(
      asOperator(dependencies, visit),
      { action: 'treasury.settle', arguments: { id, as }, reason },
    );
    if (done.ok) return seeOther(PATH, { flash: { notice: words.settled } });
    const notice =
      done.error === 'refused'
        ? words.refused[done.refusal]
        : done.error === 'approval_required'
          ? shared.awaits
          : shared.other_awaits;
    const tone = done.error === 'approval_required' ? 'quiet' : 'bad';
    return seeOther(PATH, { flash: { notice, tone } });
  }),
];

async function compareFile(
  dependencies: OperatorDependencies,
  visit: SignedInVisit,
): Promise<Answer | undefined> {
  const { form, file: bytes, language } = visit;
  const words = TREASURY_WORDS[language];
  const given = (name: string): string | null => form.get(name)?.trim() || null;
  const [provider, bank] = [given('provider'), given('bank')];
  const environment = ENVIRONMENTS.find((one) => one === form.get('environment'));
  const refuse = (faults: Faults): Promise<Answer | undefined> =>
    showTreasury(dependencies, visit, faults);
  if (environment === undefined) return refuse({ environment: WORDS[language].wrong_choice });
  if ((provider === null) === (bank === null)) return refuse({ provider: words.one_of_two });
  if (bytes === undefined || bytes.length === 0) return refuse({ file: words.no_file });
  const done = await importSettlement(asOperator(dependencies, visit), {
    bytes,
    provider,
    bank,
    environment,
    format: given('format'),
    from: null,
    to: null,
  });
  if (!done.ok) {
    if (done.error !== 'invalid_file') {
      const field = done.error.replace('_not_found', '');
      return refuse({ [field]: words.not_found[done.error] });
    }
    const { line, column, fault } = done;
    const sentence = FILE_FAULTS[language][fault];
    return refuse({ file: words.invalid(formatCount(language, line), column, sentence) });
  }
  const { id, lines } = done.file;
  const notice = done.repeated ? words.known(id) : words.compared(id, lines, breaksOf(done.file));
  return seeOther(PATH, { flash: { notice } });
}

const breaksOf = ({ breaks }: TreasuryFile): number =>
  Object.values(breaks).reduce((sum, n) => sum + n, 0);

async function showTreasury(
  { operator_db: db, payout_providers }: OperatorDependencies,
  { language, query }: SignedInVisit,
  faults: Faults = {},
): Promise<Answer | undefined> {
  const words = TREASURY_WORDS[language];
  const after = numberedPlace(query);
  if (after === null) return undefined;
  const [banks, clearing, files, found, providers] = await Promise.all([
    listBanks(db),
    listClearing(db),
    listFiles(db, { before: undefined, limit: FILES }),
    listBreaks(db, { status: 'open', after, limit: BREAKS + 1 }),
    askProviders(ENVIRONMENTS.flatMap((environment) => payout_providers[environment])),
  ]);
  const { rows, next_cursor } = pageOf(found, BREAKS, byNumber);
  return page(
    words.title,
    <>
      <p class="lead">{words.lead}</p>
      <Table
        caption={words.accounts}
        columns={[
          words.account,
          { label: words.held, as: 'number' },
          { label: words.by_file, as: 'number' },
        ]}
        rows={[
          ...banks.map(({ name, iban_end, environment, currency, balance_minor }) => [
            <>
              {name} {iban_end !== null && `…${iban_end} `}
              <EnvironmentTag environment={environment} />
            </>,
            <Held minor={balance_minor} currency={currency} />,
            '–',
          ]),
          ...clearing.map((one) => [
            <>
              {one.provider} <EnvironmentTag environment={one.environment} />
            </>,
            <Held minor={one.balance_minor} currency={one.currency} />,
            one.file_minor === null || one.file_at === null ? (
              '–'
            ) : (
              <>
                <Money minor={one.file_minor} currency={one.currency} />{' '}
                {words.end_of(formatDay(language, one.file_at))}
              </>
            ),
          ]),
        ]}
      />
      <Providers providers={providers} />
      <h2>{words.open_breaks}</h2>
      {rows.length === 0 ? (
        <p class="empty">{words.no_breaks}</p>
      ) : (
        <>
          <Breaks breaks={rows} />
          <Pager path={PATH} query={query} next_cursor={next_cursor} />
          <SettleForm breaks={rows} />
        </>
      )}
      <h2>{words.files}</h2>
      <Files files={files} />
      <h2>{words.upload}</h2>
      <UploadForm />
    </>,
    faults,
  );
}

/** A bank that is overdrawn is shown in red. */
function Held(props: Parameters<typeof Money>[0]) {
  if (props.minor >= 0n) return <Money {...props} />;
  return (
    <Tag tone="bad">
      <Money {...props} />
    </Tag>
  );
}

function Breaks({ breaks }: { readonly breaks: readonly TreasuryBreak[] }) {
  const { language } = useFrame();
  const words = TREASURY_WORDS[language];
  const figure = (
    day: string | null,
    minor: bigint | null,
    currency: TreasuryBreak['currency'],
  ): JSX.Element | string => {
    if (day !== null) return formatDay(language, day);
    return minor === null ? '–' : <Money minor={minor} currency={currency} />;
  };
  return (
    <Table
      caption={words.open_breaks}
      columns={[
        words.id,
        words.kind,
        words.of,
        words.file,
        { label: words.expected, as: 'number' },
        { label: words.found, as: 'number' },
        { label: words.difference, as: 'number' },
      ]}
      rows={breaks.map((one) => [
        String(one.id),
        <>
          {words.kinds[one.kind]}
          {one.finding !== null && (
            <>
              {' · '}
              <Link to="/operators/reconciliations">{WORDS[language].reconciliations}</Link>
            </>
          )}
        </>,
        <code>{one.provider_id ?? one.reference}</code>,
        one.line === null ? one.file : `${one.file}:${one.line}`,
        figure(one.expected_day, one.expected_minor, one.currency),
        figure(one.found_day, one.found_minor, one.currency),
        figure(null, one.difference_minor, one.currency),
      ])}
    />
  );
}

function SettleForm({ breaks }: { readonly breaks: readonly TreasuryBreak[] }) {
  const { language } = useFrame();
  const [words, shared] = [TREASURY_WORDS[language], WORDS[language]];
  const options = breaks.map(
    ({ id, kind, provider_id, reference, currency, difference_minor }) => ({
      value: String(id),
      label: [
        String(id),
        words.kinds[kind],
        provider_id ?? reference,
        difference_minor === null ? '' : formatMoney(language, difference_minor, currency),
      ]
        .filter(Boolean)
        .join(' · '),
    }),
  );
  return (
    <>
      <h3>{words.settle}</h3>
      <Form action={`${PATH}/settle`} class="card">
        <Select name="break" label={words.break} options={options} />
        <Checkboxes
          kind="radio"
          name="as"
          label={words.as}
          options={[
            { value: 'explained', label: words.explained },
            { value: 'adjust', label: words.adjust, hint: words.settle_hint },
          ]}
          checked={['explained']}
        />
        <TextArea
          name="reason"
          label={shared.reason}
          hint={shared.reason_hint}
          maxLength={MAX_REASON}
          required
        />
        <Button>{words.do_settle}</Button>
      </Form>
    </>
  );
}

function Files({ files }: { readonly files: readonly TreasuryFile[] }) {
  const { language } = useFrame();
  const words = TREASURY_WORDS[language];
  return (
    <Table
      caption={words.files}
      columns={[
        words.file,
        words.account,
        words.days,
        { label: words.lines, as: 'number' },
        { label: words.matched, as: 'number' },
        { label: words.breaks, as: 'number' },
        words.posted,
      ]}
      rows={files.map((file) => [
        file.id,
        <>
          {file.provider ?? file.bank} <EnvironmentTag environment={file.environment} />
        </>,
        `${formatDay(language, file.from)} – ${formatDay(language, file.to)}`,
        formatCount(language, file.lines),
        formatCount(language, file.matched),
        formatCount(language, breaksOf(file)),
        file.posted_at === null ? (
          <Tag>{words.not_posted}</Tag>
        ) : (
          <Tag tone="good">{words.posted}</Tag>
        ),
      ])}
    />
  );
}

function UploadForm() {
  const { language } = useFrame();
  const [words, shared] = [TREASURY_WORDS[language], WORDS[language]];
  const formats = SHIPPED_FORMATS.map(({ name }) => ({ value: name, label: name }));
  return (
    <Form action={PATH} enctype="multipart/form-data" class="card">
      <Field
        name="file"
        type="file"
        accept=".csv,.txt,text/csv,text/plain"
        label={words.file}
        hint={words.upload_hint}
        required
      />
      <Field name="provider" label={words.provider} maxLength={64} />
      <Field name="bank" label={words.bank} maxLength={64} />
      <Select
        name="environment"
        label={shared.environment}
        options={ENVIRONMENTS.map((value) => ({ value, label: shared[value] }))}
      />
      <Select
        name="format"
        label={words.format}
        hint={words.format_hint}
        options={[{ value: '', label: words.usual }, ...formats]}
      />
      <Button>{words.compare}</Button>
    </Form>
  );
}

/** The providers of payouts about themselves. */
function Providers({ providers }: { readonly providers: readonly AskedProvider[] }) {
  const words = PAYOUT_WORDS[useFrame().language];
  return (
    <>
      <h2>{words.providers}</h2>
      {providers.length === 0 ? (
        <p class="empty">{words.no_providers}</p>
      ) : (
        <Table
          caption={words.providers}
          columns={[words.provider, words.float, words.operators]}
          rows={providers.map(({ name, environment, float, rails }) => [
            <>
              {name} <EnvironmentTag environment={environment} />
            </>,
            float === null ? (
              <Tag tone="bad">{words.no_answer}</Tag>
            ) : (
              float.map(({ amount, currency }) => (
                <p>
                  <Money minor={amount} currency={currency} />
                </p>
              ))
            ),
            rails === null ? (
              <Tag tone="bad">{words.no_answer}</Tag>
            ) : (
              <details>
                <summary>
                  {words.open_rails(
                    rails.filter(({ state }) => state === 'open').length,
                    rails.length,
                  )}
                </summary>
                {rails.map(({ operator, country, currency, state }) => (
                  <p>
                    {[operator ?? words.banks, country, currency].filter(Boolean).join(' · ')}{' '}
                    <Tag tone={state === 'open' ? 'good' : state === 'closed' ? 'bad' : 'warn'}>
                      {words.rails[state]}
                    </Tag>
                  </p>
                ))}
              </details>
            ),
          ])}
        />
      )}
    </>
  );
}
