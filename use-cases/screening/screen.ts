// Compares names with those of lists, or asks a service to: that of a recipient, and those of an account
// (docs/decisions/risk.md).

import type { Db } from '../../db/connect';
import { isDatabaseUnavailable } from '../../db/errors';
import { listClearedCases, releaseClearedCase } from '../../db/risk/cases';
import {
  endScreening,
  findAccountNames,
  findCandidates,
  findIdentity,
  getScreening,
  openAccountCase,
  takeDueAccounts,
  type Screening,
} from '../../db/risk/lists';
import { FOUND_FROM, likeness } from '../../domain/names';
import type { NameMatch, RiskReason } from '../../domain/risk';
import { storable } from '../../domain/storable';
import type { Answer, Question } from '../../gateway/question';
import type { Sealer } from '../../secrets/seal';
import { openIdentity } from '../identity-checks';
import { wakePayout, type ExpiringDependencies } from '../risk/cases';
import { reasonsOfSilence, type Patience, type Unheard } from '../risk/patience';
import type { Voice } from '../risk/voices';

export interface ScreeningDependencies {
  readonly db: Db;
  readonly askOverHttp: (question: Question) => Promise<Answer>;
  /** With the service. */
  readonly patience: Patience;
}

/** Shown to operators; the first of a name that has more. */
const MOST_MATCHES = 10;
/** Characters of what a service says. */
const MAX_TEXT = 200;

/** The likest first. A word: the service is silent. */
export async function findMatches(
  { db, askOverHttp, patience }: ScreeningDependencies,
  setting: Screening,
  name: string,
): Promise<readonly NameMatch[] | Unheard> {
  if (setting.mode === 'off') return [];
  if (setting.mode === 'url') {
    const ask = () => askOverHttp(questionOf(setting, name));
    const found = await patience.ask(setting.set_at, ask, (json) => readEntities(json, setting));
    return typeof found === 'string' ? found : likestOf(found);
  }
  const candidates = await findCandidates(db, name);
  const scored = candidates.map(({ called, ...one }) => ({
    ...one,
    name: called,
    score: likeness(name, one.name),
  }));
  return likestOf(scored.filter(({ score }) => score >= FOUND_FROM));
}

/** The question of moov-io/watchman. */
function questionOf({ url, minimum, deadline_ms }: Screening, name: string): Question {
  const asked = new URL(url!);
  asked.searchParams.set('name', name);
  asked.searchParams.set('minMatch', String(minimum));
  asked.searchParams.set('limit', '5');
  const headers = { accept: 'application/json' };
  return { method: 'GET', url: asked.href, headers, body: null, deadline_ms: deadline_ms! };
}

/** Undefined where one of them lacks what makes it an entry: that is no answer. */
function readEntities(json: unknown, { minimum }: Screening): NameMatch[] | undefined {
  const { entities } = Object(json) as { readonly entities?: unknown };
  if (!Array.isArray(entities)) return undefined;
  const matches = entities.map((entity: unknown) => {
    const { name, sourceList, sourceID, match } = Object(entity) as Record<string, unknown>;
    return { list: sourceList, id: sourceID, name, score: match, facts: '' };
  });
  if (!matches.every(isMatch)) return undefined;
  return matches.filter(({ score }) => score >= minimum!).map(shortened);
}

const isMatch = (match: { readonly [Field in keyof NameMatch]: unknown }): match is NameMatch =>
  [match.list, match.id, match.name].every((text) => typeof text === 'string') &&
  typeof match.score === 'number';

const shortened = ({ list, id, name, ...match }: NameMatch): NameMatch => ({
  ...match,
  list: storable(list, MAX_TEXT),
  id: storable(id, MAX_TEXT),
  name: storable(name, MAX_TEXT),
});

/** Each entry once, by whichever of its names is the likest. */
function likestOf(matches: readonly NameMatch[]): NameMatch[] {
  const sorted = [...matches].sort((one, other) => other.score - one.score);
  const entries = new Map<string, NameMatch>();
  for (const match of sorted) {
    const entry = entryOf(match);
    if (!entries.has(entry)) entries.set(entry, match);
  }
  return [...entries.values()].slice(0, MOST_MATCHES);
}

/** The name by which an operator clears the entry for an account. */
const entryOf = ({ list, id }: NameMatch): string => `${list}/${id}`;

const reasonOf = (match: NameMatch): RiskReason => ({
  source: 'screening',
  name: entryOf(match),
  detail: `${match.name} (${match.score.toFixed(2)}${match.facts === '' ? '' : `; ${match.facts}`})`,
  decision: 'hold',
});

/** The voice that compares the name of a payout's recipient. */
export function createScreeningVoice(dependencies: ScreeningDependencies): Voice {
  return async ({ type, recipient }) => {
    if (type !== 'payout') return undefined;
    const setting = await getScreening(dependencies.db);
    if (!setting.is_on) return undefined;
    const name = recipient && 'name' in recipient ? recipient.name : null;
    if (name === null) return { reasons: [], asked: {} };
    const began = performance.now();
    const matches = await findMatches(dependencies, setting, name);
    const took_ms = Math.round(performance.now() - began);
    const sent = { name };
    if (typeof matches === 'string') {
      const reasons = reasonsOfSilence(setting.on_silence, 'screening', matches);
      return { reasons, asked: { screening: { sent, answered: null, outcome: matches, took_ms } } };
    }
    const outcome = matches.length === 0 ? 'allow' : 'hold';
    const asked = { screening: { sent, answered: { matches }, outcome, took_ms } };
    return { reasons: matches.map(reasonOf), asked };
  };
}

export interface AccountDependencies extends ScreeningDependencies {
  /** Undefined where no key is known: the legal name is compared by the service then. */
  readonly sealer: Sealer | undefined;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** Compares all names of the account, and opens a case of what is found. False: the service is silent. */
export async function screenAccount(
  dependencies: AccountDependencies,
  user_id: string,
): Promise<boolean> {
  const { db } = dependencies;
  const setting = await getScreening(db);
  const found: NameMatch[] = [];
  for (const name of await namesOf(dependencies, user_id)) {
    const matches = await findMatches(dependencies, setting, name);
    if (typeof matches === 'string') return false;
    found.push(...matches);
  }
  if (found.length > 0) await openAccountCase(db, user_id, likestOf(found).map(reasonOf));
  return true;
}

async function namesOf(
  { db, sealer, log }: AccountDependencies,
  user_id: string,
): Promise<readonly string[]> {
  const names = await findAccountNames(db, user_id);
  if (names === undefined) return [];
  const identity = sealer && (await findIdentity(db, user_id));
  let legal_name = '';
  try {
    if (identity) legal_name = openIdentity(sealer, identity).legal_name;
  } catch (error) {
    // Without its key the other names are compared all the same.
    log({ part: 'risk-screening', user_id, error: String(error) });
  }
  const all = [`${names.first_name} ${names.last_name}`, names.display_name ?? '', legal_name];
  return [...new Set(all.map((name) => name.trim()))].filter((name) => name !== '');
}

/** A turn also releases what was held for an account. */
export interface TurnDependencies
  extends AccountDependencies, Pick<ExpiringDependencies, 'pursue' | 'pay_url_base'> {}

const AT_ONCE = 100;
/** Orders that were held for one account. */
const MOST_CLEARED = 1_000;

/**
 * A turn of the job that compares the names of accounts that are due, and releases what was held for those alone that an
 * operator has released. One that cannot be compared holds up no other.
 */
export async function screenAccounts(
  dependencies: TurnDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { db, log, pursue, pay_url_base } = dependencies;
  for (;;) {
    const due = await takeDueAccounts(db, AT_ONCE);
    if (due.length === 0) return;
    for (const { user_id, since } of due) {
      if (signal.aborted) return;
      try {
        const cleared = await listClearedCases(db, user_id, MOST_CLEARED);
        for (const one of cleared) {
          if (signal.aborted) return;
          await releaseClearedCase(db, one.reference, pay_url_base);
          await wakePayout(pursue, one);
        }
        // A service that is silent is asked again when this turn's minute is over, and the next orders have their turn.
        const is_compared = await screenAccount(dependencies, user_id);
        if (is_compared && cleared.length < MOST_CLEARED) await endScreening(db, user_id, since);
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        log({ part: 'risk-screening', user_id, error: String(error) });
      }
    }
  }
}
