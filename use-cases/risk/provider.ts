// The voice of the provider that an operator has set (`risk provider`): asked over HTTP, and silent when it does not say
// one of three words in time.

import type { Db } from '../../db/connect';
import { findQuestion, SECRET_CONTEXT, type AskedProvider } from '../../db/risk/provider';
import type { Heard, RiskReason } from '../../domain/risk';
import { storable } from '../../domain/storable';
import type { Answer, Question } from '../../gateway/question';
import type { Sealer } from '../../secrets/seal';
import { serviceSignature } from '../../secrets/webhook-secret';
import type { Voice } from './voices';

export interface ProviderDependencies {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly askOverHttp: (question: Question) => Promise<Answer>;
  readonly countAnswer: (outcome: Word | 'silence' | 'paused') => void;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** After so many silences in a row it is left alone for a while: each costs its deadline. */
const SILENCES = 5;
const PAUSE_MS = 10_000;

const WORDS = ['allow', 'hold', 'refuse'] as const;
type Word = (typeof WORDS)[number];

/** Characters of what it says. */
const MAX_TEXT = 500;

interface Said {
  readonly decision: Word;
  readonly reason?: string;
  readonly reference?: string;
}

export function createProviderVoice(dependencies: ProviderDependencies): Voice {
  const { db, countAnswer, log } = dependencies;
  // It counts for the setting that was made then: another one begins anew.
  let row = { set_at: '', silences: 0, paused_until: 0 };

  const note = (set_at: string, outcome: string, is_silent: boolean): void => {
    if (row.set_at !== set_at) return;
    row.silences = is_silent ? row.silences + 1 : 0;
    if (row.silences < SILENCES) return;
    if (performance.now() >= row.paused_until) log({ part: 'risk-provider', error: outcome });
    row.paused_until = performance.now() + PAUSE_MS;
  };

  return async (order) => {
    const provider = await findQuestion(db, order);
    if (!provider) return undefined;
    const { set_at, body } = provider;
    if (row.set_at !== set_at) row = { set_at, silences: 0, paused_until: 0 };
    const sent = JSON.parse(body) as unknown;
    const began = performance.now();
    if (began < row.paused_until) {
      countAnswer('paused');
      return silent(provider, { sent, answered: null, outcome: 'paused', took_ms: 0 });
    }
    const answer = await askProvider(dependencies, provider);
    const said = 'json' in answer ? read(answer.json) : undefined;
    const outcome = said?.decision ?? ('json' in answer ? 'unknown_word' : answer.silence);
    note(set_at, outcome, !said);
    countAnswer(said?.decision ?? 'silence');
    const took_ms = Math.round(performance.now() - began);
    const question = { sent, answered: said ?? null, outcome, took_ms };
    if (!said) return silent(provider, question);
    return { reasons: reasonsOf(said), asked: { provider: question } };
  };
}

async function askProvider(
  { sealer, askOverHttp, log }: ProviderDependencies,
  { url, body, deadline_ms, sealed_secret }: AskedProvider,
): Promise<Answer> {
  let secret;
  try {
    secret = sealed_secret && sealer.open(sealed_secret, SECRET_CONTEXT);
  } catch (error) {
    // The key that sealed it is gone. It is not asked without its signature.
    log({ part: 'risk-provider', error: String(error) });
    return { silence: 'unreachable' };
  }
  const headers = {
    'content-type': 'application/json',
    ...(secret === null ? {} : { 'x-service-signature': serviceSignature(body, secret) }),
  };
  return askOverHttp({ method: 'POST', url, headers, body, deadline_ms });
}

function silent(
  { on_silence }: AskedProvider,
  question: NonNullable<Heard['asked']['provider']>,
): Heard {
  const reason: RiskReason = {
    source: 'silence',
    name: 'provider',
    detail: question.outcome,
    decision: 'hold',
  };
  return { reasons: on_silence === 'hold' ? [reason] : [], asked: { provider: question } };
}

function reasonsOf({ decision, reason, reference }: Said): RiskReason[] {
  if (decision === 'allow') return [];
  const detail = [reason, reference].filter((text) => text !== undefined).join(', ');
  return [{ source: 'provider', name: 'provider', detail, decision }];
}

/** Undefined: no word that is known. */
function read(json: unknown): Said | undefined {
  const { decision, reason, reference } = Object(json) as Record<string, unknown>;
  const word = WORDS.find((one) => one === decision);
  return (
    word && {
      decision: word,
      ...(typeof reason === 'string' && { reason: storable(reason, MAX_TEXT) }),
      ...(typeof reference === 'string' && { reference: storable(reference, MAX_TEXT) }),
    }
  );
}
