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
    private readonly Core $core;

    /**
     * @param bool $allowHttp takes `http` to another machine too: who listens in between reads the key
     * @param int $retries how often a call is tried again
     * @param float $timeout of each try
     * @param float $deadline of all tries of a call, with their pauses
     * @param callable(array<string, mixed>): mixed|null $log gets an entry for each request, response and pause; it never sees a key, an address or a body
     * @param Transport|null $transport another one, for a proxy or for tests
     * @param Surroundings|null $surroundings for tests of the client
     */
    public function __construct(
        #[\SensitiveParameter] string $apiKey,
        string $baseUrl,
        bool $allowHttp = false,
        int $retries = 3,
        float $timeout = 30,
        float $deadline = 60,
        ?callable $log = null,
        ?Transport $transport = null,
        ?Surroundings $surroundings = null,
    ) {
        $transport ??= new Transport();
        $surroundings ??= new Surroundings();
        $this->core = new Core($apiKey, $baseUrl, $allowHttp, $retries, $timeout, $deadline, $log, $transport, $surroundings);
        parent::__construct($this->core);
        $this->webhooks = new Webhooks();
    }

    /** The status, the headers and the request id of the response that came last. */
    public function lastResponse(): ?Response
    {
        return $this->core->lastResponse;
    }
}
