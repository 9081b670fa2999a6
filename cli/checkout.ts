// The simulator's checkout, used as a customer's browser does.

import { CommandError, fetchFailure } from './error';

const CHECKOUT_WITHIN_MS = 10_000;

/** Does what a browser does when the customer presses a button of the simulator's checkout. */
export async function pressButton(
  url: string,
  form: Readonly<Record<string, string>>,
): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams(form),
    redirect: 'manual',
    signal: AbortSignal.timeout(CHECKOUT_WITHIN_MS),
  }).catch((error: unknown) => {
    throw new CommandError('no_answer', `${url}: ${fetchFailure(error)}`);
  });
  if (answer.status === 303) return;
  throw new CommandError(
    'not_simulated',
    `Nothing can be paid at ${new URL(url).host} without a customer (status ${answer.status})`,
  );
}
