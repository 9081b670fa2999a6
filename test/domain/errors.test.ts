import { renderError } from '../../domain/error-body';
import { ERROR_CODES, ERROR_HELP, ERRORS, isRetryable } from '../../domain/errors';

const CONTEXT = { request_id: 'req-1', error_docs_url: 'https://pay.example.com/docs/errors' };

const matching = (pattern: RegExp): string => expect.stringMatching(pattern) as string;

describe('ERRORS', () => {
  it.each([
    ['§7 unauthorized', 401],
    ['§7 invalid_request', 422],
    ['§7 invalid_json', 400],
    ['§7 insufficient_funds', 402],
    ['§7 recipient_not_found', 404],
    ['§7 rate_limited', 429],
  ])('%s has status %i', (row, status) => {
    const code = row.slice(3) as (typeof ERROR_CODES)[number];
    expect(ERRORS[code].status).toBe(status);
  });

  it.each([
    ['invalid_idempotency_key', 400],
    ['forbidden', 403],
    ['account_frozen', 403],
    ['kyc_required', 403],
    ['not_found', 404],
    ['transaction_not_found', 404],
    ['statement_not_found', 404],
    ['fee_invoice_not_found', 404],
    ['payment_intent_not_found', 404],
    ['transfer_not_found', 404],
    ['transfer_batch_not_found', 404],
    ['payout_batch_not_found', 404],
    ['webhook_endpoint_not_found', 404],
    ['event_not_found', 404],
    ['webhook_delivery_not_found', 404],
    ['webhook_resend_not_found', 404],
    ['method_not_allowed', 405],
    ['idempotency_in_progress', 409],
    ['intent_not_cancelable', 409],
    ['batch_not_cancelable', 409],
    ['payout_batch_not_cancelable', 409],
    ['payout_batch_not_confirmable', 409],
    ['payout_batch_not_approvable', 409],
    ['batch_limit', 409],
    ['batch_refused', 422],
    ['payment_disputed', 409],
    ['webhook_endpoint_disabled', 409],
    ['webhook_resend_running', 409],
    ['webhook_endpoint_limit', 409],
    ['malformed_request', 400],
    ['request_timeout', 408],
    ['headers_too_large', 431],
    ['payload_too_large', 413],
    ['unsupported_media_type', 415],
    ['idempotency_key_reuse', 422],
    ['internal_error', 500],
    ['gateway_error', 502],
    ['unavailable', 503],
    ['gateway_not_configured', 503],
    ['gateway_timeout', 504],
  ] as const)('%s has status %i', (code, status) => {
    expect(ERRORS[code].status).toBe(status);
  });

  it.each(ERROR_CODES)('%s says in a sentence what is wrong', (code) => {
    expect(ERRORS[code].message).toMatch(/^[A-Z].+\.$/);
  });

  it.each(['amount_out_of_bounds', 'provider_unavailable'] as const)(
    '%s is explained for payments by phone and for payouts',
    (code) => {
      const { cause, remedy } = ERROR_HELP.en[code];
      for (const text of [cause, remedy]) expect(text).toMatch(/payout/);
      expect([cause, remedy]).toEqual([/payments? by phone/, /customer/].map(matching));
      const french = ERROR_HELP.fr[code];
      for (const text of [french.cause, french.remedy]) expect(text).toMatch(/envoi/);
      expect([french.cause, french.remedy]).toEqual(
        [/paiements? par téléphone/, /client/].map(matching),
      );
      expect(ERRORS[code].message).not.toMatch(/when_closed/);
    },
  );

  it('calls retryable what may succeed later without a change', () => {
    const retryable = ERROR_CODES.filter((code) => isRetryable(code));
    expect(retryable.sort()).toEqual([
      'batch_limit',
      'gateway_error',
      'gateway_timeout',
      'idempotency_in_progress',
      'internal_error',
      'provider_unavailable',
      'rate_limited',
      'request_timeout',
      'unavailable',
      'webhook_resend_running',
    ]);
  });
});

describe('renderError', () => {
  it('has one shape for every code', () => {
    for (const code of ERROR_CODES) {
      expect(JSON.parse(renderError(code, CONTEXT))).toEqual({
        ok: false,
        error: {
          code,
          message: ERRORS[code].message,
          doc_url: `https://pay.example.com/docs/errors#${code}`,
          request_id: 'req-1',
          retryable: isRetryable(code),
        },
      });
    }
  });

  it('adds the field at fault, every detail, and a message of its own', () => {
    const details = [{ param: 'amount', message: 'is required' }];
    const about = { message: 'amount is required.', param: 'amount', details };
    expect(JSON.parse(renderError('invalid_request', CONTEXT, about)).error).toMatchObject(about);
  });
});
