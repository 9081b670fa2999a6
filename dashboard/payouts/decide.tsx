// What a person decides about a payout: a page that shows what it is about, and the button.

import { LONGEST_REASON } from '../../domain/payout';
import { Refusal } from '../../domain/refusal';
import { formatMoney } from '../../pages/formats';
import { decidePayout, type PayoutDecision } from '../../use-cases/payouts/decide';
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
    const { request_id } = visit.ctx.state;
    const by = { login_id: visit.session.login_id };
    await decidePayout(dependencies, view, decisionOf(visit, decision), { request_id, by });
    return seeOther(to, { flash: { notice: words[decision].done }, subject: reference });
  } catch (error) {
    const code = error instanceof Refusal ? error.code : '';
    const notice = code === 'unavailable' ? words.unknown : words.refusals[code];
    if (notice === undefined) throw error;
    return seeOther(to, { flash: { notice, tone: 'bad' }, subject: reference });
  }
}

function decisionOf({ session, form }: MemberVisit, kind: Decision): PayoutDecision {
  const { login_id } = session;
  const reason = (form.get('reason') ?? '').trim().slice(0, LONGEST_REASON) || null;
  return { kind, login_id, reason };
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
