// Payouts of every account: those in doubt, and what is decided about them.

import { findUserByName } from '../../db/accounts/users';
import { findWaitingApproval } from '../../db/operators/approvals';
import {
  findOperatorPayout,
  listOperatorPayouts,
  listPayoutsInDoubt,
  type OperatorPayout,
} from '../../db/payouts/operator-payouts';
import { listPayoutTimeline } from '../../db/payouts/payouts';
import { isUuid, pursuitWorkflowId } from '../../domain/ids';
import { labelled } from '../../domain/language';
import { normalUsername } from '../../domain/username';
import { settleLossOf } from '../../use-cases/losses';
import { settlePayout } from '../../use-cases/payouts/by-operator';
import { page, seeOther, type Answer, type SignedInVisit, type Faults } from '../context';
import { Button } from '../forms';
import { Details, Link, Money, Table, Tag, Time, type Detail, type Tone } from '../parts';
import { describePayout } from '../payouts/payout';
import { STATUS_WORDS, WORDS as PAYOUTS } from '../payouts/words';
import { troublePage } from '../trouble';
import { useFrame } from '../frame';
import {
  AccountLink,
  asOperator,
  EnvironmentTag,
  MAX_REASON,
  ReasonForm,
  WorkflowLink,
  operatorPage,
  operatorForm,
  type OperatorDependencies,
} from './frame';
import { PAYOUT_WORDS } from './payout-words';
import { WaitingNotice } from './suspense';
import { WORDS } from './words';

const SHOWN = 200;

export const PAYOUT_ROUTES = [
  operatorPage('/operators/payouts', async ({ operator_db: db }, { language, query }) => {
    const words = PAYOUT_WORDS[language];
    const username = query.get('user');
    const user = username === null ? undefined : await findUserByName(db, normalUsername(username));
    if (username !== null && !user) return undefined;
    const all = user !== undefined || query.get('all') === '1';
    const payouts = all
      ? await listOperatorPayouts(db, { user_id: user?.id }, SHOWN)
      : await listPayoutsInDoubt(db, SHOWN);
    const title = user ? words.of_user(user.username) : all ? words.all : words.in_doubt;
    return page(
      title,
      <>
        {!all && <p class="lead">{words.in_doubt_lead}</p>}
        <p>
          <Link to={all ? '/operators/payouts' : '/operators/payouts?all=1'}>
            {all ? words.only_in_doubt : words.all}
          </Link>
        </p>
        {payouts.length === 0 && !all ? (
          <p class="empty">{words.none_in_doubt}</p>
        ) : (
          <Payouts payouts={payouts} title={title} />
        )}
      </>,
    );
  }),
  operatorPage('/operators/payouts/:id', showPayout),
  operatorForm('/operators/payouts/:id/settle', async (dependencies, visit) => {
    const payout = await findShown(dependencies, visit);
    const { form, language } = visit;
    if (!payout) return undefined;
    const decision = form.get('decision');
    // Only a button that was pressed moves money.
    if (decision !== 'paid' && decision !== 'not_paid' && decision !== 'loss') {
      return troublePage(language, { kind: 'form' });
    }
    const [words, shared] = [PAYOUT_WORDS[language], WORDS[language]];
    const reason = (form.get('reason') ?? '').trim();
    if (reason === '' || reason.length > MAX_REASON) {
      return showPayout(dependencies, visit, { reason: shared.reason_missing });
    }
    const deciding = asOperator(dependencies, visit);
    const settled =
      decision === 'loss'
        ? await settleLossOf(deciding, payout.reference, reason)
        : await settlePayout(deciding, {
            payout: payout.id,
            is_paid: decision === 'paid',
            provider_payment: form.get('provider_payment'),
            reason,
          });
    if (settled.ok && decision !== 'loss') {
      // Its workflow sees it when it asks the next time, if this fails.
      await dependencies.pursue('payout', [payout.id]).catch(() => undefined);
    }
    const flash = settled.ok
      ? { notice: words[`done_${decision}`] }
      : {
          notice:
            settled.error === 'approval_required'
              ? shared.awaits
              : settled.error === 'other_approval_waits'
                ? shared.other_awaits
                : words.refused[settled.error],
          tone: settled.error === 'approval_required' ? ('quiet' as const) : ('bad' as const),
        };
    return seeOther(`/operators/payouts/${payout.id}`, { flash });
  }),
];

function Payouts({
  payouts,
  title,
}: {
  readonly payouts: readonly OperatorPayout[];
  readonly title: string;
}) {
  const { language } = useFrame();
  const [words, shared] = [PAYOUT_WORDS[language], WORDS[language]];
  return (
    <Table
      caption={title}
      columns={[
        words.ordered,
        { label: shared.amount, as: 'number' },
        words.recipient,
        shared.merchant,
        words.provider,
        shared.state,
        shared.reference,
      ]}
      rows={payouts.map((payout) => [
        <Time at={payout.created_at} />,
        <>
          <Money minor={payout.amount_minor} currency={payout.currency} />{' '}
          <EnvironmentTag environment={payout.environment} />
        </>,
        recipientOf(payout),
        <AccountLink username={payout.username} />,
        payout.provider,
        <State payout={payout} />,
        <Link to={`/operators/payouts/${payout.id}`}>{payout.reference}</Link>,
      ])}
    />
  );
}

const recipientOf = ({ phone, operator, account_end, name }: OperatorPayout): string =>
  [phone ?? `…${account_end}`, operator, name].filter((part) => part !== null).join(' · ');

const isLost = ({ unsettled_minor }: OperatorPayout): boolean => unsettled_minor !== 0n;

function State({ payout }: { readonly payout: OperatorPayout }) {
  const { language } = useFrame();
  const words = PAYOUT_WORDS[language];
  const { status, stage } = payout;
  if (isLost(payout)) return <Tag tone="bad">{words.loss}</Tag>;
  const names = { ...STATUS_WORDS[language], ...words.stages };
  const tone: Tone =
    stage === 'unknown' || status === 'failed' ? 'bad' : status === 'succeeded' ? 'good' : 'quiet';
  return <Tag tone={tone}>{names[stage ?? status]}</Tag>;
}

async function findShown(
  { operator_db }: OperatorDependencies,
  { params }: SignedInVisit,
): Promise<OperatorPayout | undefined> {
  const id = params['id'] ?? '';
  return isUuid(id) ? findOperatorPayout(operator_db, id) : undefined;
}

async function showPayout(
  dependencies: OperatorDependencies,
  visit: SignedInVisit,
  faults: Faults = {},
): Promise<Answer | undefined> {
  const { language } = visit;
  const payout = await findShown(dependencies, visit);
  if (!payout) return undefined;
  const { operator_db: db, config } = dependencies;
  const shared = WORDS[language];
  const { id, reference, currency } = payout;
  const [entries, settling, lossSettling] = await Promise.all([
    listPayoutTimeline(db, id),
    findWaitingApproval(db, `payout/${reference}`),
    findWaitingApproval(db, `loss/${reference}`),
  ]);
  const waiting = settling ?? lossSettling;
  return page(
    labelled(language, shared.kinds.payout, reference),
    <>
      <Details
        rows={[
          ...detailsOf(payout, visit),
          [
            shared.workflow,
            <WorkflowLink
              config={config}
              id={pursuitWorkflowId('payout', payout.environment, id)}
            />,
          ],
        ]}
      />
      {waiting ? <WaitingNotice approval={waiting} /> : <Decision payout={payout} />}
      <h2>{shared.history}</h2>
      <ol class="timeline">
        {entries.map((entry) => (
          <li>
            <Time at={entry.at} /> <span>{describePayout(language, entry, currency)}</span>
          </li>
        ))}
      </ol>
    </>,
    faults,
  );
}

function detailsOf(payout: OperatorPayout, { language }: SignedInVisit): Detail[] {
  const [words, shared] = [PAYOUT_WORDS[language], WORDS[language]];
  const { currency, failure, detail, asked_at, provider_payment_id } = payout;
  const money = (minor: bigint) => <Money minor={minor} currency={currency} />;
  return [
    [shared.state, <State payout={payout} />],
    [words.recipient_gets, money(payout.amount_minor)],
    [words.fee, money(payout.fee_minor)],
    [words.tax, payout.tax_minor > 0n && money(payout.tax_minor)],
    [words.recipient, recipientOf(payout)],
    [shared.environment, <EnvironmentTag environment={payout.environment} />],
    [shared.merchant, <AccountLink username={payout.username} />],
    [words.ordered, <Time at={payout.created_at} />],
    [words.provider, payout.provider],
    [
      words.provider_payment,
      provider_payment_id === null ? words.none_yet : <code>{provider_payment_id}</code>,
    ],
    [
      words.asked,
      asked_at !== null && (
        <>
          <Time at={asked_at} /> · {words.times(payout.asks)}
        </>
      ),
    ],
    [words.detail, detail],
    [words.failure, failure && `${failure.message} (${failure.code})`],
    [PAYOUTS[language].returned, payout.returned_minor > 0n && money(payout.returned_minor)],
    [words.loss, isLost(payout) && money(payout.unsettled_minor)],
  ];
}

/** One form, whose buttons decide; a payout about which no operator can decide has none. */
function Decision({ payout }: { readonly payout: OperatorPayout }) {
  const { language } = useFrame();
  const [words, shared] = [PAYOUT_WORDS[language], WORDS[language]];
  const { id, provider_payment_id: named } = payout;
  const is_asked = payout.status === 'pending' && (payout.stage !== 'queued' || named !== null);
  if (!is_asked && !isLost(payout)) return <></>;
  const action = `/operators/payouts/${id}/settle`;
  if (!is_asked) {
    return (
      <>
        <h2>{words.loss}</h2>
        <p class="hint">{words.loss_lead}</p>
        <ReasonForm action={action} hint={shared.reason_hint}>
          <Button look="danger" name="decision" value="loss">
            {words.settle_loss}
          </Button>
        </ReasonForm>
      </>
    );
  }
  return (
    <>
      <h2>{words.settle}</h2>
      <p class="hint">{words.settle_lead}</p>
      <ReasonForm action={action} hint={words.reason_read}>
        {named !== null && (
          <p class="field">
            <label>
              <input type="checkbox" name="provider_payment" value={named} required />
              {words.have_looked(named)}
            </label>
          </p>
        )}
        <p class="actions">
          <Button name="decision" value="paid">
            {words.paid}
          </Button>
          <Button name="decision" value="not_paid" look="plain">
            {words.not_paid}
          </Button>
        </p>
      </ReasonForm>
    </>
  );
}
