// Rehearsing bad days in the sandbox: the clock, faults, values that mean something, and play money. Each form
// carries out what a call of the API does, by the same use case.

import type { VNode } from 'preact';
import { isDatabaseUnavailable } from '../../db/errors';
import { listFaults } from '../../db/sandbox/faults';
import { countFunds } from '../../db/sandbox/fund';
import { KEY_PREFIX } from '../../domain/ids';
import { PERMISSION_OF } from '../../domain/scopes';
import { PREFIX } from '../../http/prefix';
import { Refusal } from '../../domain/refusal';
import { showClock } from '../../use-cases/sandbox/clock';
import {
  draftForm,
  draftPage,
  formRoute,
  page,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
  type Faults,
} from '../context';
import { ActionButton } from '../forms';
import { href } from '../frame';
import { Link, Notice } from '../parts';
import { Clock, submitClock } from './clock';
import { endFaults, OrderedFaults, submitFault } from './faults';
import { askAgain, Fund, submitFund } from './fund';
import { Values } from './values';
import { WORDS } from './words';

/** Its faults are said beside its fields. */
export type Submit<V extends MemberVisit = MemberVisit> = (
  dependencies: DashboardDependencies,
  visit: V,
) => Promise<Answer | Faults>;

async function showPage(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
  faults: Faults = {},
): Promise<Answer> {
  const { db, config, operations } = dependencies;
  const { account, session, language } = visit;
  const words = WORDS[language];
  if (session.environment === 'live') return livePage(visit, 200);
  const user_id = account.user_id;
  const [clock, ordered, funded] = await Promise.all([
    showClock(dependencies, user_id),
    listFaults(db, user_id),
    countFunds(db, user_id),
  ]);
  const sample = {
    base_url: config.public_url + PREFIX,
    // Plain dots: many clients send no other in a header.
    key: `${KEY_PREFIX}_test_...`,
  };
  return page(
    words.title,
    <>
      <p class="lead">{words.lead}</p>
      <nav class="actions" aria-label={words.title}>
        <a href="#clock">{words.clock}</a>
        <a href="#faults">{words.faults}</a>
        <a href="#values">{words.values}</a>
        <a href="#fund">{words.fund}</a>
      </nav>
      <Clock of={clock} />
      <OrderedFaults ordered={ordered} operations={[...operations.keys()]} sample={sample} />
      <Values sample={sample} />
      <Fund funded={funded} />
    </>,
    faults,
  );
}

function livePage({ language }: MemberVisit, status: number): Answer {
  const words = WORDS[language];
  return page(
    words.title,
    <Notice tone="warn">
      <p>{words.in_live}</p>
      <ActionButton
        action="/environment"
        fields={{ environment: 'sandbox', path: href('/rehearse') }}
      >
        {words.to_sandbox}
      </ActionButton>
    </Notice>,
    status,
  );
}

/** A form of the page: nothing in live, and never a guess at what became of it. */
function submit<V extends MemberVisit>(
  handler: Submit<V>,
): (dependencies: DashboardDependencies, visit: V) => Promise<Answer> {
  return async (dependencies, visit) => {
    if (visit.session.environment === 'live') return livePage(visit, 403);
    let done: Awaited<ReturnType<Submit>>;
    try {
      done = await handler(dependencies, visit);
    } catch (error) {
      const isAway = error instanceof Refusal && error.code === 'unavailable';
      if (!isAway && !isDatabaseUnavailable(error)) throw error;
      return unknownPage(visit, askAgain(visit));
    }
    return isAnswer(done) ? done : showPage(dependencies, visit, done);
  };
}

const isAnswer = (done: Answer | Faults): done is Answer => 'kind' in done;

function unknownPage({ language, ctx }: MemberVisit, again: VNode | undefined): Answer {
  const words = WORDS[language];
  ctx.set('Retry-After', '1');
  return page(
    words.unknown,
    <>
      <Notice tone="warn">{again ? words.unknown_fund : words.unknown_text}</Notice>
      {again}
      <p>
        <Link to="/rehearse">{words.title}</Link>
      </p>
    </>,
    503,
  );
}

const MAY = PERMISSION_OF.sandbox;

export const REHEARSE_ROUTES = [
  draftPage('sandbox_fund', '/rehearse', MAY, showPage),
  formRoute('/rehearse/clock', MAY, 'rehearse.clock', submit(submitClock)),
  formRoute('/rehearse/faults', MAY, 'rehearse.fault', submit(submitFault)),
  formRoute('/rehearse/faults/end', MAY, 'rehearse.end_faults', submit(endFaults)),
  draftForm('sandbox_fund', '/rehearse/fund', MAY, 'rehearse.fund', submit(submitFund)),
];
