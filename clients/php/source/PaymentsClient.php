<?php

declare(strict_types=1);

namespace Payments;

/**
 * The API of one service, with one key. Times are in seconds.
 *
 *     $client = new Payments\PaymentsClient('pay_test_…', 'https://pay.example/api/public/v1');
 */
final class PaymentsClient extends Generated\Resources
{
    /** Proves that a webhook is the service's. */
    public readonly Webhooks $webhooks;

    /**
     * @param int $retries how often a call is tried again
     * @param float $timeout of each try
     * @param float $deadline of all tries of a call, with their pauses
     * @param callable(array<string, mixed>): mixed|null $log gets an entry for each request, response and pause; it never sees a key, an address or a body
     * @param Surroundings|null $surroundings for tests of the client
     */
    public function __construct(
        #[\SensitiveParameter] string $apiKey,
        string $baseUrl,
        int $retries = 3,
        float $timeout = 30,
        float $deadline = 60,
        ?callable $log = null,
        ?Surroundings $surroundings = null,
    ) {
        $surroundings ??= new Surroundings();
        parent::__construct(new Core($apiKey, $baseUrl, $retries, $timeout, $deadline, $log, $surroundings));
        $this->webhooks = new Webhooks();
    }
}
