// The second factor: setting it up, showing it, switching it off.

import { getLogin, type LoginRow } from '../db/people/logins';
import {
  acceptTotpStep,
  beginTotp,
  confirmTotp,
  endTotp,
  getSecondFactor,
  replaceRecoveryCodes,
  resealTotp,
  useRecoveryCode,
} from '../db/people/second-factor';
import { confirmSession } from '../db/people/sessions';
import type { Language } from '../domain/language';
import type { Sealer } from '../secrets/seal';
import { findTotpStep, hashRecoveryCode, makeRecoveryCodes, makeTotpSecret } from '../secrets/totp';
import { beginAttempt, forgiveAttempt, type Attempt } from './attempts';
import { MAIL_TEXTS } from './mail-texts';
import { sendNotice, type Writing } from './registration';
import {
  begin,
  checkPassword,
  deviceName,
  signInDb,
  type BegunSession,
  type Browser,
  type CheckedPassword,
  type SignInDependencies,
  type Waiting,
} from './sessions';

type Storing = Pick<Writing, 'db' | 'operator_db' | 'sealer'>;
/** This process's clock, or another one for tests. */
type Clock = { readonly now_ms?: number | undefined };

export function totpContext(login_id: string): string {
  return `totp/${login_id}`;
}

/** Binds a pending secret to the session that began it: another session may be stolen. */
function pendingContextOf({ login_id, session_id }: Beginning): string {
  return `${totpContext(login_id)}/${session_id}`;
}

interface Beginning {
  readonly login_id: string;
  readonly session_id: string;
}

/**
 * Nothing when a confirmed one is there, or the address is not confirmed; one that another session
 * has begun is replaced.
 */
export async function beginSecondFactor(storing: Storing, beginning: Beginning): Promise<void> {
  const sealed = storing.sealer.seal(makeTotpSecret(), pendingContextOf(beginning));
  const login = await getLogin(storing.db, beginning.login_id);
  await beginTotp(signInDb(storing, login), login.id, sealed);
}

/** The secret that waits to be confirmed by this session. */
export async function findPendingSecret(
  storing: Storing,
  beginning: Beginning,
): Promise<string | undefined> {
  return (await findPending(storing, beginning))?.secret;
}

async function findPending(
  { db, sealer }: Storing,
  beginning: Beginning,
): Promise<{ readonly secret: string; readonly sealed: Buffer } | undefined> {
  const { sealed_totp_secret: sealed, is_confirmed } = await getSecondFactor(
    db,
    beginning.login_id,
  );
  if (sealed === null || is_confirmed) return undefined;
  try {
    return { secret: sealer.open(sealed, pendingContextOf(beginning)), sealed };
  } catch {
    // Another session's, or of a key that is gone: it is begun anew.
    return undefined;
  }
}

/** The recovery codes, which are shown once; undefined when the code is wrong. */
export async function confirmSecondFactor(
  writing: Writing,
  { login_id, session_id, code, language, now_ms = Date.now() }: Confirming,
): Promise<readonly string[] | undefined> {
  const { sealer } = writing;
  const login = await getLogin(writing.db, login_id);
  const db = signInDb(writing, login);
  const pending = await findPending(writing, { login_id, session_id });
  if (!pending) return undefined;
  const step = findTotpStep(pending.secret, code, now_ms);
  if (step === undefined) return undefined;
  // From here on it is the person's. A secret that replaced it meanwhile is not confirmed.
  const sealed = sealer.seal(pending.secret, totpContext(login_id));
  await resealTotp(db, login_id, pending.sealed, sealed);
  const codes = makeRecoveryCodes();
  const recovery_hashes = codes.map((one) => hashRecoveryCode(one)!);
  const confirmed = { login_id, sealed, step, recovery_hashes, session_id };
  if (!(await confirmTotp(db, confirmed))) return undefined;
  await tell(writing, login, language, 'totp_on');
  return codes;
}

interface Confirming extends Clock {
  readonly login_id: string;
  readonly session_id: string;
  readonly code: string;
  readonly language: Language;
}

export type CodePassed =
  | { readonly ok: true; readonly begun: BegunSession }
  | { readonly ok: false; readonly error: 'wrong' }
  | Waiting;

/**
 * The code after the password. The session is replaced by a new one, so that a thief of the old
 * token has nothing. A browser that has signed in before has its own count.
 */
export async function passSecondFactor(
  dependencies: SignInDependencies & Writing,
  { login_id, session_id, code, browser, language, now_ms }: Passing,
): Promise<CodePassed> {
  const { db, devices } = dependencies;
  const login = await getLogin(db, login_id);
  const checked = await checkCode(dependencies, login, { code, browser, now_ms });
  if (checked.kind === 'wait') return { ok: false, error: 'wait', seconds: checked.seconds };
  if (checked.kind === 'wrong') return { ok: false, error: 'wrong' };
  const begun = await begin(dependencies, login, browser, 'passed', session_id);
  if (!begun) return { ok: false, error: 'wrong' };
  if (checked.kind === 'recovery') await tell(dependencies, login, language, 'recovery_used');
  const device = devices.add(browser.device, login);
  return { ok: true, begun: { ...begun, login, awaits_code: false, device } };
}

/**
 * The person of a session once more, before what a stolen one must not do: a code where there is a
 * second factor, the password otherwise. @throws PasswordsBusyError
 */
export async function confirmPerson(
  dependencies: SignInDependencies & Writing,
  { login_id, session_id, code: proof, browser, language, now_ms }: Passing,
): Promise<CheckedPassword> {
  const login = await getLogin(dependencies.db, login_id);
  const checked = login.has_totp
    ? await checkCode(dependencies, login, { code: proof, browser, now_ms })
    : await checkPassword(dependencies, login, proof, browser);
  if (checked.kind === 'wait') return checked;
  if (checked.kind === 'recovery') await tell(dependencies, login, language, 'recovery_used');
  const isRight =
    checked.kind !== 'wrong' && (await confirmSession(signInDb(dependencies, login), session_id));
  return { kind: isRight ? 'right' : 'wrong' };
}

interface Passing extends Confirming {
  readonly browser: Browser;
}

type CheckedCode =
  | { readonly kind: 'totp' | 'recovery' | 'wrong' }
  | { readonly kind: 'wait'; readonly seconds: number };

/** Uses the code up. */
export async function checkCode(
  dependencies: SignInDependencies & { readonly sealer: Sealer },
  login: LoginRow,
  {
    code,
    browser,
    now_ms = Date.now(),
  }: { readonly code: string; readonly browser: Browser } & Clock,
): Promise<CheckedCode> {
  const { db, devices } = dependencies;
  const known = devices.find(browser.device, login);
  const attempt: Attempt = known
    ? { name: `code ${deviceName(known)}`, address: null }
    : { name: `code ${login.id}`, address: browser.network };
  const seconds = await beginAttempt(db, attempt);
  if (seconds > 0) return { kind: 'wait', seconds };
  const kind = await useCode(dependencies, login, code, now_ms);
  if (kind !== 'wrong') await forgiveAttempt(db, [attempt.name], attempt.address);
  return { kind };
}

async function useCode(
  storing: Storing,
  login: LoginRow,
  code: string,
  now_ms: number,
): Promise<'totp' | 'recovery' | 'wrong'> {
  const { db, sealer } = storing;
  const login_id = login.id;
  const hash = hashRecoveryCode(code);
  if (hash) return (await useRecoveryCode(db, login_id, hash)) ? 'recovery' : 'wrong';
  const { sealed_totp_secret: sealed, is_confirmed } = await getSecondFactor(db, login_id);
  if (sealed === null || !is_confirmed) return 'wrong';
  const secret = sealer.open(sealed, totpContext(login_id));
  const step = findTotpStep(secret, code, now_ms);
  if (step === undefined || !(await acceptTotpStep(db, login_id, step))) return 'wrong';
  return 'totp';
}

/** The old ones are worth nothing from now on. */
export async function renewRecoveryCodes(
  storing: Pick<Writing, 'db' | 'operator_db'>,
  login: LoginRow,
): Promise<readonly string[]> {
  const codes = makeRecoveryCodes();
  const hashes = codes.map((one) => hashRecoveryCode(one)!);
  await replaceRecoveryCodes(signInDb(storing, login), login.id, hashes);
  return codes;
}

/** Password and code were verified. */
export async function endSecondFactor(
  writing: Writing,
  login: LoginRow,
  language: Language,
): Promise<void> {
  await endTotp(signInDb(writing, login), login.id);
  await tell(writing, login, language, 'totp_off');
}

function tell(
  writing: Writing,
  login: LoginRow,
  language: Language,
  what: 'totp_on' | 'totp_off' | 'recovery_used',
): Promise<void> {
  const text = MAIL_TEXTS[login.language ?? language][what](`${writing.dashboard_url}/security`);
  return sendNotice(writing, { to: login.email, ...text });
}
