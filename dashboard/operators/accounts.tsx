// The accounts of all merchants: found, looked at, frozen.

import type { JSX } from 'preact';
import { readLimits } from '../../db/limits/limits';
import { listAuditRows } from '../../db/operators/audit';
import {
  findAccount,
  listAccounts,
  listAccountTransactions,
  type AccountRow,
  type AccountView,
} from '../../db/operators/operators';
import { isUuid, identityCheckWorkflowId } from '../../domain/ids';
import { parseInstant } from '../../domain/instant';
import { pageOf } from '../../domain/page';
import { freezeAccount, unfreezeAccount } from '../../use-cases/users';
import { formatCountry } from '../../pages/formats';
import { STATUS_WORDS, TYPE_WORDS } from '../../use-cases/transactions/words';
import { page, seeOther, type Answer, type SignedInVisit, type Faults } from '../context';
import { Button, Field, Filters } from '../forms';
import { Details, Link, Money, Pager, Table, Tag, Time } from '../parts';
import { KYC_TONES } from '../profile/identity';
import { WORDS as PROFILE_WORDS } from '../profile/words';
import { useFrame } from '../frame';
import { auditCells } from './audit';
import { AccountLimits } from './account-limits';
import { AUDIT_WORDS } from './audit-words';
import {
  AccountLink,
  asOperator,
  EnvironmentTag,
  MAX_SEARCH,
  readReason,
  ReasonForm,
  WorkflowLink,
  operatorPage,
  type OperatorDependencies,
  operatorForm,
} from './frame';
import { WORDS } from './words';

const LIMIT = 50;
const LATEST = 10;

export const ACCOUNT_ROUTES = [
  operatorPage('/operators/accounts', async ({ operator_db }, visit) => {
    const { query, language } = visit;
    const words = WORDS[language];
    const search = (query.get('search') ?? '').trim().slice(0, MAX_SEARCH);
    const after = readCursor(query.get('cursor'));
    if (after === null) return undefined;
    // One more row shows that another page follows.
    const found = await listAccounts(operator_db, { search, after, limit: LIMIT + 1 });
    const { rows, next_cursor } = pageOf(found, LIMIT, (last) => `${last.created_at}_${last.id}`);
    return page(
      words.accounts,
      <>
        <Filters action="/operators/accounts" is_open>
          <Field name="search" label={words.search} value={search} maxLength={MAX_SEARCH} />
          <Button look="plain">{words.find}</Button>
        </Filters>
        <Table
          caption={words.accounts}
          columns={[words.account, words.email, words.check, words.state, words.created]}
          rows={rows.map((account) => [
            <AccountLink username={account.username} />,
            account.email,
            <KycTag account={account} />,
            account.frozen_at === null ? words.active : <Tag tone="bad">{words.frozen}</Tag>,
            <Time at={account.created_at} />,
          ])}
        />
        <Pager path="/operators/accounts" query={query} next_cursor={next_cursor} />
      </>,
    );
  }),
  operatorPage('/operators/accounts/:username', accountPage),
  operatorForm('/operators/accounts/:username/freeze', changeFreeze(freezeAccount)),
  operatorForm('/operators/accounts/:username/unfreeze', changeFreeze(unfreezeAccount)),
];

function KycTag({ account: { kyc_status } }: { readonly account: Pick<AccountRow, 'kyc_status'> }) {
  const { language } = useFrame();
  return <Tag tone={KYC_TONES[kyc_status]}>{PROFILE_WORDS[language].statuses[kyc_status]}</Tag>;
}

/** Returns undefined for the first page, and null for a cursor that is none of ours. */
function readCursor(
  cursor: string | null,
): { readonly created_at: string; readonly id: string } | undefined | null {
  if (cursor === null) return undefined;
  const [at = '', id = ''] = cursor.split('_');
  const created_at = parseInstant(at);
  return created_at !== undefined && isUuid(id) ? { created_at, id } : null;
}

export async function accountPage(
  dependencies: OperatorDependencies,
  visit: SignedInVisit,
  faults: Faults = {},
): Promise<Answer | undefined> {
  const { operator_db: db } = dependencies;
  const { language, params } = visit;
  const words = WORDS[language];
  const account = await findAccount(db, params['username'] ?? '');
  if (!account) return undefined;
  const [transactions, audit_rows, limits] = await Promise.all([
    listAccountTransactions(db, account.id, LATEST),
    listAuditRows(db, { username: account.username }, LATEST),
    readLimits(db, account.id),
  ]);
  return page(
    account.username,
    <>
      <AccountData account={account} config={dependencies.config} />
      <FreezeForm account={account} />
      <AccountLimits username={account.username} limits={limits} />
      <Belongings account={account} />
      <h2>{words.transactions}</h2>
      <Table
        caption={words.transactions}
        columns={[
          { label: words.time, as: 'when' },
          { label: words.environment, as: 'state' },
          { label: words.type, as: 'what' },
          { label: words.amount, as: 'amount' },
          { label: words.reference, as: 'who' },
        ]}
        rows={transactions.map((one) => [
          <Time at={one.created_at} />,
          <EnvironmentTag environment={one.environment} />,
          `${TYPE_WORDS[language][one.type]} · ${STATUS_WORDS[language][one.status]}`,
          <>
            {one.direction === 'out' ? '−' : '+'}
            <Money minor={one.amount_minor} currency={one.currency} />
          </>,
          <Link to={`/operators/search?q=${encodeURIComponent(one.reference)}`}>
            {one.reference}
          </Link>,
        ])}
      />
      <p>
        <Link to={`/operators/payouts?user=${encodeURIComponent(account.username)}`}>
          {words.payouts}
        </Link>
      </p>
      <h2>{words.audit_about}</h2>
      <Table
        caption={words.audit_about}
        columns={[words.time, AUDIT_WORDS[language].entry, words.account, words.details]}
        rows={audit_rows.map((row) => auditCells(language, row))}
      />
    </>,
    faults,
  );
}

function AccountData({
  account,
  config,
}: {
  readonly account: AccountView;
  readonly config: OperatorDependencies['config'];
}) {
  const { language } = useFrame();
  const words = WORDS[language];
  return (
    <Details
      rows={[
        [words.state, stateOf(account, words)],
        [words.check, <KycTag account={account} />],
        [words.workflow, <WorkflowLink config={config} id={identityCheckWorkflowId(account.id)} />],
        [words.name, `${account.first_name} ${account.last_name}`.trim() || '–'],
        [words.email, account.email],
        [words.country, formatCountry(language, account.country)],
        [words.created, <Time at={account.created_at} />],
      ]}
    />
  );
}

function stateOf(
  { frozen_at, frozen_reason }: AccountView,
  words: (typeof WORDS)['en'],
): JSX.Element | string {
  if (frozen_at === null) return words.active;
  return (
    <>
      <Tag tone="bad">{words.frozen}</Tag> {words.frozen_since} <Time at={frozen_at} /> ·{' '}
      {frozen_reason}
    </>
  );
}

function FreezeForm({ account: { username, frozen_at } }: { readonly account: AccountView }) {
  const words = WORDS[useFrame().language];
  const isFrozen = frozen_at !== null;
  const path = `/operators/accounts/${username}/${isFrozen ? 'unfreeze' : 'freeze'}`;
  return (
    <>
      <h2>{isFrozen ? words.unfreeze : words.freeze}</h2>
      {!isFrozen && <p class="hint">{words.freeze_lead}</p>}
      <ReasonForm action={path} hint={words.reason_hint}>
        <Button look={isFrozen ? 'plain' : 'danger'}>
          {isFrozen ? words.unfreeze : words.freeze}
        </Button>
      </ReasonForm>
    </>
  );
}

function Belongings({ account }: { readonly account: AccountView }) {
  const { language } = useFrame();
  const words = WORDS[language];
  return (
    <>
      <h2>{words.wallets}</h2>
      <Table
        caption={words.wallets}
        columns={[words.environment, { label: words.balance, as: 'number' }]}
        rows={account.wallets.map(({ environment, currency, balance }) => [
          <EnvironmentTag environment={environment} />,
          <Money minor={BigInt(balance)} currency={currency} />,
        ])}
      />
      <p>
        <Link to={`/operators/accounts/${account.username}/credits/new`} class="button plain">
          {words.credit}
        </Link>
      </p>
      <h2>{words.members}</h2>
      <Table
        caption={words.members}
        columns={[words.email, words.role, words.second_factor]}
        rows={account.members.map(({ email, role, has_totp, is_operator }) => [
          email,
          PROFILE_WORDS[language].roles[role] + (is_operator ? `, ${words.is_operator}` : ''),
          has_totp ? words.yes : words.no,
        ])}
      />
      <h2>{words.keys}</h2>
      <Table
        caption={words.keys}
        columns={[words.key, words.name, words.environment, words.created, words.revoked]}
        rows={account.keys.map((key) => [
          <code>{`${key.key_prefix}…${key.last_four}`}</code>,
          key.name,
          <EnvironmentTag environment={key.environment} />,
          <Time at={key.created_at} />,
          key.revoked_at === null ? '–' : <Time at={key.revoked_at} />,
        ])}
      />
      <h2>{words.endpoints}</h2>
      <Table
        caption={words.endpoints}
        columns={[words.url, words.environment, words.state]}
        rows={account.endpoints.map(({ url, environment, status, failing_since }) => [
          url,
          <EnvironmentTag environment={environment} />,
          status === 'disabled' ? (
            <Tag tone="bad">{words.disabled}</Tag>
          ) : failing_since === null ? (
            <Tag tone="good">{words.healthy}</Tag>
          ) : (
            <>
              <Tag tone="warn">{words.failing_since}</Tag> <Time at={failing_since} />
            </>
          ),
        ])}
      />
    </>
  );
}

function changeFreeze(decide: typeof freezeAccount) {
  return async (dependencies: OperatorDependencies, visit: SignedInVisit) => {
    const { params, language } = visit;
    const words = WORDS[language];
    const reason = readReason(visit);
    if (reason === undefined)
      return accountPage(dependencies, visit, { reason: words.reason_missing });
    const decided = await decide(asOperator(dependencies, visit), params['username'] ?? '', reason);
    if (!decided.ok) return undefined;
    const { username, frozen_at } = decided.user;
    const notice = frozen_at === null ? words.now_active(username) : words.now_frozen(username);
    return seeOther(`/operators/accounts/${username}`, { flash: { notice } });
  };
}
