// The owner of a new account takes four steps first; they are shown until all are done.

import type { VNode } from 'preact';
import type { FirstSteps } from '../../db/people/attention';
import type { Environment } from '../../domain/environment';
import { useFrame } from '../frame';
import { Link } from '../parts';
import { WORDS } from './words';

interface Step {
  readonly isDone: boolean;
  readonly text: string;
  /** The next thing to do, or why nothing can be done at this moment. */
  readonly next: VNode | string | null;
}

export function Steps({
  of,
  environment,
}: {
  readonly of: FirstSteps;
  readonly environment: Environment;
}) {
  const words = WORDS[useFrame().language];
  const steps = stepsOf(of, environment, words);
  const done = steps.filter(({ isDone }) => isDone).length;
  if (done === steps.length) return null;
  return (
    <section class="card" aria-labelledby="steps">
      <h2 id="steps">
        {words.steps} <span class="hint">{words.steps_done(done, steps.length)}</span>
      </h2>
      <ol class="steps">
        {steps.map(({ isDone, text, next }) => (
          <li class={isDone ? 'done' : undefined}>
            <span>
              {text}
              {isDone && <span class="hidden"> {words.done}</span>}
            </span>
            {!isDone && next}
          </li>
        ))}
      </ol>
    </section>
  );
}

function stepsOf(
  { has_link, has_payment, has_name, kyc_status, kyc_reason }: FirstSteps,
  environment: Environment,
  words: (typeof WORDS)['en'],
): readonly Step[] {
  // Live links take an approved check first.
  const mayMake = environment === 'sandbox' || kyc_status === 'approved';
  const tried = has_link ? <Link to="/links?status=open">{words.try_it}</Link> : null;
  return [
    {
      isDone: has_link,
      text: words.step_link,
      // The page's button makes it.
      next: mayMake ? null : words.in_test,
    },
    {
      isDone: has_payment,
      text: words.step_try,
      next: environment === 'sandbox' ? tried : words.in_test,
    },
    {
      isDone: has_name,
      text: words.step_name,
      next: <Link to="/profile#public">{words.name_it}</Link>,
    },
    {
      isDone: kyc_status === 'approved',
      text: words.step_identity,
      next: <Identity kyc_status={kyc_status} kyc_reason={kyc_reason} />,
    },
  ];
}

function Identity({ kyc_status, kyc_reason }: Pick<FirstSteps, 'kyc_status' | 'kyc_reason'>) {
  const words = WORDS[useFrame().language];
  if (kyc_status === 'pending') return <span>{words.kyc_pending}</span>;
  if (kyc_status !== 'rejected') return <Link to="/identity">{words.to_profile}</Link>;
  return (
    <span class="bad">
      {kyc_reason === null
        ? words.kyc_rejected
        : words.kyc_rejected_for(kyc_reason.replace(/\.$/, ''))}{' '}
      <Link to="/identity">{words.correct}</Link>
    </span>
  );
}
