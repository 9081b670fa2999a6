// What a person decides about a payout: a page that shows what it is about, and the button.

import { LONGEST_REASON, type PayoutView } from '../../domain/payout';
import { Refusal } from '../../domain/refusal';
import { formatMoney } from '../../pages/formats';
import {
  approveOwnPayout,
  cancelOwnPayout,
  confirmOwnPayout,
  rejectOwnPayout,
} from '../../use-cases/payouts/decide';
import {
  formRoute,
  page,
  pageRoute,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type DashboardRoute,
  type MemberVisit,
} from '../context';
import { Button, Field, Form } from '../forms';
import { Link } from '../parts';
import { troublePage } from '../trouble';
import { PayoutDetails } from './payout';
import { DECISIONS, payoutProps, readPayout, type Decision } from './read';
import { DECISION_WORDS } from './words';

async function ask(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
  decision: Decision,
): Promise<Answer> {
  const { language } = visit;
  const view = await readPayout(dependencies, visit);
  if (!view) return troublePage(language, { kind: 'unknown' });
  const props = await payoutProps(dependencies, visit, view);
  const path = `/payouts/${view.reference}`;
  // It was decided meanwhile: its page says how it stands.
  if (!props.decisions.includes(decision)) return seeOther(path);
  const words = DECISION_WORDS[language];
  const own = words[decision];
  const isEnding = decision === 'reject' || decision === 'cancel';
  return page(
    own.title,
    <>
      <p class="lead">{own.lead}</p>
      <PayoutDetails view={view} approval={props.approval} />
      <Form action={`${path}/${decision}`}>
        {decision === 'reject' && (
          <Field
            name="reason"
            label={words.reason}
            hint={words.reason_hint}
            maxLength={LONGEST_REASON}
            autocomplete="off"
          />
        )}
        <Button look={isEnding ? 'danger' : undefined}>
          {own.button(formatMoney(language, view.amount_minor, view.currency))}
        </Button>
      </Form>
      <p>
        <Link to={path}>{words.back}</Link>
      </p>
    </>,
  );
}

async function decide(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
  decision: Decision,
): Promise<Answer> {
  const { language } = visit;
  const view = await readPayout(dependencies, visit);
  if (!view) return troublePage(language, { kind: 'unknown' });
  const words = DECISION_WORDS[language];
  const { reference } = view;
  const to = `/payouts/${reference}`;
  try {
    await carryOut(dependencies, visit, view, decision);
    return seeOther(to, { flash: { notice: words[decision].done }, subject: reference });
  } catch (error) {
    const code = error instanceof Refusal ? error.code : '';
    const notice = code === 'unavailable' ? words.unknown : words.refusals[code];
    if (notice === undefined) throw error;
    return seeOther(to, { flash: { notice, tone: 'bad' }, subject: reference });
  }
}

function carryOut(
  dependencies: DashboardDependencies,
  { session: { login_id }, form, ctx: { state } }: MemberVisit,
  view: PayoutView,
  decision: Decision,
): Promise<PayoutView> {
  const { request_id } = state;
  switch (decision) {
    case 'approve':
      return approveOwnPayout(dependencies, view, { request_id, login_id });
    case 'reject': {
      const reason = (form.get('reason') ?? '').trim().slice(0, LONGEST_REASON) || null;
      return rejectOwnPayout(dependencies, view, { request_id, login_id, reason });
    }
    case 'confirm':
      return confirmOwnPayout(dependencies, view, { request_id });
    case 'cancel':
      return cancelOwnPayout(dependencies, view, { request_id });
  }
}

/** What has money sent takes the person's password or code; what stops it needs no identity check. */
function routesOf(decision: Decision): DashboardRoute[] {
  const path = `/payouts/:reference/${decision}`;
  const isEnding = decision === 'reject' || decision === 'cancel';
  const access = isEnding ? 'cancel' : 'money';
  return [
    pageRoute(path, access, (dependencies, visit) => ask(dependencies, visit, decision)),
    formRoute(
      path,
      access,
      `payouts.${decision}`,
      (dependencies, visit) => decide(dependencies, visit, decision),
      isEnding ? undefined : 'in_live',
    ),
  ];
}

export const DECISION_ROUTES = DECISIONS.flatMap(routesOf);
