// The page of a payment link as a document, and what of it may change while it is open.

import { isTerminal } from '../../domain/intent';
import type { Language } from '../../domain/language';
import { contentOf } from './contents';
import { Badge, renderDocument, type Preview } from './document';
import { details, payForm, phoneForm } from './parts';
import type { PayAttempt } from './phones';
import {
  amountOf,
  arrivedText,
  DEFAULTS,
  failedAttempt,
  isAwaited,
  isMismatch,
  logoPath,
  pathOf,
  ribbonOf,
  shopOf,
  waitingAttempt,
  type Options,
  type PayPageOptions,
  type PayPageView,
} from './view';
import { WORDS } from './words';

export function renderPayPage(view: PayPageView, given: PayPageOptions = {}): string {
  const options = { ...DEFAULTS, ...given };
  const { language } = options;
  const awaits = isAwaited(view, options);
  const shop = shopOf(view, options);
  const waits = waitingAttempt(view, options) ?? false;
  const follows = {
    page: pathOf(view, options),
    status_page: pathOf(view, options, '/status'),
    state: renderPayState(view, language, options.phones.attempt),
    // A one-time code is typed meanwhile.
    reloads: view.status === 'processing' || awaits || (waits && waits.next_step?.kind !== 'otp'),
  };
  return renderDocument({
    language,
    other_language: otherLanguage(view, options),
    title: titleOf(view, language),
    ribbon: ribbonOf(view, language),
    content: contentOf(view, options, { awaits, shop }),
    follows: isTerminal(view.status) ? undefined : follows,
    leaves_to: options.leaves ? shop?.address : undefined,
    preview: previewOf(view, language),
  });
}

/** When the gateway opens no checkout. The intent can still be paid. */
export function renderGatewayTrouble(
  view: PayPageView,
  retry_after_seconds: number,
  given: PayPageOptions = {},
): string {
  const options = { ...DEFAULTS, ...given };
  const { language } = options;
  const words = WORDS[language];
  return renderDocument({
    language,
    other_language: otherLanguage(view, options),
    title: words.trouble,
    ribbon: ribbonOf(view, language),
    content: (
      <>
        <Badge icon="trouble" tone="quiet" />
        <h1>{words.trouble}</h1>
        <p class="status" role="status">
          {words.trouble_text(retry_after_seconds)}
        </p>
        {payForm(view, options, words.try_again)}
        {phoneForm(view, options)}
        {details(view, language)}
      </>
    ),
  });
}

/** The part of the page that may change while it is open, as JSON. */
export function renderPayState(
  view: PayPageView,
  language: Language = 'en',
  attempt?: PayAttempt,
): string {
  return JSON.stringify({
    status: view.status,
    updated_at: view.updated_at,
    // Both concern an attempt.
    failed_attempt: isMismatch(view)
      ? arrivedText(view, language)
      : (failedAttempt(view, language)?.text ?? null),
    attempt: attempt
      ? { id: attempt.id, status: attempt.status, step: attempt.next_step?.kind ?? null }
      : null,
  });
}

function otherLanguage(view: PayPageView, options: Options): string {
  const { language, has_returned, gave_up, leaves } = options;
  const other = language === 'en' ? 'fr' : 'en';
  const path = pathOf(view, { language: other, is_chosen: true });
  // A customer who chooses a language wants to read.
  const rest = [has_returned && '&back=1', gave_up && '&gave_up=1', leaves && '&stay=1'];
  return path + rest.filter(Boolean).join('');
}

// The name comes last, so that a change of text direction in it affects nothing after it.
function titleOf(view: PayPageView, language: Language): string {
  const words = WORDS[language];
  const amount = amountOf(view, language);
  if (view.status === 'open') return words.title_open(amount, view.merchant_name);
  return words.title_closed(words[view.status], amount, view.merchant_name);
}

/** A message that names the link shows this of it: nothing about the customer. */
function previewOf(view: PayPageView, language: Language): Preview {
  const logo = logoPath(view);
  const { origin } = new URL(view.pay_url);
  return {
    title: titleOf(view, language),
    description: view.description,
    url: view.pay_url,
    image: logo === undefined ? undefined : origin + logo,
  };
}
