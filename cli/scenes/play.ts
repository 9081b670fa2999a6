// Plays a scene: one step after the other, until all are done or one of them fails.

import { pressButton } from '../checkout';
import { CommandError } from '../error';
import { accepted, type ApiAnswer, type MerchantApi, type Method } from '../merchant-api';
import { waitUntil } from '../wait';
import { describe, differences, type Answer } from './expectation';
import type { Scene, SceneStep } from './file';
import type { Does, Kind, StepOf } from './schema';

/** Longer than the slowest response that a fault can order. */
export const RESPONSE_WITHIN_MS = 75_000;
/** A pause that leaves enough to a key with the usual limits. */
const POLL_MS = 1_000;

export type Variables = Readonly<Record<string, unknown>>;

export type PlayedStep = {
  readonly step: number;
  readonly line: number;
  readonly kind: Kind;
  readonly ok: boolean;
  readonly text: string;
};

interface Stage {
  readonly api: MerchantApi;
  readonly variables: Record<string, unknown>;
  last: Answer | undefined;
  /** The next step expects something of this response, so that a refusal does not end the scene. */
  isJudged: boolean;
}

type Outcome = Pick<PlayedStep, 'ok' | 'text'>;

/** Returns the steps that were taken; only the last of them may have failed. */
export async function playScene(
  api: MerchantApi,
  { steps }: Scene,
  given: Variables,
  tell: (step: PlayedStep) => void,
): Promise<readonly PlayedStep[]> {
  const stage: Stage = { api, variables: { ...given }, last: undefined, isJudged: false };
  const played: PlayedStep[] = [];
  for (const [index, { number, line, kind, does }] of steps.entries()) {
    stage.isJudged = isJudge(steps[index + 1]);
    const outcome = await takeStep(stage, fill(does, stage.variables)).catch(asOutcome);
    const step = { step: number, line, kind, ok: outcome.ok, text: outcome.text };
    played.push(step);
    tell(step);
    if (!outcome.ok) break;
  }
  return played;
}

function isJudge(next: SceneStep | undefined): boolean {
  return next !== undefined && 'expect' in next.does && next.does.get === undefined;
}

function asOutcome(error: unknown): Outcome {
  if (error instanceof CommandError) return { ok: false, text: error.message };
  throw error;
}

/** A text that is one variable has its value, a number too; within a longer text it is written out. */
function fill<Value>(value: Value, variables: Variables): Value;
function fill(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') {
    const name = /^\$\{([^}]*)\}$/.exec(value)?.[1];
    if (name !== undefined) return variables[name];
    return value.replaceAll(/\$\{([^}]*)\}/g, (_, one: string) => String(variables[one]));
  }
  if (Array.isArray(value)) return value.map((item) => fill(item as unknown, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, one]) => [field, fill(one as unknown, variables)]),
  );
}

function takeStep(stage: Stage, does: Does): Promise<Outcome> {
  if ('call' in does) return call(stage, does);
  if ('advance' in does) return advance(stage, does);
  if ('fault' in does) return orderFault(stage, does);
  if ('pay' in does) return pay(stage, does);
  return meet(stage, does);
}

async function call(stage: Stage, does: StepOf<'call'>): Promise<Outcome> {
  const [method, path] = does.call.split(' ') as [Method, string];
  return send(stage, { method, path, body: does.body, headers: does.headers }, does.save);
}

async function advance(stage: Stage, { advance: by }: StepOf<'advance'>): Promise<Outcome> {
  const body =
    typeof by === 'number' ? { seconds: by } : by === 'next' ? { to_next: true } : { to: by };
  const sent = await send(stage, { method: 'POST', path: '/sandbox/clock/advance', body });
  if (!sent.ok || stage.last === 'lost' || stage.last!.status >= 300) return sent;
  const { now, settled } = stage.last!.json;
  const rest = settled === false ? ', and not all that became due is done yet' : '';
  return { ok: true, text: `${by} → it is ${now}${rest}` };
}

/** An endpoint's id has no space, and an operation has one. */
function orderFault(stage: Stage, { fault, on, times = 1 }: StepOf<'fault'>): Promise<Outcome> {
  const [path, body] = on.includes(' ')
    ? ['/sandbox/faults', { operation: on, fault, times }]
    : [`/webhook-endpoints/${on}/faults`, { fault, times }];
  return send(stage, { method: 'POST', path, body });
}

async function pay(stage: Stage, { pay: id, with: action = 'pay', ...more }: StepOf<'pay'>) {
  const { checkout_url } = accepted(await stage.api.call('GET', `/payment-intents/${id}`));
  if (typeof checkout_url !== 'string') return { ok: false, text: `${id} cannot be paid now` };
  const form = Object.entries({ action, ...more }).map(([name, value]) => [name, String(value)]);
  await pressButton(checkout_url, Object.fromEntries(form) as Record<string, string>);
  return { ok: true, text: `${action} at the checkout of ${id}` };
}

async function meet(stage: Stage, does: StepOf<'expect'>): Promise<Outcome> {
  const { get, within = 0, expect: expected, save } = does;
  const began = performance.now();
  let differing: readonly string[] = [];
  await waitUntil(
    within * 1_000,
    async () => {
      if (get !== undefined) stage.last = await ask(stage.api, 'GET', get);
      if (stage.last === undefined) throw new CommandError('usage', 'Nothing was called before it');
      differing = differences(does, stage.last);
      return differing.length > 0 && within > 0 ? undefined : true;
    },
    POLL_MS,
  );
  const of = get === undefined ? '' : ` of ${get}`;
  if (differing.length > 0) {
    const limit = within > 0 ? ` within ${within} s` : '';
    return { ok: false, text: [`failed${of}${limit}`, ...differing].join('\n') };
  }
  const after = within > 0 ? ` after ${((performance.now() - began) / 1_000).toFixed(1)} s` : '';
  return keep(stage, save, `${JSON.stringify(expected)}${of}${after}`);
}

interface Request {
  readonly method: Method;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Fails when it is refused or lost, unless the next step is there to judge. */
async function send(
  stage: Stage,
  { method, path, body, headers }: Request,
  save?: StepOf<'call'>['save'],
): Promise<Outcome> {
  const began = performance.now();
  stage.last = await ask(stage.api, method, path, body, headers);
  const took = ` in ${Math.round(performance.now() - began)} ms`;
  const result = stage.last === 'lost' ? `no response${took}` : describe(stage.last, took);
  const text = `${method} ${path} → ${result}`;
  const isDone = stage.last !== 'lost' && stage.last.status < 300;
  return isDone ? keep(stage, save, text) : { ok: stage.isJudged, text };
}

async function ask(
  api: MerchantApi,
  method: Method,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return api.call(method, path, text, headers).catch((error: unknown) => {
    if (error instanceof CommandError && error.code === 'no_answer') return 'lost';
    throw error;
  });
}

/** Keeps fields of the last response under names; `events.0.id` is a path to one. */
function keep(stage: Stage, save: StepOf<'call'>['save'] = {}, text: string): Outcome {
  const { json } = stage.last as ApiAnswer;
  for (const [name, path] of Object.entries(save)) {
    const value = path
      .split('.')
      .reduce<unknown>((part, field) => (part as Variables | null | undefined)?.[field], json);
    if (value === undefined || value === null || typeof value === 'object') {
      return { ok: false, text: `${text}\nsave: the response has no ${path}` };
    }
    stage.variables[name] = value;
  }
  return { ok: true, text };
}
