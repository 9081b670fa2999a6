// The queue of identity checks, and one of them with what was submitted.

import { findIdentityCheck, listPendingIdentityChecks } from '../../db/accounts/identity-checks';
import {
  listPictureSides,
  PICTURE_SIDES,
  type PictureSide,
} from '../../db/accounts/identity-pictures';
import type { Identity } from '../../domain/identity';
import { identityCheckWorkflowId, isUuid } from '../../domain/ids';
import { labelled } from '../../domain/language';
import { decideIdentityCheck, viewIdentity } from '../../use-cases/identity-checks';
import { viewPicture } from '../../use-cases/identity-pictures';
import { screenAccount } from '../../use-cases/screening/screen';
import { formatCountry } from '../../pages/formats';
import { page, seeOther, type Answer, type SignedInVisit, type Faults } from '../context';
import { Button } from '../forms';
import { href, useFrame } from '../frame';
import { Details, Link, Notice, Table, Tag, Time } from '../parts';
import { KYC_TONES } from '../profile/identity';
import { WORDS as PROFILE_WORDS } from '../profile/words';
import { troublePage } from '../trouble';
import {
  AccountLink,
  areYouSure,
  asOperator,
  MAX_REASON,
  readReason,
  ReasonForm,
  WorkflowLink,
  operatorPage,
  operatorForm,
  type OperatorDependencies,
} from './frame';
import { WORDS } from './words';

const LIMIT = 100;

export const IDENTITY_CHECK_ROUTES = [
  operatorPage('/operators/identity-checks', async ({ operator_db }, visit) => {
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
  }),
  operatorPage('/operators/identity-checks/:id', checkPage),
  /** Each look is in the audit log. */
  operatorPage('/operators/identity-checks/:id/:side', async (dependencies, visit) => {
    const { id = '', side: name } = visit.params;
    const side = PICTURE_SIDES.find((one) => one === name);
    if (!isUuid(id) || !side) return undefined;
    const looking = { ...asOperator(dependencies, visit), sealer: dependencies.sealer };
    const found = await viewPicture(looking, id, side);
    return found && { kind: 'file', type: found.type, body: found.image };
  }),
  operatorForm('/operators/identity-checks/:id/decide', async (dependencies, visit) => {
    const { operator_db, wakeIdentityCheck, log } = dependencies;
    const { form, params, language } = visit;
    const words = WORDS[language];
    const id = params['id'] ?? '';
    const check = isUuid(id) ? await findIdentityCheck(operator_db, id) : undefined;
    if (!check) return undefined;
    const decision = form.get('decision');
    if (decision !== 'approved' && decision !== 'rejected') {
      return troublePage(language, { kind: 'form' });
    }
    const reason = readReason(visit);
    const isTooLong = (form.get('reason') ?? '').trim().length > MAX_REASON;
    // A merchant who is refused must be told why.
    if (isTooLong || (decision === 'rejected' && reason === undefined)) {
      return checkPage(dependencies, visit, { reason: words.reason_missing });
    }
    if (decision === 'approved' && !form.has('sure')) {
      const acting = { ...asOperator(dependencies, visit), sealer: dependencies.sealer };
      const name = (await viewIdentity(acting, check.id))?.legal_name ?? check.username;
      return areYouSure(visit, {
        title: words.approve_sure(name),
        lead: words.approve_sure_lead(check.username),
        button: words.approve_name(name),
        back: `/operators/identity-checks/${check.id}`,
      });
    }
    const screen = (id: string) => screenAccount(dependencies.screening, id);
    const acting = { ...asOperator(dependencies, visit), screen };
    const decided = await decideIdentityCheck(acting, check.username, {
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
  }),
];

async function checkPage(
  dependencies: OperatorDependencies,
  visit: SignedInVisit,
  faults: Faults = {},
): Promise<Answer | undefined> {
  const { operator_db, sealer, config } = dependencies;
  const { params, language } = visit;
  const words = WORDS[language];
  const id = params['id'] ?? '';
  const check = isUuid(id) ? await findIdentityCheck(operator_db, id) : undefined;
  if (!check) return undefined;
  const identity = await viewIdentity({ ...asOperator(dependencies, visit), sealer }, check.id);
  const sides = await listPictureSides(operator_db, check.id);
  const status = PROFILE_WORDS[language].statuses[check.status];
  return page(
    labelled(language, words.check, check.username),
    <>
      <Details
        rows={[
          [words.account, <AccountLink username={check.username} />],
          [words.status, <Tag tone={KYC_TONES[check.status]}>{status}</Tag>],
          [words.submitted, <Time at={check.created_at} />],
          [words.submitted_by, check.submitted_by ?? '–'],
          [words.decided, check.decided_at !== null && <Time at={check.decided_at} />],
          [words.decided_by, check.decided_at !== null && (check.decided_by ?? '–')],
          [words.reason, check.decided_at !== null && (check.reason ?? '–')],
          [
            words.workflow,
            <WorkflowLink config={config} id={identityCheckWorkflowId(check.user_id)} />,
          ],
        ]}
      />
      <h2>{words.data}</h2>
      {identity ? (
        <>
          <Submitted identity={identity} visit={visit} />
          <DocumentPictures check={check.id} sides={sides} />
        </>
      ) : (
        <p class="lead">{words.no_data}</p>
      )}
      {check.status === 'pending' && (
        <>
          <h2>{words.decision}</h2>
          <ReasonForm
            action={`/operators/identity-checks/${check.id}/decide`}
            hint={words.reason_told}
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
    faults,
  );
}

function Submitted({
  identity,
  visit: { language },
}: {
  readonly identity: Identity;
  readonly visit: SignedInVisit;
}) {
  const words = PROFILE_WORDS[language];
  return (
    <>
      <p class="hint">{WORDS[language].data_hint}</p>
      <Details
        rows={[
          [words.kind, words.kinds[identity.kind]],
          [words.legal_name, identity.legal_name],
          [words.birth_date, identity.kind === 'person' && identity.birth_date],
          [words.registration_number, identity.kind === 'company' && identity.registration_number],
          [words.address, identity.address],
          [words.country, formatCountry(language, identity.country)],
          [words.document_type, words.documents[identity.document_type]],
          [words.document_number, identity.document_number],
        ]}
      />
    </>
  );
}

function DocumentPictures({
  check,
  sides,
}: {
  readonly check: string;
  readonly sides: readonly PictureSide[];
}) {
  const { language } = useFrame();
  const words = WORDS[language];
  if (sides.length === 0) return <Notice tone="warn">{words.no_pictures}</Notice>;
  return (
    <>
      <h2>{words.pictures}</h2>
      {sides.map((side) => {
        const address = href(`/operators/identity-checks/${check}/${side}`);
        return (
          <figure class="document">
            <a href={address}>
              <img src={address} alt={words.sides[side]} />
            </a>
            <figcaption class="hint">{words.sides[side]}</figcaption>
          </figure>
        );
      })}
    </>
  );
}
