// The keys of the environment that is shown, and the first of an account.

import { listUsedKeys, USE_DAYS, type UsedKeyRow } from '../../db/keys/api-keys';
import { CURRENCIES } from '../../domain/currency';
import { isUuid } from '../../domain/ids';
import { mayGetKey, type MemberRole } from '../../domain/members';
import { DEFAULT_SCOPES, SCOPES, type Scope } from '../../domain/scopes';
import { pageOf } from '../../domain/page';
import { createFirstKey } from '../../use-cases/api-keys';
import { formatMoney } from '../../pages/formats';
import { formRoute, page, pageRoute, seeOther, type MemberVisit } from '../context';
import { useFrame } from '../frame';
import { Link, Notice, Pager, Table, Time } from '../parts';
import { KEY_FORM_ROUTES, needsCheck } from './key';
import { WORDS } from './words';

/** Each key that was not used for long costs a look into every day of the log. */
const PER_PAGE = 25;

export const KEY_ROUTES = [
  pageRoute('/keys', 'keys', async ({ db }, visit) => {
    const { account, session, query, language } = visit;
    const { environment } = session;
    const words = WORDS[language];
    const revoked = query.get('show') === 'revoked';
    const cursor = query.get('cursor') ?? '';
    const found = await listUsedKeys(db, {
      user_id: account.user_id,
      environment,
      revoked,
      limit: PER_PAGE + 1,
      before: isUuid(cursor) ? cursor : undefined,
    });
    const { rows, next_cursor } = pageOf(found, PER_PAGE, ({ id }) => id);
    return page(
      words.keys,
      <>
        <p class="lead">{words.lead}</p>
        {!revoked && <MakeOrWhyNot visit={visit} />}
        <nav class="tabs" aria-label={words.which}>
          <Link to="/keys" current={!revoked}>
            {words.show_active}
          </Link>
          <Link to="/keys?show=revoked" current={revoked}>
            {words.show_revoked}
          </Link>
        </nav>
        <KeyTable keys={rows} revoked={revoked} role={account.role} />
        <Pager path="/keys" query={query} next_cursor={next_cursor} />
      </>,
    );
  }),
  /** A test key for the command on the overview, which shows it. */
  formRoute(
    '/keys/first',
    'keys',
    'keys.create',
    async ({ db }, { account, session, language }) => {
      const created = await createFirstKey(
        { db, author: { user_id: account.user_id, login_id: session.login_id } },
        'First test key',
      );
      // The account has had one: another is made where its keys are listed.
      if (!created) return seeOther('/keys/new');
      const secret = { kind: 'key', label: WORDS[language].new_key, value: created.key } as const;
      return seeOther('/guides', { flash: { secret }, subject: created.id });
    },
  ),
  ...KEY_FORM_ROUTES,
];

function MakeOrWhyNot({ visit }: { readonly visit: MemberVisit }) {
  const words = WORDS[visit.language];
  if (needsCheck(visit)) return <NeedsCheck />;
  return (
    <p>
      <Link to="/keys/new" class="button">
        {words.make}
      </Link>
    </p>
  );
}

function NeedsCheck() {
  const words = WORDS[useFrame().language];
  return (
    <Notice tone="warn">
      <p>{words.needs_check}</p>
      <p>
        <Link to="/identity">{words.to_profile}</Link>
      </p>
    </Notice>
  );
}

function KeyTable({
  keys,
  revoked,
  role,
}: {
  readonly role: MemberRole;
  readonly keys: readonly UsedKeyRow[];
  readonly revoked: boolean;
}) {
  const words = WORDS[useFrame().language];
  const columns = [words.name, words.key, words.created, words.last_used, words.limits];
  return (
    <Table
      caption={revoked ? words.revoked : words.active}
      columns={[...columns, ...(revoked ? [words.revoked_at] : []), words.actions]}
      rows={keys.map((key) => [
        <b>{key.name || words.unnamed}</b>,
        <span>
          <code class="nowrap">{`${key.key_prefix}_…${key.last_four}`}</code>
          {!revoked && endOf(key) !== null && (
            <>
              <br />
              <span class="hint">
                {words.valid_until} <Time at={endOf(key)!} />
              </span>
            </>
          )}
        </span>,
        <Time at={key.created_at} />,
        <LastUsed of={key} />,
        <Limits of={key} />,
        ...(revoked ? [<Time at={endOf(key)!} />] : []),
        <span class="actions">
          <Link to={`/requests?key=${key.id}`}>{words.requests}</Link>
          {!revoked && (
            <>
              {key.revoked_at === null && mayGetKey(role, key.environment, key) && (
                <>
                  <Link to={`/keys/${key.id}/edit`}>{words.edit}</Link>
                  <Link to={`/keys/${key.id}/rotate`}>{words.rotate}</Link>
                </>
              )}
              <Link to={`/keys/${key.id}/revoke`}>{words.revoke}</Link>
            </>
          )}
        </span>,
      ])}
    />
  );
}

/** When the key is or was refused, whatever comes first. */
function endOf({ revoked_at, expires_at }: UsedKeyRow): string | null {
  if (revoked_at === null || expires_at === null) return revoked_at ?? expires_at;
  return Date.parse(revoked_at) < Date.parse(expires_at) ? revoked_at : expires_at;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

function LastUsed({ of: { last_used_at, last_used_ip, created_at } }: { readonly of: UsedKeyRow }) {
  const words = WORDS[useFrame().language];
  if (last_used_at === null) {
    const isOld = Date.parse(created_at) < Date.now() - USE_DAYS * DAY_MS;
    return <>{isOld ? words.long_ago(USE_DAYS) : words.never}</>;
  }
  return (
    <span>
      <Time at={last_used_at} />
      <br />
      <span class="hint">{words.from_address(last_used_ip ?? '')}</span>
    </span>
  );
}

function Limits({
  of: { requests_per_minute, writes_per_minute, scopes, daily_limit, allowed_ips },
}: {
  readonly of: UsedKeyRow;
}) {
  const { language } = useFrame();
  const words = WORDS[language];
  return (
    <span>
      {scopesText(words, scopes)}
      <br />
      <span class="hint">
        {words.per_minute(requests_per_minute)}
        {', '}
        {words.per_minute_writes(writes_per_minute)}
      </span>
      {CURRENCIES.map((currency) => {
        if (daily_limit === null) return null;
        const most = daily_limit[currency] ?? '0';
        return (
          <>
            <br />
            <span class="hint">{words.per_day(formatMoney(language, BigInt(most), currency))}</span>
          </>
        );
      })}
      {allowed_ips && (
        <>
          <br />
          <span class="hint">
            {words.only_from} {allowed_ips.join(', ')}
          </span>
        </>
      )}
    </span>
  );
}

/** Every one of them is too long for a list. `sandbox` means nothing to a live key. */
function scopesText(words: (typeof WORDS)['en'], scopes: readonly Scope[]): string {
  const lacks_usual = DEFAULT_SCOPES.some((one) => one !== 'sandbox' && !scopes.includes(one));
  const beyond_usual = scopes.filter((one) => !DEFAULT_SCOPES.includes(one)).length;
  if (!lacks_usual && beyond_usual === 0) return words.default_scopes;
  if (!lacks_usual && beyond_usual === SCOPES.length - DEFAULT_SCOPES.length)
    return words.all_scopes;
  return scopes.join(', ');
}
