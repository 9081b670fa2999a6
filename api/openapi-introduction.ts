// The OpenAPI document's text before the operations, in Markdown.

import { FAULT_MEANINGS } from '../domain/fault';
import { SCOPES, SCOPE_TEXTS } from '../domain/scopes';
import { TEST_BUTTONS } from '../domain/test-values';
import { PAYING_PHONES, TEST_PHONES } from '../domain/test-phones';

const TEST_PHONE_ROWS = TEST_PHONES.map(({ digits, en }) => `| \`${digits}\` | ${en} |`).join('\n');

const PAYING_PHONE_ROWS = PAYING_PHONES.map(({ digits, en }) => `| \`${digits}\` | ${en} |`).join(
  '\n',
);

const TEST_BUTTON_ROWS = TEST_BUTTONS.map(({ action, en }) => `| \`${action}\` | ${en} |`).join(
  '\n',
);

const SCOPE_ROWS = SCOPES.map((scope) => `| \`${scope}\` | ${SCOPE_TEXTS.en[scope]} |`).join('\n');

const FAULT_ROWS = Object.entries(FAULT_MEANINGS)
  .map(([value, { en }]) => `| \`${value}\` | ${en} |`)
  .join('\n');

export const INTRODUCTION = `Wallets in XOF, EUR and USD, transfers to other users by username, payment links that customers pay, payouts to phones and bank accounts, and signed webhooks that say what became of them.

**Keys and environments.** Send an API key as \`Authorization: Bearer …\`. A test key works in the sandbox: the same calls, the same answers, and no money. A live key moves money.

**Scopes.** Each operation needs one scope of the key, which stands beside it; without it the answer is 403 \`forbidden\` with \`param: "scope"\`, before anything else is looked at. \`GET /me\` and \`GET /idempotency-keys/{key}\` are open to every key: a program can always ask what it may do and what became of its orders. A key may also expire, and have an amount that may leave by it in a day.

| scope | what the key may do |
| --- | --- |
${SCOPE_ROWS}

Unless it is said otherwise, a new key has all but those of payouts.

**Amounts** in responses are JSON numbers with two decimals, written literally: \`5000.00\`. In requests a plain decimal with at most two decimals, as a number or as text, which are the same: \`5000\`, \`5000.00\`, \`"5000.00"\`; XOF is whole.

**Doing it once.** Writing calls that move money take an \`Idempotency-Key\`. When a response did not reach you, repeat the request with the same key: you get the first response, byte for byte, and nothing happens twice. Each response names its key.

**Payment links.** \`POST /payment-intents\` answers a \`pay_url\` to give to the customer. The page that it shows and the webhook say what became of it; only the API and a verified webhook prove that it is paid. In the sandbox its checkout has a button for each thing that can happen:

| button | what happens |
| --- | --- |
${TEST_BUTTON_ROWS}

A customer who pays by phone confirms there, dials a code, types a one-time code, or leaves for the operator's page. In the sandbox the last three digits of the phone decide what happens; any other pays within two seconds, and every one-time code of 4 to 8 digits is right but \`000000\`:

| digits | what happens |
| --- | --- |
${PAYING_PHONE_ROWS}

**Payouts.** \`POST /payouts\` sends money to a phone or a bank account. Its outcome is known when \`conclusive\` is true; until then it is asked for, and never guessed. In the sandbox the last three digits of the phone or account decide what happens; any other is paid within two seconds:

| digits | what happens |
| --- | --- |
${TEST_PHONE_ROWS}

**Bad days.** With a test key the header \`Sandbox-Fault\` makes one request go wrong, and \`Sandbox-Fault-Applied\` in its response says that it did. \`POST /sandbox/faults\` orders the same for clients that cannot set a header.

| value | what happens |
| --- | --- |
${FAULT_ROWS}

A value that is unknown, or does not fit the request, and any value with a live key is refused with \`invalid_request\`.

**Webhooks.** Register an endpoint, keep its secret, and verify each delivery: our clients and the libraries of [Standard Webhooks](https://www.standardwebhooks.com) verify \`webhook-signature\`, which holds the time. \`x-service-signature\` is the HMAC-SHA256 of the body's bytes in hex, with the secret as it was shown; it holds no time, so a delivery that somebody has recorded can be sent to you again later. The same event may arrive twice, with the same \`id\`. After an outage read \`GET /events\`, or have deliveries sent again.

**Lists** are newest first, except events. Pass \`next_cursor\` as \`cursor\` (as \`after\` for events) while \`has_more\` is true.

**Errors** have one form, with a \`code\` to decide by, a \`message\` for people, and \`retryable\`. [All codes](/docs/errors), each with its cause and what to do.

**Limits.** Each key has limits per minute, which the \`RateLimit\` headers tell. After 429 and 503 wait as many seconds as \`Retry-After\` says.

**Changes.** Fields, event types and error codes may be added at any time: ignore what you do not know. Unknown fields in requests are refused.`;
