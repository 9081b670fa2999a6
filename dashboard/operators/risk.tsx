// Cases of risk: those that wait, each with what the rules have said, and the decision about it.

import { findWaitingApproval } from '../../db/operators/approvals';
import { findCase, listCases, viewCase, type RiskCase } from '../../db/risk/cases';
import { plainReference } from '../../domain/ids';
import { indentJson } from '../../domain/indented-json';
import { labelled } from '../../domain/language';
import { formatMoney } from '../../pages/formats';
import type { CaseStatus, RiskReason } from '../../domain/risk';
import { decideCase, type DecidedRisk } from '../../use-cases/risk/cases';
import { renderCase } from '../../use-cases/risk/export';
import { page, seeOther, type Answer, type Faults, type SignedInVisit } from '../context';
import { Button } from '../forms';
import { Details, Link, Money, Table, Tag, Time, type Tone } from '../parts';
import { troublePage } from '../trouble';
import {
  AccountLink,
  AllOrWaiting,
  areYouSure,
  asOperator,
  EnvironmentTag,
  operatorForm,
  operatorPage,
  personOf,
  readReason,
  ReasonForm,
  type OperatorDependencies,
} from './frame';
import { RISK_WORDS } from './risk-words';
import { WaitingNotice } from './suspense';
import { WORDS } from './words';

const SHOWN = 200;

const TONES: Readonly<Record<CaseStatus, Tone>> = {
  held: 'warn',
  released: 'good',
  refused: 'bad',
  expired: 'bad',
  withdrawn: 'quiet',
};

function CaseTable({
  of,
  language,
}: {
  readonly of: readonly RiskCase[];
  readonly language: SignedInVisit['language'];
}) {
  const [words, own] = [WORDS[language], RISK_WORDS[language]];
  return (
    <Table
      caption={own.cases}
      columns={[
        own.since,
        { label: words.amount, as: 'number' },
        words.environment,
        words.account,
        own.to,
        words.reason,
        words.state,
        words.decision,
      ]}
      rows={of.map((one) => [
        <Time at={one.created_at} />,
        <CaseMoney of={one} />,
        one.environment !== null && <EnvironmentTag environment={one.environment} />,
        <AccountLink username={one.username} />,
        <bdi>{one.counterparty ?? own.subjects[one.subject_type]}</bdi>,
        one.reasons.map(({ name }) => name).join(', '),
        <Tag tone={TONES[one.status]}>{own.statuses[one.status]}</Tag>,
        <Link to={`/operators/risk/${one.reference}`}>
          {one.status === 'held' ? words.decide : words.see}
        </Link>,
      ])}
    />
  );
}

/** An account's case has none. */
function CaseMoney({ of: { amount_minor, currency } }: { readonly of: RiskCase }) {
  if (amount_minor === null || currency === null) return <></>;
  return <Money minor={amount_minor} currency={currency} />;
}

async function casePage(
  dependencies: OperatorDependencies,
  visit: SignedInVisit,
  faults: Faults = {},
): Promise<Answer | undefined> {
  const { operator_db } = dependencies;
  const reference = plainReference(visit.params['id'] ?? '');
  const one = await findCase(operator_db, reference);
  if (!one) return undefined;
  await viewCase(operator_db, reference, asOperator(dependencies, visit).actor);
  const { language } = visit;
  const [words, own] = [WORDS[language], RISK_WORDS[language]];
  const is_held = one.status === 'held';
  const waiting = is_held ? await findWaitingApproval(operator_db, `risk/${reference}`) : undefined;
  const held = await listCases(operator_db, { status: 'held', user_id: one.user_id, limit: SHOWN });
  const others = held.filter((other) => other.reference !== reference);
  return page(
    labelled(language, own.case, reference),
    <>
      <Details
        rows={[
          [words.state, <Tag tone={TONES[one.status]}>{own.statuses[one.status]}</Tag>],
          [words.amount, one.amount_minor !== null && <CaseMoney of={one} />],
          [
            words.environment,
            one.environment !== null && <EnvironmentTag environment={one.environment} />,
          ],
          [words.account, <AccountLink username={one.username} />],
          [own.subjects[one.subject_type], <code>{one.subject}</code>],
          [own.to, one.counterparty !== null && <bdi>{one.counterparty}</bdi>],
          [own.since, <Time at={one.created_at} exact />],
          [own.until, is_held && one.expires_at !== null && <Time at={one.expires_at} exact />],
          ...one.reasons.map(
            (reason) => [own.sources[reason.source], wordsOf(reason, language)] as const,
          ),
          [
            own.decided,
            one.decided_at !== null && (
              <>
                <Time at={one.decided_at} exact />{' '}
                {one.decided_by !== null && personOf(language, one.decided_by)}
              </>
            ),
          ],
          [words.reason, one.reason],
        ]}
      />
      <p>
        <Link to={`/operators/risk/${reference}.json`}>{own.export}</Link>
      </p>
      {waiting && <WaitingNotice approval={waiting} />}
      {is_held && !waiting && (
        <ReasonForm action={`/operators/risk/${reference}/decide`} hint={own.reason_hint}>
          <p class="actions">
            <Button name="decision" value="release">
              {own.release}
            </Button>
            <Button look="danger" name="decision" value="refuse">
              {own.refuse}
            </Button>
          </p>
        </ReasonForm>
      )}
      {others.length > 0 && (
        <>
          <h2>{own.others}</h2>
          <CaseTable of={others} language={language} />
        </>
      )}
    </>,
    faults,
  );
}

function wordsOf(
  { source, name, detail }: RiskReason,
  language: SignedInVisit['language'],
): string {
  const silences: Readonly<Record<string, string>> = RISK_WORDS[language].silences;
  return `${name}: ${source === 'silence' ? (silences[detail] ?? detail) : detail}`;
}

export const RISK_ROUTES = [
  operatorPage('/operators/risk', async ({ operator_db }, { language, query }) => {
    const all = query.get('all') === '1';
    const status = all ? undefined : 'held';
    const cases = await listCases(operator_db, { status, limit: SHOWN });
    return page(
      RISK_WORDS[language].risk,
      <>
        <p class="lead">{RISK_WORDS[language].lead}</p>
        <AllOrWaiting path="/operators/risk" all={all} />
        <CaseTable of={cases} language={language} />
      </>,
    );
  }),
  operatorPage('/operators/risk/:id.json', async (dependencies, visit) => {
    const reference = plainReference(visit.params['id'] ?? '');
    const text = await renderCase(asOperator(dependencies, visit), reference);
    if (text === undefined) return undefined;
    const body = `${indentJson(text)}\n`;
    return { kind: 'file', type: 'application/json', name: `${reference}.json`, body };
  }),
  operatorPage('/operators/risk/:id', casePage),
  operatorForm('/operators/risk/:id/decide', async (dependencies, visit) => {
    const { language, form, params } = visit;
    const [words, own] = [WORDS[language], RISK_WORDS[language]];
    const reference = plainReference(params['id'] ?? '');
    const one = await findCase(dependencies.operator_db, reference);
    if (!one) return undefined;
    const reason = readReason(visit);
    if (reason === undefined)
      return casePage(dependencies, visit, { reason: words.reason_missing });
    const decision = form.get('decision');
    // Only a button that was pressed moves money.
    if (decision !== 'release' && decision !== 'refuse')
      return troublePage(language, { kind: 'form' });
    if (!form.has('sure')) {
      const { amount_minor, currency, username } = one;
      const asked =
        amount_minor === null || currency === null
          ? { title: own.sure_account[decision](username), lead: own.sure_account_lead[decision] }
          : {
              title: own.sure[decision](formatMoney(language, amount_minor, currency), username),
              lead: own.sure_lead[decision],
            };
      return areYouSure(visit, {
        ...asked,
        button: own[decision],
        ...(decision === 'refuse' ? { look: 'danger' as const } : {}),
        back: `/operators/risk/${reference}`,
      });
    }
    const done = await decideCase(
      {
        requesting: asOperator(dependencies, visit),
        pay_url_base: dependencies.config.pay_url_base,
        pursue: dependencies.pursue,
      },
      reference,
      decision,
      reason,
    );
    const tone = done.ok || done.error !== 'refused' ? 'good' : 'bad';
    const notice = noticeOf(done, language);
    return seeOther(`/operators/risk/${reference}`, { flash: { notice, tone } });
  }),
];

function noticeOf(done: DecidedRisk, language: SignedInVisit['language']): string {
  const [words, own] = [WORDS[language], RISK_WORDS[language]];
  if (done.ok) return own.done[done.decided.status === 'released' ? 'release' : 'refuse'];
  if (done.error === 'refused') return own.refusals[done.refusal];
  return done.error === 'approval_required' ? words.awaits : words.other_awaits;
}
