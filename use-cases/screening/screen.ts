// Compares names with those of lists, or asks a service to: the name of a recipient, or those of an account.

import type { Db } from '../../db/connect';
import { isDatabaseUnavailable } from '../../db/errors';
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
import type { Sealer } from '../../secrets/seal';
import { openIdentity } from '../identity-checks';

/** Asks a service about a name; undefined: it is silent. */
export type AskNames = (
  setting: Screening & { readonly mode: 'url' },
  name: string,
) => Promise<readonly NameMatch[] | undefined>;

export interface ScreeningDependencies {
  readonly db: Db;
  readonly askNames: AskNames;
}

/** Shown to operators; the first of an order that has more. */
const MOST_MATCHES = 10;

/** The likest first. Undefined: the service is silent. */
export async function findMatches(
  { db, askNames }: ScreeningDependencies,
  setting: Screening,
  name: string,
): Promise<readonly NameMatch[] | undefined> {
  if (setting.mode === 'off') return [];
  if (isAsked(setting)) {
    const found = await askNames(setting, name);
    return found && likestOf(found);
  }
  const candidates = await findCandidates(db, name);
  const scored = candidates.map(({ called, ...one }) => ({
    ...one,
    name: called,
    score: likeness(name, one.name),
  }));
  return likestOf(scored.filter(({ score }) => score >= FOUND_FROM));
}

const isAsked = (setting: Screening): setting is Screening & { readonly mode: 'url' } =>
  setting.mode === 'url';

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

/** By this name an operator clears the entry for an account. */
const entryOf = ({ list, id }: NameMatch): string => `${list}/${id}`;

const reasonOf = (match: NameMatch): RiskReason => ({
  source: 'screening',
  name: entryOf(match),
  detail: `${match.name} (${match.score.toFixed(2)}${match.facts === '' ? '' : `; ${match.facts}`})`,
  decision: 'hold',
});

const SILENCE: RiskReason = {
  source: 'silence',
  name: 'screening',
  detail: 'the name was not compared: no answer in time',
  decision: 'hold',
};

/** Why an order is held whose recipient has this name; null: none is known. */
export async function screenRecipient(
  dependencies: ScreeningDependencies,
  name: string | null,
): Promise<readonly RiskReason[]> {
  if (name === null) return [];
  const setting = await getScreening(dependencies.db);
  const matches = await findMatches(dependencies, setting, name);
  if (matches === undefined) return setting.on_silence === 'hold' ? [SILENCE] : [];
  return matches.map(reasonOf);
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
    if (matches === undefined) return false;
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

const AT_ONCE = 100;

/** A turn of the job that compares the names of accounts that are due. One that cannot be compared holds up no other. */
export async function screenAccounts(
  dependencies: AccountDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { db, log } = dependencies;
  for (;;) {
    const due = await takeDueAccounts(db, AT_ONCE);
    if (due.length === 0) return;
    for (const { user_id, since } of due) {
      if (signal.aborted) return;
      try {
        // A service that is silent is asked again when this turn's minute is over.
        if (await screenAccount(dependencies, user_id)) await endScreening(db, user_id, since);
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        log({ part: 'risk-screening', user_id, error: String(error) });
      }
    }
  }
}
