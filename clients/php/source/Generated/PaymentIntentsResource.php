<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;
use Payments\Page;

/**
 * @phpstan-import-type CreatePaymentAttemptRequest from Models
 * @phpstan-import-type CreatePaymentIntentRequest from Models
 * @phpstan-import-type GivePaymentOtpRequest from Models
 * @phpstan-import-type ListPaymentIntentRefundsParams from Models
 * @phpstan-import-type ListPaymentIntentsParams from Models
 * @phpstan-import-type PaymentAttempt from Models
 * @phpstan-import-type PaymentAttempts from Models
 * @phpstan-import-type PaymentIntent from Models
 * @phpstan-import-type PaymentIntentList from Models
 * @phpstan-import-type PaymentIntentTimeline from Models
 * @phpstan-import-type Refund from Models
 * @phpstan-import-type RefundList from Models
 */
final class PaymentIntentsResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * Payment links, newest first. Pass `next_cursor` as `cursor` to get the next page. All
     * filters together narrow the list.
     *
     * @param ListPaymentIntentsParams $query
     * @param array<string, string> $headers sent with each try
     * @return Page<PaymentIntentList, PaymentIntent>
     */
    public function list(array $query = [], array $headers = []): Page
    {
        return $this->core->list('payment_intents', 'cursor', '/payment-intents', ['query' => $query, 'headers' => $headers]);
    }

    /**
     * Make a payment link. Give `pay_url` to the customer, who pays at the gateway. What became
     * of it comes as a webhook, and can be read here. Without an answer, repeat the request with
     * the same `Idempotency-Key`: there is one link then.
     *
     * @param CreatePaymentIntentRequest $body
     * @param string|null $idempotencyKey yours, or one that is made
     * @param array<string, string> $headers sent with each try
     * @return PaymentIntent
     */
    public function create(array $body, ?string $idempotencyKey = null, array $headers = []): array
    {
        return $this->core->call('POST', '/payment-intents', ['body' => $body, 'headers' => $headers], 'payment_intent', $idempotencyKey);
    }

    /**
     * One payment link, by its id or its short code. `status` is `open` until the customer pays,
     * the link expires or you cancel it. `processing` means that the gateway has the payment and
     * does not know its outcome yet.
     *
     * @param array<string, string> $headers sent with each try
     * @return PaymentIntent
     */
    public function retrieve(string $idOrCode, array $headers = []): array
    {
        return $this->core->call('GET', '/payment-intents/{id_or_code}', ['path' => ['id_or_code' => $idOrCode], 'headers' => $headers]);
    }

    /**
     * Cancel an open payment link; cancelling it again changes nothing. Nobody can pay it any
     * more. A link that is paid, failed or expired cannot be cancelled, nor one that is being
     * paid: the gateway has the payment, or a customer is asked on a phone.
     *
     * @param array<string, string> $headers sent with each try
     * @return PaymentIntent
     */
    public function cancel(string $idOrCode, array $headers = []): array
    {
        return $this->core->call('POST', '/payment-intents/{id_or_code}/cancel', ['path' => ['id_or_code' => $idOrCode], 'headers' => $headers]);
    }

    /**
     * What happened to a payment link, in order. Creation, what the gateway notified, the
     * posting to the ledger and each delivery of a webhook, oldest first.
     *
     * @param array<string, string> $headers sent with each try
     * @return PaymentIntentTimeline
     */
    public function retrieveTimeline(string $idOrCode, array $headers = []): array
    {
        return $this->core->call('GET', '/payment-intents/{id_or_code}/timeline', ['path' => ['id_or_code' => $idOrCode], 'headers' => $headers]);
    }

    /**
     * The attempts to pay a payment intent by phone. Newest first, the last hundred.
     *
     * @param array<string, string> $headers sent with each try
     * @return PaymentAttempts
     */
    public function listAttempts(string $idOrCode, array $headers = []): array
    {
        return $this->core->call('GET', '/payment-intents/{id_or_code}/attempts', ['path' => ['id_or_code' => $idOrCode], 'headers' => $headers]);
    }

    /**
     * Ask a phone to pay a payment intent. Show the customer `next_step`, and read the attempt
     * until it has ended; webhooks tell of the payment intent. It answers once the operator was
     * asked. A failed attempt leaves the payment intent open, with `last_payment_error`. A
     * payment intent has one waiting attempt at a time, and a phone is asked five times an hour,
     * and eight times a day without paying. Without an answer, repeat the request with the same
     * `Idempotency-Key`; a new try needs a new key.
     *
     * @param CreatePaymentAttemptRequest $body
     * @param string|null $idempotencyKey yours, or one that is made
     * @param array<string, string> $headers sent with each try
     * @return PaymentAttempt
     */
    public function createAttempt(string $idOrCode, array $body, ?string $idempotencyKey = null, array $headers = []): array
    {
        return $this->core->call('POST', '/payment-intents/{id_or_code}/attempts', ['path' => ['id_or_code' => $idOrCode], 'body' => $body, 'headers' => $headers], 'payment_attempt', $idempotencyKey);
    }

    /**
     * One attempt to pay by phone. `waiting` until the customer has paid, has declined, or has
     * let the time pass.
     *
     * @param array<string, string> $headers sent with each try
     * @return PaymentAttempt
     */
    public function retrieveAttempt(string $idOrCode, string $attemptId, array $headers = []): array
    {
        return $this->core->call('GET', '/payment-intents/{id_or_code}/attempts/{attempt_id}', ['path' => ['id_or_code' => $idOrCode, 'attempt_id' => $attemptId], 'headers' => $headers]);
    }

    /**
     * Give the one-time code that an attempt waits for. It answers with the attempt once the
     * operator was asked. A wrong code fails the attempt: begin a new one.
     *
     * @param GivePaymentOtpRequest $body
     * @param array<string, string> $headers sent with each try
     * @return PaymentAttempt
     */
    public function giveOtp(string $idOrCode, string $attemptId, array $body, array $headers = []): array
    {
        return $this->core->call('POST', '/payment-intents/{id_or_code}/attempts/{attempt_id}/otp', ['path' => ['id_or_code' => $idOrCode, 'attempt_id' => $attemptId], 'body' => $body, 'headers' => $headers]);
    }

    /**
     * The refunds of a payment, newest first. Pass `next_cursor` as `cursor` to get the next
     * page.
     *
     * @param ListPaymentIntentRefundsParams $query
     * @param array<string, string> $headers sent with each try
     * @return Page<RefundList, Refund>
     */
    public function listRefunds(string $idOrCode, array $query = [], array $headers = []): Page
    {
        return $this->core->list('refunds', 'cursor', '/payment-intents/{id_or_code}/refunds', ['path' => ['id_or_code' => $idOrCode], 'query' => $query, 'headers' => $headers]);
    }
}
