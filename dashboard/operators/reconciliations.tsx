// Reconciliations: what was compared, and what was found. One begins by a button, a command or a
// schedule.

import {
  findReconciliation,
  listFindings,
  listReconciliations,
  type CheckResult,
  type Reconciliation,
} from '../../db/reconciliation/reconciliations';
import { reconcileNow } from '../../use-cases/reconciliations';
import { needsAttention, type CheckStatus } from '../../domain/reconciliation';
import { byNumber, pageOf } from '../../domain/page';
import { page, seeOther, formRoute } from '../context';
import { ActionButton } from '../forms';
import { Link, Pager, Table, Tag, Time, type Tone } from '../parts';
import { useFrame } from '../frame';
import { NUMBER, numberedPlace } from '../list-page';
import { asOperator, operatorPage } from './frame';
import { RECONCILIATION_WORDS } from './reconciliation-words';

const LIMIT = 30;
const FINDINGS = 100;

const TONES: Readonly<Record<CheckStatus, Tone>> = {
  running: 'quiet',
  clean: 'good',
  found: 'bad',
  not_checked: 'warn',
  not_configured: 'quiet',
};

export const RECONCILIATION_ROUTES = [
  operatorPage('/operators/reconciliations', async ({ operator_db }, visit) => {
    const { query, language } = visit;
    const words = RECONCILIATION_WORDS[language];
    const before = numberedPlace(query);
    if (before === null) return undefined;
    const found = await listReconciliations(operator_db, { before, limit: LIMIT + 1 });
    const { rows, next_cursor } = pageOf(found, LIMIT, byNumber);
    return page(
      words.title,
      <>
        <p class="lead">{words.lead}</p>
        <p>
          <ActionButton action="/operators/reconciliations">{words.run}</ActionButton>
        </p>
        <Table
          caption={words.title}
          columns={[words.number, words.started, words.ended, words.result]}
          rows={rows.map((one) => [
            <Link to={`/operators/reconciliations/${String(one.id)}`}>{String(one.id)}</Link>,
            <Time at={one.started_at} />,
            <End of={one} />,
            <Result of={one} />,
          ])}
        />
        <Pager path="/operators/reconciliations" query={query} next_cursor={next_cursor} />
      </>,
    );
  }),
  formRoute('/operators/reconciliations', 'operator', null, async (dependencies, visit) => {
    const words = RECONCILIATION_WORDS[visit.language];
    const { config, startReconciliation } = dependencies;
    const { task_queue } = config;
    const operator = asOperator(dependencies, visit);
    const handle = await reconcileNow({ ...operator, task_queue, startReconciliation }, {});
    const notice = handle ? words.begun : words.runs_already;
    return seeOther('/operators/reconciliations', {
      flash: { notice, tone: handle ? 'good' : 'quiet' },
    });
  }),
  operatorPage('/operators/reconciliations/:id', async ({ operator_db }, visit) => {
    const { query, language, params } = visit;
    const words = RECONCILIATION_WORDS[language];
    const id = params['id'] ?? '';
    const after = numberedPlace(query);
    const one = NUMBER.test(id) ? await findReconciliation(operator_db, BigInt(id)) : undefined;
    if (!one || after === null) return undefined;
    const found = await listFindings(operator_db, one.id, { after, limit: FINDINGS + 1 });
    const { rows, next_cursor } = pageOf(found, FINDINGS, byNumber);
    const path = `/operators/reconciliations/${id}`;
    return page(
      `${words.title} · ${id}`,
      <>
        <p>
          <Link to="/operators/reconciliations">{words.all}</Link>
        </p>
        <p>
          {words.started} <Time at={one.started_at} /> · {words.ended} <End of={one} />
        </p>
        <Checks of={one} />
        <h2>{words.findings}</h2>
        {rows.length === 0 ? (
          <p class="empty">{words.no_findings}</p>
        ) : (
          <Table
            caption={words.findings}
            columns={[words.check, words.what, words.reference, words.detail, words.result]}
            rows={rows.map((finding) => [
              words.checks[finding.check],
              words.kinds[finding.kind],
              <code>{finding.reference}</code>,
              finding.detail,
              finding.is_repaired ? (
                <Tag tone="good">{words.is_repaired}</Tag>
              ) : (
                <Tag tone="bad">{words.is_open}</Tag>
              ),
            ])}
          />
        )}
        <Pager path={path} query={query} next_cursor={next_cursor} />
      </>,
    );
  }),
];

function End({ of: { ended_at, is_broken_off } }: { readonly of: Reconciliation }) {
  const words = RECONCILIATION_WORDS[useFrame().language];
  if (ended_at === null) return <Tag>{words.runs}</Tag>;
  return is_broken_off ? <Tag tone="warn">{words.broken_off}</Tag> : <Time at={ended_at} />;
}

/** One tag for each check that is not clean; the tag for clean when all are. */
function Result({ of: { checks } }: { readonly of: Reconciliation }) {
  const words = RECONCILIATION_WORDS[useFrame().language];
  const telling = checks.filter(needsAttention);
  if (telling.length === 0) {
    const isClean = checks.some(({ status }) => status === 'clean');
    return isClean ? <Tag tone="good">{words.statuses.clean}</Tag> : <span>–</span>;
  }
  return (
    <>
      {telling.map((check) => (
        <p>
          <Status of={check} /> {words.checks[check.name]}
        </p>
      ))}
    </>
  );
}

function Status({ of: { status, found } }: { readonly of: CheckResult }) {
  const words = RECONCILIATION_WORDS[useFrame().language];
  const count = found > 0n ? ` (${String(found)})` : '';
  return (
    <Tag tone={TONES[status]}>
      {words.statuses[status]}
      {count}
    </Tag>
  );
}

function Checks({ of: { checks } }: { readonly of: Reconciliation }) {
  const words = RECONCILIATION_WORDS[useFrame().language];
  return (
    <Table
      caption={words.check}
      columns={[words.check, words.result, words.time, words.compared, words.found, words.repaired]}
      rows={checks.map((check) => [
        words.checks[check.name],
        <>
          <Status of={check} /> {check.detail !== null && <p>{check.detail}</p>}
        </>,
        <>
          <Time at={check.checked_from} /> – <Time at={check.checked_to} />
        </>,
        String(check.compared),
        String(check.found),
        String(check.repaired),
      ])}
    />
  );
}
