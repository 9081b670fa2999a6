// The pages that show no payment. Each has one text for all reasons, so that it gives none away.

import { badge, renderDocument } from './document';
import { markup } from '../../domain/markup';

/** For codes that are malformed, unknown, or not to be shown. */
export const UNKNOWN_PAGE = renderDocument({
  title: 'Payment link not found',
  content: markup`${badge('question', 'quiet')}
<h1>We cannot find this payment link</h1>
<p class="status" role="status">Its address may be incomplete. Open the link once more from the message it came in, or ask the merchant for a new one.</p>`,
});

/** When the payment cannot be read: the database is down, or we have a bug. */
export const TROUBLE_PAGE = renderDocument({
  title: 'Something is not working',
  content: markup`${badge('trouble', 'quiet')}
<h1>We cannot show this payment just now</h1>
<p class="status" role="status">Something on our side is not working. If you have already paid, do not pay again. Open this link again in a moment.</p>`,
});

export const METHOD_PAGE = renderDocument({
  title: 'Not possible here',
  content: markup`${badge('question', 'quiet')}
<h1>This is not possible here</h1>
<p class="status" role="status">Open the payment link once more from the message it came in.</p>`,
});

export const TOO_MANY_PAGE = renderDocument({
  title: 'Too many requests',
  content: markup`${badge('question', 'quiet')}
<h1>Too many requests came from your network</h1>
<p class="status" role="status">If you have already paid, do not pay again. Open the payment link once more in a minute.</p>`,
});
