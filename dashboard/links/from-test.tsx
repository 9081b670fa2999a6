// The links of test mode, offered again for live. Each is made by an order whose draft is the test link's id: however
// often it is asked for, one live link is made.

import type { JSX } from 'preact';
import { listIntents } from '../../db/payment-intents/intent-views';
import { listPaymentLinks } from '../../db/payment-links/payment-links';
import { listMadeLinks } from '../../db/requests/orders';
import { scanJson } from '../../domain/json-source';
import { mayDo } from '../../domain/members';
import { Refusal } from '../../domain/refusal';
import { formatMoney } from '../../pages/formats';
import { createLink, type IntentFields } from '../../use-cases/payment-intents/create';
import { findOwnLink, orderPaymentLink, type LinkBody } from '../../use-cases/payment-links/order';
import {
  draftForm,
  ownerOf,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type DraftVisit,
  type MemberVisit,
} from '../context';
import { draftOrder, idOf } from '../drafts';
import { shownText } from '../form-page';
import { ActionButton, DRAFT_FIELD } from '../forms';
import { findOwn } from './refund';
import { WORDS } from './words';

const OF_EACH = 20;
const DAY_SECONDS = 24 * 60 * 60;

/** Undefined while nothing is left to offer, or the person may not make live links. */
export async function offerTestLinks(
  { db, config: { pay_url_base } }: Pick<DashboardDependencies, 'db' | 'config'>,
  visit: MemberVisit,
): Promise<JSX.Element | undefined> {
  const { account, session, language } = visit;
  const { user_id } = account;
  const mayMake = mayDo(account.role, 'links', 'live') && account.kyc_status === 'approved';
  if (session.environment !== 'live' || !mayMake) return undefined;
  const of = { user_id, environment: 'sandbox', pay_url_base, before: undefined } as const;
  const [reusable, single] = await Promise.all([
    listPaymentLinks(db, { ...of, limit: OF_EACH, filters: { status: 'active' } }),
    listIntents(db, { ...of, limit: OF_EACH, filters: { status: 'open' } }),
  ]);
  const words = WORDS[language];
  const all = [
    ...reusable.map((link) => ({ ...link, path: '/reusable-links', name: link.title })),
    ...single
      .filter(({ payment_link_id }) => payment_link_id === null)
      .map((view) => ({ ...view, path: '/links', name: view.description ?? view.reference })),
  ];
  const ids = all.map(({ id }) => id);
  const made = ids.length === 0 ? [] : await listMadeLinks(db, ownerOf(visit), ids);
  const left = all.filter(({ id }) => !made.includes(id));
  if (left.length === 0) return undefined;
  return (
    <details class="card attention" open={made.length === 0}>
      <summary>{words.test_links(left.length)}</summary>
      <p class="hint">{words.test_links_hint}</p>
      <ul>
        {left.map(({ id, path, name, amount_minor, currency }) => (
          <li>
            <span>
              <bdi>{name}</bdi>
              {amount_minor !== null && ` · ${formatMoney(language, amount_minor, currency)}`}
            </span>{' '}
            <ActionButton action={`${path}/again`} fields={{ [DRAFT_FIELD]: id }}>
              {words.make_again} <span class="hidden">{name}</span>
            </ActionButton>
          </li>
        ))}
      </ul>
    </details>
  );
}

type Made = { readonly json: string } | undefined;

/** The fields that the test link was asked for with; `numbers` are the texts of its amounts. */
function readAgain<Body>({ json }: NonNullable<Made>) {
  const body = Object.fromEntries(
    Object.entries(JSON.parse(json) as object).filter(([, value]) => value !== null),
  ) as Body;
  return { body, numbers: scanJson(json).numbers };
}

const inTest = (visit: DraftVisit): DraftVisit => ({
  ...visit,
  session: { ...visit.session, environment: 'sandbox' },
  params: { id: visit.draft.id },
});

/** Makes it in live, where the person is. */
async function again<Body>(
  visit: DraftVisit,
  path: string,
  found: Made,
  make: (from: ReturnType<typeof readAgain<Body>>) => Promise<string>,
): Promise<Answer | undefined> {
  const { language, session } = visit;
  if (!found || session.environment !== 'live') return undefined;
  try {
    const id = await make(readAgain<Body>(found));
    const flash = { notice: WORDS[language].made_again };
    return seeOther(`${path}/${id}`, { flash, subject: id });
  } catch (error) {
    const notice = error instanceof Refusal ? shownText(language, error) : undefined;
    if (notice === undefined) throw error;
    return seeOther(path, { flash: { notice, tone: 'bad' }, subject: visit.draft.id });
  }
}

export const FROM_TEST_ROUTES = [
  draftForm(
    'payment_link',
    '/reusable-links/again',
    'links',
    'reusable_links.create',
    async (dependencies, visit) => {
      const found = await findOwnLink(dependencies, ownerOf(inTest(visit)), visit.draft.id);
      return again<LinkBody>(visit, '/reusable-links', found, async (from) =>
        idOf(await orderPaymentLink(dependencies, { ...draftOrder(visit), ...from })),
      );
    },
  ),
  draftForm(
    'payment_intent',
    '/links/again',
    'links',
    'links.create',
    async (dependencies, visit) => {
      const found = await findOwn(dependencies, inTest(visit));
      return again<IntentFields>(visit, '/links', found, async ({ body, numbers }) => {
        const lasted = Date.parse(found!.expires_at) - Date.parse(found!.created_at);
        const expires_in = Math.max(DAY_SECONDS, Math.round(lasted / 1_000));
        const order = { ...draftOrder(visit), body: { ...body, expires_in }, numbers };
        return idOf(await createLink(dependencies, order));
      });
    },
  ),
];
