// A person's decision about a payout: a page that shows the payout, and the button.

import { LONGEST_REASON } from '../../domain/payout';
import { Refusal } from '../../domain/refusal';
import { formatMoney } from '../../pages/formats';
import { decidePayout } from '../../use-cases/payouts/decide';
import { page, pageRoute, seeOther, type DashboardRoute } from '../context';
import { actionRoute } from '../form-page';
import { Button, Field, Form } from '../forms';
import { Link } from '../parts';
import { PayoutDetails } from './payout';
import { DECISIONS, payoutProps, readPayout, type Decision } from './read';
import { DECISION_WORDS, WORDS } from './words';

/** A decision that has money sent takes the person's password or code; one that stops it does not. */
function routesOf(decision: Decision): DashboardRoute[] {
  const path = `/payouts/:reference/${decision}`;
  const isEnding = decision === 'reject' || decision === 'cancel';
  const access = isEnding ? 'cancel' : 'money';
  return [
    pageRoute(path, access, async (dependencies, visit) => {
      const { language } = visit;
      const view = await readPayout(dependencies, visit);
      if (!view) return undefined;
      const props = await payoutProps(dependencies, visit, view);
      const to = `/payouts/${view.reference}`;
      // It was decided meanwhile: its page says how it stands.
      if (!props.decisions.includes(decision)) return seeOther(to);
      const words = DECISION_WORDS[language];
      const own = words[decision];
      return page(
        own.title,
        <>
          <p class="lead">{own.lead}</p>
          <PayoutDetails view={view} approval={props.approval} />
          <Form action={`${to}/${decision}`}>
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
            <Link to={to}>{words.back}</Link>
          </p>
        </>,
      );
    }),
    actionRoute({
      path,
      access,
      action: `payouts.${decision}`,
      ...(isEnding ? {} : { confirmed: 'in_live' }),
      find: readPayout,
      subject: ({ reference }) => reference,
      act: async (dependencies, visit, view) => {
        const { session, form, language, ctx } = visit;
        const { login_id } = session;
        const words = DECISION_WORDS[language];
        const { reference: subject } = view;
        const to = `/payouts/${subject}`;
        const reason = (form.get('reason') ?? '').trim().slice(0, LONGEST_REASON) || null;
        const { request_id } = ctx.state;
        try {
          const order = { kind: decision, login_id, reason };
          const by = { login_id };
          const { status } = await decidePayout(dependencies, view, order, { request_id, by });
          // An approver may have left.
          const waits_again = decision === 'confirm' && status === 'requires_approval';
          const notice = waits_again ? WORDS[language].ordered_to_approve : words[decision].done;
          return seeOther(to, { flash: { notice }, subject });
        } catch (error) {
          if (!(error instanceof Refusal) || error.code !== 'unavailable') throw error;
          return seeOther(to, { flash: { notice: words.unknown, tone: 'bad' }, subject });
        }
      },
    }),
  ];
}

export const DECISION_ROUTES = DECISIONS.flatMap(routesOf);
