// The adapter of the sandbox gateway. One adapter is one account, decided by its secrets.

import { CURRENCIES } from '../../domain/currency';
import { DISPUTE_STATUSES, type DisputeState } from '../../domain/dispute';

import type { ListedPayment, ListedRefund, PaymentState, RefundState } from '../../domain/payment';
import { GATEWAY_SIGNATURE_HEADER, hasSignatureForm } from '../../secrets/gateway-signature';
import type { Checkout, CheckoutRequest, Gateway, RefundRequest } from '../port';
import {
  checkSecrets,
  listPath,
  objectField,
  readPage,
  type Call,
  type SandboxAccount,
} from './exchange';
import {
  currencyField,
  FieldFault,
  instantField,
  minorField,
  optionalText,
  textField,
  type Fields,
} from './fields';
import { callGateway } from './gateway-call';
import { readNotification } from './notification';
import { createSandboxPhones } from './phones';

export function createSandboxGateway(account: SandboxAccount): Gateway {
  const { environment, secrets } = account;
  checkSecrets(account);
  const call = <Value>(
    path: string,
    body: object | null,
    read: (response: Fields['value']) => Value,
    method: Call['method'] = 'POST',
  ): Promise<Value> => callGateway(account, { method, path, body }, read);
  const sessionPath = (session_id: string): string =>
    `/checkouts/${encodeURIComponent(session_id)}`;

  return {
    name: 'sandbox',
    environment,
    bounds: { currencies: CURRENCIES, minimum: {} },
    phones: createSandboxPhones(account),
    openCheckout: (request) => call('/checkouts', openBody(request), readCheckout),
    findPayment: (session_id) => call(sessionPath(session_id), null, readPaymentState, 'GET'),
    closeCheckout: (session_id) => call(`${sessionPath(session_id)}/close`, null, readPaymentState),
    refund: (request) => call('/refunds', refundBody(request), readRefundState),
    findRefund: (refund_id) =>
      call(`/refunds/${encodeURIComponent(refund_id)}`, null, readRefundState, 'GET'),
    findDispute: (dispute_id) =>
      call(`/disputes/${encodeURIComponent(dispute_id)}`, null, readDispute, 'GET'),
    listPayments: (window, cursor) =>
      call(
        listPath('/payments', window, cursor),
        null,
        readPage('payments', readListedPayment),
        'GET',
      ),
    findTakenPayment: (id) =>
      call(`/payments/${encodeURIComponent(id)}`, null, readTakenPayment, 'GET'),
    listRefunds: (window, cursor) =>
      call(
        listPath('/refunds', window, cursor),
        null,
        readPage('refunds', readListedRefund),
        'GET',
      ),
    mayBeSigned: (headers) => hasSignatureForm(headers[GATEWAY_SIGNATURE_HEADER]),
    readNotification: (raw, headers) =>
      readNotification({ environment, secrets }, raw, headers[GATEWAY_SIGNATURE_HEADER]),
  };
}

function openBody(request: CheckoutRequest): object {
  const { amount, description, merchant, pay_url: _, ...rest } = request;
  return {
    ...rest,
    // The gateway refuses empty text.
    description: description || null,
    amount_minor: String(amount),
    merchant_name: merchant.name,
    merchant_country: merchant.country,
    merchant_contact: merchant.contact,
    logo_url: merchant.logo_url,
  };
}

function refundBody(request: RefundRequest): object {
  const { amount, ...rest } = request;
  return { ...rest, amount_minor: String(amount) };
}

function readCheckout(response: Fields['value']): Checkout {
  return {
    session_id: textField(response, 'session_id', 200),
    checkout_url: textField(response, 'checkout_url', 2_000),
    lapses_at: response['lapses_at'] === null ? null : instantField(response, 'lapses_at'),
  };
}

function readPaymentState(response: Fields['value']): PaymentState {
  const { state } = response;
  switch (state) {
    case 'none':
    case 'pending':
      return { state };
    case 'failed': {
      const failure = objectField(response, 'failure');
      const code = textField(failure, 'code', 200);
      return { state, failure: { code, message: textField(failure, 'message', 1_000) } };
    }
    case 'paid': {
      const payment = objectField(response, 'payment');
      const currency = currencyField(payment);
      return {
        state,
        payment: {
          provider_payment_id: textField(payment, 'provider_payment_id', 200),
          amount_minor: minorField(payment, currency),
          currency,
          occurred_at: instantField(payment, 'occurred_at'),
        },
      };
    }
    default:
      throw new FieldFault('state is not known');
  }
}

function readRefundState(response: Fields['value']): RefundState {
  const refund_id = textField(response, 'refund_id', 200);
  const { status } = response;
  switch (status) {
    case 'succeeded':
      return { status, refund_id };
    case 'pending':
      return { status, refund_id, detail: optionalText(response, 'detail', 1_000) };
    case 'failed':
      return { status, refund_id, reason: textField(response, 'detail', 1_000) };
    default:
      throw new FieldFault('status is not known');
  }
}

function readDispute(response: Fields['value']): DisputeState {
  const currency = currencyField(response);
  const status = DISPUTE_STATUSES.find((one) => one === response['status']);
  if (status === undefined) throw new FieldFault('status is not known');
  const due = response['evidence_due_by'] === null;
  return {
    status,
    provider_payment_id: textField(response, 'provider_payment_id', 200),
    amount_minor: minorField(response, currency),
    currency,
    fee_minor: minorField({ amount_minor: response['fee_minor'] }, currency),
    reason: textField(response, 'reason', 200),
    evidence_due_by: due ? null : instantField(response, 'evidence_due_by'),
  };
}

function readTakenPayment(response: Fields['value']): ListedPayment | undefined {
  return response['payment'] === null
    ? undefined
    : readListedPayment(objectField(response, 'payment'));
}

function readListedPayment(payment: Fields['value']): ListedPayment {
  const currency = currencyField(payment);
  return {
    provider_payment_id: textField(payment, 'provider_payment_id', 200),
    amount_minor: minorField(payment, currency),
    currency,
    occurred_at: instantField(payment, 'occurred_at'),
    intent_id: optionalText(payment, 'intent_id', 200),
    reference: optionalText(payment, 'reference', 200),
  };
}

function readListedRefund(refund: Fields['value']): ListedRefund {
  const currency = currencyField(refund);
  return {
    refund_id: textField(refund, 'refund_id', 200),
    provider_payment_id: textField(refund, 'provider_payment_id', 200),
    amount_minor: minorField(refund, currency),
    currency,
    status: readRefundState(refund).status,
    created_at: instantField(refund, 'created_at'),
  };
}
