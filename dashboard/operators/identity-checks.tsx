// The queue of identity checks, and one of them with what was submitted.

import type { JSX } from 'preact';
import { findIdentityCheck, listPendingIdentityChecks } from '../../db/accounts/identity-checks';
import type { Identity } from '../../domain/identity';
import { identityCheckWorkflowId, isUuid } from '../../domain/ids';
import { labelled } from '../../domain/language';
import { decideIdentityCheck, viewIdentity } from '../../use-cases/identity-checks';
import { formRoute, page, pageRoute, seeOther, type Answer, type SignedInVisit } from '../context';
import { formatCountry } from '../../pages/formats';
import { Button } from '../forms';
import { Details, Link, Table, Tag, Time } from '../parts';
import { KYC_TONES } from '../profile/profile';
import { WORDS as PROFILE_WORDS } from '../profile/words';
import { troublePage } from '../trouble';
import {
  AccountLink,
  asOperator,
  MAX_REASON,
  readReason,
  ReasonForm,
  WorkflowLink,
  type OperatorDependencies,
} from './frame';
import { WORDS } from './words';

const LIMIT = 100;

async function showQueue(
  { operator_db }: OperatorDependencies,
  visit: SignedInVisit,
): Promise<Answer> {
  const words = WORDS[visit.language];
  const checks = await listPendingIdentityChecks(operator_db, LIMIT);
  return page(
    words.checks,
    <Table
      caption={words.checks}
      columns={[words.account, words.submitted, words.expires, words.decision]}
      rows={checks.map(({ id, username, created_at, expires_at }) => [
        <AccountLink username={username} />,
        <Time at={created_at} />,
        expires_at === null ? '–' : <Time at={expires_at} />,
        <Link to={`/operators/identity-checks/${id}`}>{words.decide}</Link>,
      ])}
    />,
  );
}

async function showCheck(
  dependencies: OperatorDependencies,
  visit: SignedInVisit,
): Promise<Answer> {
  return checkPage(dependencies, visit);
}

async function checkPage(
  dependencies: OperatorDependencies,
  visit: SignedInVisit,
  fault?: string,
): Promise<Answer> {
  const { operator_db, sealer, config } = dependencies;
  const { params, language, form } = visit;
  const words = WORDS[language];
  const id = params['id'] ?? '';
  const check = isUuid(id) ? await findIdentityCheck(operator_db, id) : undefined;
  if (!check) return troublePage(language, { kind: 'unknown' });
  const identity = await viewIdentity({ ...asOperator(dependencies, visit), sealer }, check.id);
  const status = PROFILE_WORDS[language].statuses[check.status];
  return page(
    labelled(language, words.check, check.username),
    <>
      <Details
        rows={[
          { term: words.account, value: <AccountLink username={check.username} /> },
          { term: words.status, value: <Tag tone={KYC_TONES[check.status]}>{status}</Tag> },
          { term: words.submitted, value: <Time at={check.created_at} /> },
          { term: words.submitted_by, value: check.submitted_by ?? '–' },
          ...(check.decided_at === null
            ? []
            : [
                { term: words.decided, value: <Time at={check.decided_at} /> },
                { term: words.decided_by, value: check.decided_by ?? '–' },
                { term: words.reason, value: check.reason ?? '–' },
              ]),
          {
            term: words.workflow,
            value: <WorkflowLink config={config} id={identityCheckWorkflowId(check.user_id)} />,
          },
        ]}
      />
      <h2>{words.data}</h2>
      {identity ? (
        <Submitted identity={identity} visit={visit} />
      ) : (
        <p class="lead">{words.no_data}</p>
      )}
      {check.status === 'pending' && (
        <>
          <h2>{words.decision}</h2>
          <ReasonForm
            action={`/operators/identity-checks/${check.id}/decide`}
            words={words}
            hint={words.reason_told}
            value={form.get('reason') ?? ''}
            fault={fault}
            isRequired={false}
          >
            <p class="actions">
              <Button name="decision" value="approved">
                {words.approve}
              </Button>
              <Button name="decision" value="rejected" look="danger">
                {words.reject}
              </Button>
            </p>
          </ReasonForm>
        </>
      )}
    </>,
    fault === undefined ? 200 : 422,
  );
}

function Submitted({
  identity,
  visit: { language },
}: {
  readonly identity: Identity;
  readonly visit: SignedInVisit;
}): JSX.Element {
  const words = PROFILE_WORDS[language];
  const number =
    identity.kind === 'person'
      ? { term: words.birth_date, value: identity.birth_date }
      : { term: words.registration_number, value: identity.registration_number };
  return (
    <>
      <p class="hint">{WORDS[language].data_hint}</p>
      <Details
        rows={[
          { term: words.kind, value: words.kinds[identity.kind] },
          { term: words.legal_name, value: identity.legal_name },
          number,
          { term: words.address, value: identity.address },
          { term: words.country, value: formatCountry(language, identity.country) },
          { term: words.document_type, value: words.documents[identity.document_type] },
          { term: words.document_number, value: identity.document_number },
        ]}
      />
    </>
  );
}

async function decideCheck(
  dependencies: OperatorDependencies,
  visit: SignedInVisit,
): Promise<Answer> {
  const { operator_db, wakeIdentityCheck, log } = dependencies;
  const { form, params, language } = visit;
  const words = WORDS[language];
  const id = params['id'] ?? '';
  const check = isUuid(id) ? await findIdentityCheck(operator_db, id) : undefined;
  if (!check) return troublePage(language, { kind: 'unknown' });
  const decision = form.get('decision');
  if (decision !== 'approved' && decision !== 'rejected') {
    return troublePage(language, { kind: 'form' });
  }
  const reason = readReason(visit);
  const isTooLong = (form.get('reason') ?? '').trim().length > MAX_REASON;
  // A merchant who is refused must be told why.
  if (isTooLong || (decision === 'rejected' && reason === undefined)) {
    return checkPage(dependencies, visit, words.reason_missing);
  }
  const decided = await decideIdentityCheck(asOperator(dependencies, visit), check.username, {
    decision,
    reason,
    check: check.id,
  });
  if (!decided.ok) {
    return seeOther(`/operators/identity-checks/${check.id}`, {
      flash: { notice: words.check_gone, tone: 'bad' },
    });
  }
  // If this fails, the sweeper tells the merchant.
  void wakeIdentityCheck(check.user_id).catch((error: unknown) =>
    log({ part: 'identity-checks', check: check.id, error: String(error) }),
  );
  const notice = decision === 'approved' ? words.check_approved : words.check_rejected;
  return seeOther('/operators/identity-checks', { flash: { notice: notice(check.username) } });
}

export const IDENTITY_CHECK_ROUTES = [
  pageRoute('/operators/identity-checks', 'operator', showQueue),
  pageRoute('/operators/identity-checks/:id', 'operator', showCheck),
  formRoute('/operators/identity-checks/:id/decide', 'operator', null, decideCheck, 'always'),
];
