// The voice of the provider that an operator has set (`risk provider`): asked over HTTP, and silent when it does not say
// one of three words in time.

import type { Db } from '../../db/connect';
import { findQuestion, SECRET_CONTEXT, type AskedProvider } from '../../db/risk/provider';
import type { RiskReason } from '../../domain/risk';
import { storable } from '../../domain/storable';
import type { Answer, Question } from '../../gateway/question';
import type { Sealer } from '../../secrets/seal';
import { serviceSignature } from '../../secrets/webhook-secret';
import { createPatience, reasonsOfSilence } from './patience';
import type { Voice } from './voices';

export interface ProviderDependencies {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly askOverHttp: (question: Question) => Promise<Answer>;
  readonly countAnswer: (outcome: Word | 'silence' | 'paused') => void;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

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
  const patience = createPatience('risk-provider', log);
  return async (order) => {
    const provider = await findQuestion(db, order);
    if (!provider) return undefined;
    const sent = JSON.parse(provider.body) as unknown;
    const began = performance.now();
    const ask = () => askProvider(dependencies, provider);
    const said = await patience.ask(provider.set_at, ask, read);
    const took_ms = Math.round(performance.now() - began);
    if (typeof said === 'string') {
      countAnswer(said === 'paused' ? said : 'silence');
      const reasons = reasonsOfSilence(provider.on_silence, 'provider', said);
      return { reasons, asked: { provider: { sent, answered: null, outcome: said, took_ms } } };
    }
    const { decision: outcome } = said;
    countAnswer(outcome);
    const asked = { provider: { sent, answered: said, outcome, took_ms } };
    return { reasons: reasonsOf(said), asked };
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
